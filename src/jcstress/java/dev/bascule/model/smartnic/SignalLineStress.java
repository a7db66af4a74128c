package dev.bascule.model.smartnic;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A receiver falls asleep while an interrupt is raised: it sees the raise, or the sender sees that it sleeps. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "seen in time")
@Outcome(id = { "0, 1", "1, 1" }, expect = Expect.ACCEPTABLE, desc = "woken")
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "asleep, and nobody wakes it")
@State
public class SignalLineStress {
    private final PinnedMemory memory = Shared.part(64);
    private final SignalLine receiver = new SignalLine(memory.segment());
    private final SignalLine sender = new SignalLine(memory.segment());

    /** Says that it sleeps, and looks a last time. */
    @Actor
    public void sleep(II_Result r) {
        receiver.sleep();
        r.r1 = receiver.raised() == 0 ? 1 : 0;
    }

    /** Raises. */
    @Actor
    public void raise(II_Result r) {
        r.r2 = sender.raise(1, 7, 0) ? 1 : 0;
    }
}
