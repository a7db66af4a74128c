package dev.bascule.swap;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** J3: the dispatcher commits while the timer reverses; exactly one of them wins, and the record says which. */
@JCStressTest
@Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "committed")
@Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "reversed")
@Outcome(expect = Expect.FORBIDDEN, desc = "both, neither, or a record that disagrees")
@State
public class CommitReverseStress {
    private static final long A = Token.of(1, 0);
    private static final long B = Token.of(2, 0);

    private final CellMemory memory = new CellMemory();
    private final HostCell host = memory.host();

    public CommitReverseStress() {
        host.admit(A);
        host.offer(A, 0, Token.NONE, 0, 0);
        AgentCell agent = memory.agent();
        agent.poll();
        agent.reflect(B, 0, 0);
    }

    @Actor
    public void dispatcher(III_Result r) {
        r.r1 = (host.poll(0) & SwapAction.COMMITTED) != 0 ? 1 : 0;
    }

    @Actor
    public void timer(III_Result r) {
        r.r2 = (host.reverse() & SwapAction.REVERSED) != 0 ? 1 : 0;
    }

    @Arbiter
    public void record(III_Result r) {
        HostState found = new HostState(CellMemory.CELL);
        memory.record().load(found);
        r.r3 = found.last == 1 && found.holds(B) && !found.holds(A) ? 1 : found.last == 0 && found.holds(A) ? 0 : 2;
    }
}
