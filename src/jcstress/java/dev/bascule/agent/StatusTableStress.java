package dev.bascule.agent;

import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.loopback.MappedRanges;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import dev.bascule.memory.Window;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJJ_Result;

/**
 * A status word is written over its last version while an agent reads it, over the link's DMA or in the memory that it
 * shares with the host: one version whole, or told to try again.
 */
public class StatusTableStress {
    static final EnclaveShape SHAPE = new EnclaveShape(1, 1, 1, 2, 1);
    private static final MappedRanges RANGES = ranges();

    private final LinkedMemory memory = new LinkedMemory(Shared.part(StatusTable.sizeBytes(SHAPE)), null,
            LinkProfile.ZERO);
    private final StatusTable host = new StatusTable(memory.owner(), 0, SHAPE);
    private final StatusTable agent;
    private final StatusWord young = version(2);
    private final StatusWord read = new StatusWord();

    StatusTableStress(boolean overDma) {
        Window window = overDma ? memory.dma(RANGES, 1) : memory.owner();
        agent = new StatusTable(window, 0, SHAPE);
        host.write(version(1));
    }

    private static MappedRanges ranges() {
        PinnedMemory table = PinnedMemory.allocate(MappedRanges.BYTES);
        MappedRanges ranges = new MappedRanges(table.segment());
        ranges.map(0, StatusTable.sizeBytes(SHAPE));
        return ranges;
    }

    private static StatusWord version(int n) {
        StatusWord word = new StatusWord();
        word.barrier = n;
        word.flags = StatusWord.INUSE;
        word.switchNanos = n * 10L;
        word.deadlineNanos = n * 100L;
        return word;
    }

    void write() {
        host.write(young);
    }

    void read(IJJ_Result r) {
        if (agent.read(0, read)) {
            r.r1 = read.sequence();
            r.r2 = read.switchNanos;
            r.r3 = read.deadlineNanos();
        }
    }

    /** Across the link. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "changing: try again")
    @Outcome(id = "1, 10, 100", expect = Expect.ACCEPTABLE, desc = "the old version, whole")
    @Outcome(id = "2, 20, 200", expect = Expect.ACCEPTABLE, desc = "the new version, whole")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a mixture")
    @State
    public static class OverDma {
        private final StatusTableStress table = new StatusTableStress(true);

        @Actor
        public void host() {
            table.write();
        }

        @Actor
        public void agent(IJJ_Result r) {
            table.read(r);
        }
    }

    /** On one machine. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "changing: try again")
    @Outcome(id = "1, 10, 100", expect = Expect.ACCEPTABLE, desc = "the old version, whole")
    @Outcome(id = "2, 20, 200", expect = Expect.ACCEPTABLE, desc = "the new version, whole")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a mixture")
    @State
    public static class OnHost {
        private final StatusTableStress table = new StatusTableStress(false);

        @Actor
        public void host() {
            table.write();
        }

        @Actor
        public void agent(IJJ_Result r) {
            table.read(r);
        }
    }
}
