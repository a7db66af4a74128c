package dev.bascule.bench;

import dev.bascule.app.Forwarder;
import dev.bascule.nic.corundum.CorundumAdapter;
import dev.bascule.nic.corundum.CorundumNic;
import dev.bascule.nic.corundum.CorundumOptions;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * Forwarding by one thread, in bursts of 32, on a card that completes at once and is the same C function for both: the
 * Java driver, and C that does the same descriptor and completion work. The other thread does nothing.
 */
final class CorundumWorkload implements Workload {
    private static final int BURST = 32;
    /** Packets the peer completes in a call, so that the call from Java to it does not count. */
    private static final int AT_ONCE = 256;
    private static final int RING = 512;
    private static final int LOG_COMPLETIONS = 10;
    private static final long C_BYTES = 1 << 20;

    @Override
    public String name() {
        return "corundum";
    }

    @Override
    public List<Variant> variants(Twins twins) {
        List<Variant> variants = new ArrayList<>();
        if (twins.available()) { // the peer is C, too
            variants.add(new Variant("java", "burst", bursts(java(twins)), (start, count) -> count));
            variants.add(new Variant("c", "burst",
                    bursts(twins.side("corundum_forward", Arena.global().allocate(C_BYTES, 4096), 0, 0)),
                    (start, count) -> count));
        }
        return variants;
    }

    /** Whole bursts, as few as have {@code count} packets. */
    private static Side bursts(Side side) {
        return (start, count) -> {
            long whole = (count + BURST - 1) / BURST * BURST;
            if (side.run(start, whole) != whole) {
                throw new IllegalStateException("a burst was not forwarded");
            }
            return count;
        };
    }

    private static Side java(Twins twins) {
        CorundumPeer card = new CorundumPeer();
        CorundumNic nic = CorundumAdapter.open(card).openPort(0, CorundumOptions.DEFAULTS.withRingEntries(RING));
        nic.start();
        Side peer = twins.side("corundum_peer", card.state(RING, LOG_COMPLETIONS), 0, 0);
        Forwarder forwarder = new Forwarder(nic, nic, BURST);
        return (start, count) -> {
            long done = 0;
            while (done < count) {
                int got = forwarder.run();
                done += got;
                if (got == 0) {
                    peer.run(0, AT_ONCE);
                }
            }
            return count;
        };
    }
}
