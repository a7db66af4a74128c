package dev.bascule.wave;

import dev.bascule.agent.Lines;
import dev.bascule.agent.Transaction;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Shared;
import dev.bascule.memory.Window;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;

/**
 * The agent writes decision 2 (task 22) over decision 1 (task 11) while the host reads the slot: the host accepts one of
 * them whole or none, never the number of one with the task or slice of the other.
 */
@JCStressTest
@Outcome(id = "1, 11, 111", expect = Expect.ACCEPTABLE, desc = "the old decision, whole")
@Outcome(id = "2, 22, 222", expect = Expect.ACCEPTABLE, desc = "the new decision, whole")
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "torn, and seen to be")
@Outcome(expect = Expect.FORBIDDEN, desc = "a mixture passed")
@State
public class SlotOverwriteStress {
    private final LinkedMemory memory = new LinkedMemory(Shared.part(64), null, LinkProfile.ZERO);
    private final Window agentWindow = memory.owner();
    private final Window hostWindow = memory.host(MemoryType.WT, 1);
    private final Transaction young = decision(22, 222);
    private final Transaction read = new Transaction();
    private final long[] whole = new long[Lines.WORDS];

    /** Decision 1 lies in the slot. */
    public SlotOverwriteStress() {
        write(1, decision(11, 111));
    }

    private static Transaction decision(int task, long slice) {
        return new Transaction().set(0, 1, task, task).sliceNanos(slice);
    }

    private void write(int number, Transaction decision) {
        SlotLine.write(agentWindow, 0, SlotLine.head(number, 1, SlotLine.DECISION, 0), decision.words(),
                new long[Lines.WORDS]);
    }

    /** Restages. */
    @Actor
    public void agent() {
        write(2, young);
    }

    /** Reads the slot once. */
    @Actor
    public void host(IIJ_Result result) {
        long head = hostWindow.loadAcquire(0);
        if (SlotLine.read(hostWindow, 0, 0, head, read, whole)) {
            result.r1 = read.number();
            result.r2 = read.task();
            result.r3 = read.sliceNanos();
        }
    }
}
