package dev.bascule.nic.corundum;

import dev.bascule.nic.PacketBatch;

/** Packets of several entries. */
final class Chains {
    private Chains() {}

    /** Entries that form one packet. */
    static int entries(PacketBatch batch, int first) {
        int last = first;
        while (batch.hasMore(last) && last + 1 < batch.size()) {
            last++;
        }
        return last - first + 1;
    }

    /** Their bytes. */
    static int length(PacketBatch batch, int first, int entries) {
        int sum = 0;
        for (int i = first; i < first + entries; i++) {
            sum += batch.length(i);
        }
        return sum;
    }
}
