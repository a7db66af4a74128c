package dev.bascule.loopback;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * The host takes the NIC's only range away and maps another one in its place while the NIC looks both up: it never
 * reaches the old one after the new one, as it would through half a change.
 */
@JCStressTest
@Outcome(id = "-1, 7", expect = Expect.ACCEPTABLE, desc = "before the change")
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "during the change")
@Outcome(id = "5, -1", expect = Expect.ACCEPTABLE, desc = "after the change")
@Outcome(expect = Expect.FORBIDDEN, desc = "the old range after the new one")
@State
public class MappedRangesStress {
    private final PinnedMemory table = Shared.part(MappedRanges.BYTES);
    private final MappedRanges owner = new MappedRanges(table.segment());
    private final PinnedMemory data = Shared.part(128);
    private final DmaWindow nic;

    /** The second line is mapped. */
    public MappedRangesStress() {
        LinkedMemory memory = new LinkedMemory(data, null, LinkProfile.ZERO);
        memory.owner().storeRelease(0, 5);
        memory.owner().storeRelease(64, 7);
        owner.map(64, 64);
        nic = memory.dma(new MappedRanges(table.segment()), 1);
    }

    /** The first line instead. */
    @Actor
    public void host() {
        owner.unmap(64);
        owner.map(0, 64);
    }

    /** Reaches for the first line, then for the second. */
    @Actor
    public void nic(JJ_Result r) {
        r.r1 = nic.loadAcquire(0);
        r.r2 = nic.loadAcquire(64);
    }
}
