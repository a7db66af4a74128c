package dev.bascule.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.host.Session;
import dev.bascule.policy.FifoAgent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Several agents in one enclave, over any transport: each with its own CPUs, tasks, channel and epochs. */
final class SeveralAgents {
    private static final EnclaveShape FOUR_ON_EIGHT = new EnclaveShape(8, 24, 4, 64, 2);
    /** Of CPUs 0 and 2, and of CPU 1. */
    private static final EnclaveShape TWO_ON_THREE = new EnclaveShape(3, 8, 2, 64, 2);

    private static final long PATIENCE_NANOS = 30_000_000_000L;

    private SeveralAgents() {}

    /** Makes a rig. */
    interface Rigs {
        TransportRig rig(EnclaveShape shape, long seed) throws IOException;
    }

    static void writeNothingWithoutAPlace(Rigs rigs, Path directory) throws IOException {
        for (int agents : new int[] { 1, 3 }) {
            try (TransportRig rig = rigs.rig(new EnclaveShape(3, 12, agents, 64, 2), 1)) {
                Map<Path, ByteBuffer> before = Regions.contents(directory);
                for (int number : new int[] { -1, agents, agents + 2, Integer.MAX_VALUE }) {
                    TransportConformance.refused("this region is for " + agents, () -> rig.session().attach(number));
                }
                assertEquals(before, Regions.contents(directory), "what lies in the region");
            }
        }
    }

