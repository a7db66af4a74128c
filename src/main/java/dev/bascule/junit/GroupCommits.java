package dev.bascule.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Groups with a member on a CPU that is busy, over any transport; Groups.tla explores the same rules. */
final class GroupCommits {
    private GroupCommits() {}

    /** A group of so many members, of which one may be stale: number {@code broken}, or -1. */
    static void wholeOrNotAtAll(TransportRig rig, AgentEnd agent, int members, int broken) {
        for (int cpu = 0; cpu < members; cpu++) {
            rig.ask(agent, cpu);
            int task = rig.host().create(true, -1, 0, 0);
            int sequence = rig.host().sequence(task) + (cpu == broken ? 1 : 0);
            agent.stage(cpu, TransportRig.decision(agent, cpu, task, sequence).group(77, members));
        }
        agent.commit();
        int started = 0;
        for (int cpu = 0; cpu < members; cpu++) {
            started += rig.host().decide(cpu) == Mechanism.NONE ? 0 : 1;
        }
        assertEquals(broken < 0 ? members : 0, started,
                () -> String.format("%d members, number %d broken", members, broken));
        rig.host().commit();
        List<Outcome> outcomes = new ArrayList<>();
        agent.outcomes((cpu, number, identity, outcome) -> outcomes.add(outcome));
        assertEquals(members, outcomes.size());
        if (broken >= 0) {
            assertEquals(1, Collections.frequency(outcomes, Outcome.TARGET_STALE));
            assertFalse(outcomes.contains(Outcome.COMPLETE), outcomes::toString);
        }
    }

    /** The CPU runs another task. */
    static void promiseToABusyCpu(TransportRig rig, AgentEnd agent) {
        int first = start(rig, agent);
        int here = rig.host().create(true, -1, 0, 0);
        int there = rig.host().create(true, -1, 0, 0);
        assertEquals(here,
                commit(rig, agent, TransportRig.decision(agent, 0, there, rig.host().sequence(there)), here));
        assertEquals(0, rig.host().runnableCount());
        assertTrue(rig.host().isWorkWaiting(0), "the busy CPU has the other member to run");
        assertEquals(Mechanism.NONE, rig.host().decideLocally(2));
        rig.host().blocked(first, 1);
        assertEquals(there, rig.host().decide(0));
        rig.host().blocked(there, 1);
    }

    /** The CPU runs the member itself: promised as well, it could be taken off, started elsewhere, and then here again. */
    static void memberThatRunsAlready(TransportRig rig, AgentEnd agent) {
        int running = start(rig, agent);
        int here = rig.host().create(true, -1, 0, 0);
        Transaction stays = TransportRig.decision(agent, 0, running, rig.host().sequence(running))
                .commitFlags(Transaction.AT_SCHEDULE | Transaction.ALLOW_ONCPU);
        if (commit(rig, agent, stays, here) == Mechanism.NONE) { // the swap: what runs is not the agent's to promise
            assertEquals(here, rig.host().decideLocally(1));
        }
        assertEquals(running, rig.host().current(0));
        rig.host().preempted(running, 1);
        assertEquals(running, rig.host().decideLocally(2));
        assertEquals(Mechanism.NONE, rig.host().decide(0), "it runs on CPU 2 now");
        assertEquals(running, rig.host().current(2));
    }

    private static int start(TransportRig rig, AgentEnd agent) {
        int task = rig.host().create(true, -1, 0, 0);
        rig.ask(agent, 0);
        agent.stage(0, TransportRig.decision(agent, 0, task, rig.host().sequence(task)));
        agent.commit();
        assertEquals(task, rig.decide(agent, 0));
        return task;
    }

    /** A group of two: {@code member} of CPU 0, which is busy, and {@code here} on CPU 1, which is free; what that one runs. */
    private static int commit(TransportRig rig, AgentEnd agent, Transaction member, int here) {
        rig.ask(agent, 0);
        rig.ask(agent, 1);
        agent.stage(0, member.group(5, 2));
        agent.stage(1, TransportRig.decision(agent, 1, here, rig.host().sequence(here)).group(5, 2));
        agent.commit();
        return rig.decide(agent, 1);
    }
}
