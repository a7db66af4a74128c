package dev.bascule.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** CPUs that go and come back, step by step. */
final class HotPlug {
    private HotPlug() {}

    /**
     * Decisions that are staged for a CPU that goes come back to the agent, and the CPU works again when it is back.
     */
    static void awayAndBack(TransportRig rig, AgentEnd agent, boolean isUnplugged) {
        Mechanism host = rig.host();
        int task = host.create(true, -1, 0, 0);
        rig.ask(agent, 1);
        assertTrue(agent.stage(1, TransportRig.decision(agent, 1, task, host.sequence(task))));
        agent.commit();
        if (isUnplugged) {
            host.cpuOffline(1);
        } else {
            host.cpuBusy(1);
        }
        assertFalse(host.isAvailable(1));
        assertEquals(Mechanism.NONE, rig.decide(agent, 1));
        assertEquals(Mechanism.NONE, host.decideLocally(1), "nor does the host run anything there");
        host.commit();
        List<Outcome> outcomes = new ArrayList<>();
        agent.outcomes((cpu, number, identity, outcome) -> outcomes.add(outcome));
        assertEquals(List.of(isUnplugged ? Outcome.CPU_OFFLINE : Outcome.CPU_UNAVAIL), outcomes);
        assertEquals(List.of(MessageType.TASK_NEW, MessageType.CPU_BUSY), messages(agent));
        host.cpuOnline(1);
        host.cpuAvailable(1);
        host.commit();
        assertEquals(List.of(MessageType.CPU_AVAILABLE), messages(agent), "told once");
        rig.ask(agent, 1);
        assertTrue(agent.stage(1, TransportRig.decision(agent, 1, task, host.sequence(task))));
        agent.commit();
        assertEquals(task, rig.decide(agent, 1));
    }

    /** A member of a group has its CPU already, which goes, or may not run the task any more, before it has looked. */
    static void promiseTakenBack(TransportRig rig, AgentEnd agent, boolean isBound) {
        Mechanism host = rig.host();
        int[] tasks = { host.create(true, -1, 0, 0), host.create(true, -1, 0, 0) };
        for (int cpu = 0; cpu < tasks.length; cpu++) {
            rig.ask(agent, cpu);
        }
        for (int cpu = 0; cpu < tasks.length; cpu++) {
            assertTrue(agent.stage(cpu, TransportRig.decision(agent, cpu, tasks[cpu], host.sequence(tasks[cpu]))
                    .group(7, tasks.length)));
        }
        agent.commit();
        assertEquals(tasks[0], rig.decide(agent, 0), "the group is whole, and CPU 1 has not looked yet");
        if (isBound) {
            host.setAffinity(tasks[1], 0b01);
        } else {
            host.cpuOffline(1);
        }
        host.commit();
        assertEquals(MessageType.TASK_PREEMPT, messages(agent).getLast());
        assertEquals(Mechanism.NONE, host.decide(1));
        host.blocked(tasks[0], 1);
        assertEquals(tasks[1], host.decideLocally(0), "it can run elsewhere");
    }

    private static List<@Nullable MessageType> messages(AgentEnd agent) {
        List<@Nullable MessageType> types = new ArrayList<>();
        Message message = new Message();
        while (agent.peek(message)) {
            types.add(message.type());
            agent.consume();
        }
        return types;
    }
}
