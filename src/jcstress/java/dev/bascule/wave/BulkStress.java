package dev.bascule.wave;

import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.loopback.MappedRanges;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import dev.bascule.memory.Window;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJJ_Result;

/**
 * The host sends a bulk message, its payload through host memory and its descriptor through write-combining, while the
 * NIC looks: it takes the message whole, or later, and never gives it up because it looked at half a descriptor.
 */
@JCStressTest
@Outcome(id = { "0, 0, 18", "1, 18, 18" }, expect = Expect.ACCEPTABLE, desc = "taken whole, at the first look or later")
@Outcome(expect = Expect.FORBIDDEN, desc = "damaged, or given up")
@State
public class BulkStress {
    private static final long HOST_BYTES = 384;
    private static final BulkRing RING = new BulkRing(0, 2, 128, 192, 256, 128, 1);
    private static final MappedRanges RANGES = ranges();
    private static long seeds;

    private final LinkedMemory nic = new LinkedMemory(Shared.part(192), null, LinkProfile.ZERO);
    private final LinkedMemory host = new LinkedMemory(Shared.part(HOST_BYTES), null, LinkProfile.ZERO);
    private final Window hostMemory = host.owner();
    private final Window dma = host.dma(RANGES, ++seeds);
    private final BulkSender sender = new BulkSender(hostMemory, nic.hostWriteCombining(seeds, 2), hostMemory, RING,
            new BulkCounters());
    private final BulkReceiver receiver = new BulkReceiver(dma, nic.owner(), dma, RING, new BulkCounters());
    private final long[] out = { 11, 12, 13, 14, 15, 16, 17, 18 };
    private final long[] in = new long[8];

    private static MappedRanges ranges() {
        PinnedMemory table = PinnedMemory.allocate(MappedRanges.BYTES);
        MappedRanges ranges = new MappedRanges(table.segment());
        ranges.map(0, HOST_BYTES);
        return ranges;
    }

    /** Sends. */
    @Actor
    public void host() {
        sender.send(out, 0, out.length);
        sender.commit();
    }

    /** Looks once. */
    @Actor
    public void nic(IJJ_Result r) {
        if (receiver.receive(in) == out.length) {
            r.r1 = 1;
            r.r2 = in[7];
        }
    }

    /** Looks again if it was not there. */
    @Arbiter
    public void later(IJJ_Result r) {
        r.r3 = r.r1 == 1 || receiver.receive(in) == out.length ? in[7] : 0;
    }
}
