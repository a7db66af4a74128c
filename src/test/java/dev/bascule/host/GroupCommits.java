package dev.bascule.host;

import static dev.bascule.host.TransportConformance.ask;
import static dev.bascule.host.TransportConformance.decide;
import static dev.bascule.host.TransportConformance.decision;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Transaction;

/** Groups with a member on a CPU that is busy, over any transport; Groups.tla explores the same rules. */
final class GroupCommits {
    private GroupCommits() {}

    /** The CPU runs another task. */
    static void promiseToABusyCpu(Rig rig, AgentEnd agent) {
        int first = start(rig, agent);
        int here = rig.host.create(true, -1, 0, 0);
        int there = rig.host.create(true, -1, 0, 0);
        assertThat(commit(rig, agent, decision(agent, 0, there, rig.host.sequence(there)), here)).isEqualTo(here);
        assertThat(rig.host.runnableCount()).isZero();
        assertThat(rig.host.isWorkWaiting(0)).as("the busy CPU has the other member to run").isTrue();
        assertThat(rig.host.decideLocally(2)).isEqualTo(Mechanism.NONE);
        rig.host.blocked(first, 1);
        assertThat(rig.host.decide(0)).isEqualTo(there);
        rig.host.blocked(there, 1);
    }

    /** The CPU runs the member itself: promised as well, it could be taken off, started elsewhere, and then here again. */
    static void memberThatRunsAlready(Rig rig, AgentEnd agent) {
        int running = start(rig, agent);
        int here = rig.host.create(true, -1, 0, 0);
        Transaction stays = decision(agent, 0, running, rig.host.sequence(running))
                .commitFlags(Transaction.AT_SCHEDULE | Transaction.ALLOW_ONCPU);
        if (commit(rig, agent, stays, here) == Mechanism.NONE) { // the swap: what runs is not the agent's to promise
            assertThat(rig.host.decideLocally(1)).isEqualTo(here);
        }
        assertThat(rig.host.current(0)).isEqualTo(running);
        rig.host.preempted(running, 1);
        assertThat(rig.host.decideLocally(2)).isEqualTo(running);
        assertThat(rig.host.decide(0)).as("it runs on CPU 2 now").isEqualTo(Mechanism.NONE);
        assertThat(rig.host.current(2)).isEqualTo(running);
    }

    private static int start(Rig rig, AgentEnd agent) {
        int task = rig.host.create(true, -1, 0, 0);
        ask(rig, agent, 0);
        agent.stage(0, decision(agent, 0, task, rig.host.sequence(task)));
        agent.commit();
        assertThat(decide(rig, agent, 0)).isEqualTo(task);
        return task;
    }

    /** A group of two: {@code member} of CPU 0, which is busy, and {@code here} on CPU 1, which is free; what that one runs. */
    private static int commit(Rig rig, AgentEnd agent, Transaction member, int here) {
        ask(rig, agent, 0);
        ask(rig, agent, 1);
        agent.stage(0, member.group(5, 2));
        agent.stage(1, decision(agent, 1, here, rig.host.sequence(here)).group(5, 2));
        agent.commit();
        return decide(rig, agent, 1);
    }
}
