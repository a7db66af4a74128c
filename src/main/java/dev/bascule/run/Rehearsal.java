package dev.bascule.run;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.Session;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.ring.IdleStrategy;

/**
 * Lets an agent decide for a host of its own before it takes over from another: its code is loaded and compiled while the
 * other still works, and a policy that throws in its first rounds is found before anybody depends on it.
 */
public final class Rehearsal {
    private static final EnclaveShape SHAPE = new EnclaveShape(2, 64, 1, 256, 2);
    private static final long NANOS = 300_000_000;
    private static final long SETTLE_NANOS = 2_000_000_000;
    private static final int TASKS = 8;
    private static final int ROUNDS = 200;

    private Rehearsal() {}

    /** Decides for a while, and waits until what that has had compiled is; the policy is not used afterwards. */
    public static void of(String transport, Agent policy) throws InterruptedException {
        decide(transport, policy);
        WarmUp.await(SETTLE_NANOS);
    }

    private static void decide(String transport, Agent policy) {
        try (ScratchFolder folder = Session.newRunDirectory();
                Session session = Transports.open(transport, folder.path(), LinkSetup.DEFAULT, false);
                MechanismEnd end = session.openHost(SHAPE)) {
            Mechanism host = new Mechanism(end, System::nanoTime, DecisionListener.NONE);
            for (int task = 0; task < TASKS; task++) {
                host.create(true, -1, 0, 0);
            }
            Agent again = policy;
            for (long until = System.nanoTime() + NANOS; System.nanoTime() < until;) {
                end.openEpoch(0); // attaching is rehearsed too
                try (AgentEnd agent = session.attach(0)) {
                    AgentLoop loop = new AgentLoop(again, agent, System::nanoTime);
                    int[] rounds = { 0 };
                    loop.run(IdleStrategy.spin(), () -> {
                        play(host, end);
                        return ++rounds[0] > ROUNDS;
                    });
                    again = loop.agent();
                }
            }
        }
    }

    /** Every CPU takes what was decided for it, and the task that it ran before comes back at once. */
    private static void play(Mechanism host, MechanismEnd end) {
        for (int cpu = 0; cpu < SHAPE.cpus(); cpu++) {
            int ran = host.current(cpu);
            if (ran != Mechanism.NONE) {
                host.blocked(ran, 1_000);
                host.wakeup(ran, 0);
            }
            host.want(cpu);
            host.decide(cpu);
        }
        end.isReady(0);
        end.hasLeft(0);
        host.commit();
    }
}
