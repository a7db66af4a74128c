package dev.bascule.nic.corundum;

import dev.bascule.device.DeviceException;
import java.util.BitSet;

/** Queues of an interface that are given out, and the frame length its ports share. */
final class InterfaceUse {
    final InterfaceMap map;
    final BitSet eventQueues = new BitSet();
    final BitSet completionQueues = new BitSet();
    final BitSet txQueues = new BitSet();
    final BitSet rxQueues = new BitSet();
    final int firstPort;
    final int[] frameBytes;

    /** @param firstPort number of its first port at the card */
    InterfaceUse(InterfaceMap map, int firstPort) {
        this.map = map;
        this.firstPort = firstPort;
        this.frameBytes = new int[map.ports().size()];
    }

    /** Takes {@code count} neighbouring queues; says the first. */
    int take(BitSet used, QueueRange range, int count) {
        int first = used.nextClearBit(0);
        while (first + count <= range.count()) {
            int next = used.nextSetBit(first);
            if (next < 0 || next >= first + count) {
                used.set(first, first + count);
                return first;
            }
            first = used.nextClearBit(next);
        }
        throw new DeviceException("open queues", "interface " + map.number(), count + " " + range.what()
                + " wanted, the design has " + range.count() + " and " + used.cardinality() + " are in use",
                "open fewer queues");
    }

    /** The longest frame any of its ports wants. */
    int longestFrame() {
        return java.util.Arrays.stream(frameBytes).max().orElse(0);
    }
}