    static void learnThatTheirHostHasGone(Supplier<Session> open) {
        Session host = open.get();
        MechanismEnd end = host.openHost(new EnclaveShape(4, 12, 4, 64, 2));
        try (Session process = open.get()) {
            List<AgentEnd> agents = new ArrayList<>();
            for (int agent = 0; agent < 4; agent++) {
                agents.add(process.attach(agent));
                assertFalse(agents.getLast().isFenced());
            }
            end.close();
            host.close();
            for (AgentEnd agent : agents.reversed()) { // the last first
                long started = System.nanoTime();
                while (!agent.isFenced()) {
                    assertTrue(System.nanoTime() - started < PATIENCE_NANOS, "an agent that goes on without its host");
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static List<TransportRig.Attached> attachAll(TransportRig rig) {
        List<TransportRig.Attached> agents = new ArrayList<>();
        for (int agent = 0; agent < rig.shape().agents(); agent++) {
            agents.add(rig.attach(agent, new FifoAgent()));
        }
        return agents;
    }

    static void schedule(Rigs rigs, int seeds) throws IOException {
        for (long seed = 0; seed < seeds; seed++) {
            try (TransportRig rig = rigs.rig(FOUR_ON_EIGHT, seed)) {
                List<TransportRig.Attached> agents = attachAll(rig);
                rig.run(agents, 800);
                rig.drain(agents);
                rig.checkLedgers();
            }
        }
    }

    static void oneCrashes(Rigs rigs, int seeds) throws IOException {
        for (int step = 0; step < 2 * seeds; step++) {
            try (TransportRig rig = rigs.rig(FOUR_ON_EIGHT, step)) {
                List<TransportRig.Attached> agents = attachAll(rig);
                int victim = step % FOUR_ON_EIGHT.agents();
                agents.get(victim).crashAfter(step);
                rig.run(agents, 300);
                int epoch = rig.host().fence(victim);
                for (TransportRig.Attached agent : agents) {
                    boolean isVictim = agent.end().agent() == victim;
                    assertEquals(isVictim, agent.end().isFenced(), "agent " + agent.end().agent() + ", step " + step);
                    assertEquals(isVictim ? epoch : epoch - 1, rig.end().epoch(agent.end().agent()));
                }
                agents.set(victim, rig.attach(victim, new FifoAgent()));
                rig.run(agents, 200);
                rig.drain(agents);
                rig.checkLedgers();
            }
        }
    }

    static void associate(Rigs rigs) throws IOException {
        for (Outcome wanted : List.of(Outcome.COMPLETE, Outcome.TARGET_STALE, Outcome.TARGET_NOT_FOUND,
                Outcome.INVALID_TARGET, Outcome.NOT_PERMITTED, Outcome.INVALID_FLAGS)) {
            try (TransportRig rig = rigs.rig(TWO_ON_THREE, 1);
                    AgentEnd first = rig.session().attach(0);
                    AgentEnd second = rig.session().attach(1)) {
                associate(wanted, rig, first, second);
            }
        }
    }

    /** CPUs go and come, and with them the agent that has one for a task. */
    static void homes(Rigs rigs) throws IOException {
        try (TransportRig rig = rigs.rig(TWO_ON_THREE, 1)) {
            Mechanism host = rig.host();
            int bound = host.create(true, 0b011, 0, 0);
            int lost = host.create(true, -1, 0, 0);
            assertEquals(0, host.agentOf(bound));
            assertEquals(1, host.agentOf(lost));
            host.cpuBusy(0);
            assertEquals(1, host.agentOf(bound), "CPU 2, which its agent still has, is none that it may use");
            host.setAffinity(lost, 0b001);
            assertEquals(1, host.agentOf(lost), "nobody has a CPU for it now");
            assertEquals(bound, host.decideLocally(1));
            host.blocked(bound, 1);
            host.cpuAvailable(0);
            assertEquals(0, host.agentOf(lost));
            assertEquals(0, host.agentOf(bound), "where its number says");
            assertEquals(lost, host.decideLocally(0));
        }
    }

    private static void associate(Outcome wanted, TransportRig rig, AgentEnd first, AgentEnd second) {
        Mechanism host = rig.host();
        int task = host.create(true, wanted == Outcome.NOT_PERMITTED ? 0b101 : -1, 3, 5);
        host.commit();
        assertEquals(0, host.agentOf(task));
        assertEquals(MessageType.TASK_NEW, Regions.next(first).type());
        int sequence = host.sequence(task);
        rig.ask(first, 0);
        if (wanted == Outcome.TARGET_STALE) {
            host.setPriority(task, 4);
        } else if (wanted == Outcome.TARGET_NOT_FOUND) {
            host.killed(task);
            sequence = host.sequence(task);
        }
        var decision = TransportRig.decision(first, 0, task, sequence)
                .associate(wanted == Outcome.INVALID_TARGET ? 2 : 1);
        first.stage(0, wanted == Outcome.INVALID_FLAGS
                ? decision.runFlags(Transaction.RUN_ASSOCIATE | Transaction.RUN_SEND_ON_CPU)
                : decision);
        first.commit();
        assertEquals(Mechanism.NONE, rig.decide(first, 0), "nothing runs for it");
        host.commit();
        List<Outcome> told = new ArrayList<>();
        first.outcomes((cpu, number, identity, outcome) -> told.add(outcome));
        assertEquals(List.of(wanted), told);
        assertEquals(wanted == Outcome.COMPLETE ? 1 : 0, host.agentOf(task));
        if (wanted == Outcome.COMPLETE) {
            isMoved(rig, task, sequence, first, second);
        } else {
            assertFalse(second.peek(new Message()), "nobody came");
        }
    }

    private static void isMoved(TransportRig rig, int task, int sequence, AgentEnd first, AgentEnd second) {
        Message gone = Regions.next(first);
        assertEquals(MessageType.TASK_DEPARTED, gone.type());
        assertFalse(gone.leavesRunnable());
        Message come = Regions.next(second);
        assertEquals(MessageType.TASK_NEW, come.type());
        assertEquals(3, come.nice());
        assertEquals(5, come.taskClass());
        assertEquals(true, come.leavesRunnable());
        assertEquals(Mechanism.NONE, rig.host().decideLocally(2), "it is none of this CPU's agent");
        rig.ask(first, 2);
        first.stage(2, TransportRig.decision(first, 2, task, sequence)); // as it last knew it
        first.commit();
        assertEquals(Mechanism.NONE, rig.decide(first, 2), "decided before it went: stale");
        rig.ask(second, 1);
        second.stage(1, TransportRig.decision(second, 1, task, come.sequence()));
        second.commit();
        assertEquals(task, rig.decide(second, 1));
        rig.host().blocked(task, 1);
        rig.host().commit();
        assertFalse(first.peek(new Message()), "later messages go to the other");
        assertEquals(MessageType.TASK_BLOCKED, Regions.next(second).type());
    }
}
