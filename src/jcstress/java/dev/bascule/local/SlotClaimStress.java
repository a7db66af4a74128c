package dev.bascule.local;

import dev.bascule.agent.Transaction;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Shared;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;

/** The host takes a decision while the agent withdraws it: one of the two wins, and the host reads it whole. */
@JCStressTest
@Outcome(id = "1, 0, 77", expect = Expect.ACCEPTABLE, desc = "the host took it, whole")
@Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "the agent withdrew it")
@Outcome(expect = Expect.FORBIDDEN, desc = "both won, or none did")
@State
public class SlotClaimStress {
    private static final int LINE = 64;
    private final PinnedMemory memory = Shared.part(128);
    private final PinnedWindow hostWindow = new PinnedWindow(memory);
    private final PinnedWindow agentWindow = new PinnedWindow(memory);
    private final Transaction taken = new Transaction();

    /** Decision 1 of epoch 1 lies in the slot. */
    public SlotClaimStress() {
        Transaction decision = new Transaction().set(0, 1, 5, 3).sliceNanos(77);
        decision.slot(0, 1, 0);
        Slot.publish(agentWindow, LINE, decision.number(), decision.words(), 1);
    }

    /** Takes it. */
    @Actor
    public void host(IIJ_Result result) {
        if (Slot.is(hostWindow.loadAcquire(LINE), 1, 1, Slot.READY) && Slot.claim(hostWindow, 0, 1, 1)) {
            Slot.read(hostWindow, LINE, 0, 1, taken);
            result.r1 = 1;
            result.r3 = taken.sliceNanos();
        }
    }

    /** Takes it back. */
    @Actor
    public void agent(IIJ_Result result) {
        result.r2 = Slot.withdraw(agentWindow, 0, 1, 1) ? 1 : 0;
    }
}
