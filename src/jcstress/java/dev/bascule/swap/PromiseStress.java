package dev.bascule.swap;

import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.ring.Clock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;

/**
 * The agent promises a decision, which lies in a line behind its own, while the host looks twice, the second time over a
 * copy that it fetched early: it takes the decision whole, or not yet.
 */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "1, 5, 77", expect = Expect.ACCEPTABLE, desc = "taken, whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "taken, and another decision than the one promised")
@State
public class PromiseStress {
    private final CellMemory memory = new CellMemory();
    private final LineHostExchange host;
    private final LineAgentExchange agent = new LineAgentExchange(CellMemory.CELL, 1, memory.agent(),
            new BatchArea(memory.decisionOut()), SwapMode.SWAP1, 1);
    private final Transaction taken = new Transaction();

    /** The host has asked, the agent has decided. */
    public PromiseStress() {
        BatchArea area = new BatchArea(memory.decisionIn());
        Line in = memory.agentIn();
        HostCell cell = HostCell.create(CellMemory.CELL, 1, 1, memory.hostOut(), new Line[] { in, in },
                memory.record(), SwapOptions.PATIENT, SwapLedger.OFF);
        host = new LineHostExchange(CellMemory.CELL, 0, cell, new Line[] { in, in }, new BatchArea[] { area, area },
                SwapOptions.DEFAULT, new TransportCounters(), Clock.system());
        host.fence(1);
        host.want();
        agent.stage(new Transaction().set(CellMemory.CELL, 1, 9, 5).sliceNanos(77));
        agent.commit();
    }

    /** Promises. */
    @Actor
    public void promise() {
        agent.turn();
    }

    /** Looks twice. */
    @Actor
    public void look(IIJ_Result r) {
        if (host.poll(taken) || host.poll(taken)) {
            r.r1 = 1;
            r.r2 = taken.task();
            r.r3 = taken.sliceNanos();
        }
    }
}
