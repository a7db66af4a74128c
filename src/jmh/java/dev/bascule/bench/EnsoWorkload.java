package dev.bascule.bench;

import dev.bascule.app.Echo;
import dev.bascule.nic.PipeLoop;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.corundum.CorundumAdapter;
import dev.bascule.nic.corundum.CorundumNic;
import dev.bascule.nic.corundum.CorundumOptions;
import dev.bascule.nic.enso.EnsoConfig;
import dev.bascule.nic.enso.EnsoGroup;
import dev.bascule.nic.enso.EnsoNic;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Echo of 64-byte packets by one thread on a card that answers within the register store: the Java driver, and C that
 * does the same on memory of the same layout. Every packet's length and first byte are read. The other thread
 * does nothing. The third group is the same echo on packet queues.
 */
final class EnsoWorkload implements Workload {
    private static final int PIPE_FLITS = 8192;
    private static final int RING_ENTRIES = 1024;
    private static final int PACKET_RING = 512;
    private static final int PACKET_LOG_COMPLETIONS = 10;
    private static final int PACKETS_AT_ONCE = 256;
    private static final long C_BYTES = PIPE_FLITS * 64L + 2 * RING_ENTRIES * 64L + 4096;

    private final int batch;
    private final boolean againstPackets;

    /**
     * @param batch packets per notification, a divisor of the ring
     * @param againstPackets whether to compare with packet queues instead of C; apart, since both share processing code
     */
    EnsoWorkload(int batch, boolean againstPackets) {
        this.batch = batch;
        this.againstPackets = againstPackets;
    }

    @Override
    public String name() {
        return (againstPackets ? "enso-packets-" : "enso-echo-") + batch;
    }

    @Override
    public List<Variant> variants(Twins twins) {
        List<Variant> variants = new ArrayList<>();
        variants.add(new Variant("java", "batch " + batch, java(), (start, count) -> count));
        if (twins.available() && againstPackets) {
            variants.add(new Variant("packets", "batch " + batch, packets(twins), (start, count) -> count));
        } else if (twins.available()) {
            variants.add(c(twins, "c", "enso_echo"));
            variants.add(c(twins, "c guess", "enso_echo_guess"));
        }
        return variants;
    }

    private Variant c(Twins twins, String group, String function) {
        Side c = twins.side(function, fill(Arena.global().allocate(C_BYTES, 4096)),
                batch | (long) PIPE_FLITS << 16 | (long) RING_ENTRIES << 40, 0);
        return new Variant(group, "batch " + batch, (start, count) -> {
            c.run(start, (count + batch - 1) / batch * batch);
            return count;
        }, (start, count) -> count);
    }

    /** The same echo on packet queues: Corundum's driver on a card that completes at once. */
    private Side packets(Twins twins) {
        CorundumPeer card = new CorundumPeer();
        CorundumNic nic = CorundumAdapter.open(card).openPort(0,
                CorundumOptions.DEFAULTS.withRingEntries(PACKET_RING));
        nic.start();
        Side peer = twins.side("corundum_peer", card.state(PACKET_RING, PACKET_LOG_COMPLETIONS), 0, 0);
        ProcessorLoop loop = new ProcessorLoop(nic.rxQueue(0), nic.txQueue(0), new Echo(), batch);
        return (start, count) -> {
            long done = 0;
            while (done < count) {
                int got = loop.run();
                done += got;
                if (got == 0) {
                    peer.run(0, PACKETS_AT_ONCE);
                }
            }
            return count;
        };
    }

    private Side java() {
        EnsoPeer peer = new EnsoPeer(PIPE_FLITS, RING_ENTRIES, batch);
        EnsoGroup group = EnsoNic.open(peer, EnsoConfig.ofRings(PIPE_FLITS, RING_ENTRIES)).openGroup();
        RxTxPipe pipe = group.openFallbackRxTx();
        fill(pipe.memory().asSlice(0, PIPE_FLITS * 64L));
        peer.connect();
        peer.startTraffic();
        PipeLoop loop = new PipeLoop(pipe, new Echo(), Long.MAX_VALUE);
        return (start, count) -> {
            long before = loop.processed();
            long done = 0;
            while (done < count) {
                done += loop.run();
            }
            if (loop.processed() - before < count) {
                throw new IllegalStateException("not every packet was seen");
            }
            return count;
        };
    }

    /** IPv4 packets of 64 bytes from end to end. */
    private static MemorySegment fill(MemorySegment ring) {
        for (long at = 0; at < PIPE_FLITS * 64L; at += 64) {
            ring.set(ValueLayout.JAVA_SHORT, at + 12, (short) 0x0008);
            ring.set(ValueLayout.JAVA_SHORT, at + 16, Short.reverseBytes((short) 50));
        }
        return ring;
    }
}
