package dev.bascule.junit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.host.Session;

/** An agent that stages the next stale decision as soon as the host has settled the last: as a fast one beside it would. */
final class RestlessAgent {
    private static final int MOST = 20_000;

    private RestlessAgent() {}

    static void stagesBesideTheHost(Session session, EnclaveShape shape) {
        int[] looks = new int[1];
        Runnable[] stages = new Runnable[1];
        try (MechanismEnd end = session.openHost(shape)) {
            Mechanism host = new Mechanism(end, System::nanoTime, (decision, outcome, now) -> {
                if (looks[0]++ < MOST) {
                    stages[0].run();
                }
            });
            int task = host.create(true, -1, 0, 0);
            host.commit();
            try (AgentEnd agent = session.attach(0)) {
                stages[0] = () -> {
                    host.commit();
                    agent.outcomes((cpu, number, identity, outcome) -> {});
                    while (agent.room(0) > 0 && agent.stage(0,
                            TransportRig.decision(agent, 0, task, host.sequence(task) + 1))) {
                        agent.commit();
                    }
                };
                host.want(0);
                stages[0].run();
                host.decide(0);
                assertTrue(looks[0] <= 64, () -> looks[0] + " decisions settled in one call, " + shape);
                host.isPreemptionWanted(0);
                assertTrue(looks[0] >= 1 && looks[0] <= 128,
                        () -> looks[0] + " settled, those at a yield point among them");
            }
        }
    }
}
