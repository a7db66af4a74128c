package dev.bascule.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.DecisionLedger;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * An agent that stages, takes back and stages again while both ends repeat what they wrote, in a seeded order. What it
 * took back before the host looked must not run, each decision has one outcome, and the slot takes the next one.
 */
final class Withdrawals {
    private static final int CPU = 1;

    private final TransportRig rig;
    private final AgentEnd agent;
    private final boolean isSure;
    private final String name;
    private final Map<Integer, Outcome> told = new HashMap<>();
    private final Set<Integer> takenBack = new HashSet<>();
    private final Set<Integer> ran = new HashSet<>();
    private int newest;

    /** @param isSure whether what is staged can always be taken back; a promise of the swap cannot */
    Withdrawals(TransportRig rig, AgentEnd agent, boolean isSure, String name) {
        this.rig = rig;
        this.agent = agent;
        this.isSure = isSure;
        this.name = name;
    }

    void run() {
        int[] tasks = new int[16];
        for (int i = 0; i < tasks.length; i++) {
            tasks[i] = rig.create(true);
        }
        for (int step = 0; step < 200; step++) {
            switch (rig.random().nextInt(8)) {
                case 0, 1, 2 -> stage(tasks[newest % tasks.length]); // none twice at a time;
                case 3, 4 -> withdraw();
                case 5 -> {
                    agent.tick();
                    rig.host().tickTransport();
                }
                default -> look();
            }
        }
        for (int step = 0; step < 40; step++) { // the host looks, the agent reads: nothing may be left in between
            look();
            rig.host().tickTransport();
            agent.tick();
            agent.heartbeat();
            outcomes();
        }
        assertEquals(newest, told.size(), "outcomes, " + name);
        goesOn(tasks[newest % tasks.length]);
    }

    private void stage(int task) {
        if (agent.room(CPU) == 0) {
            outcomes();
            return;
        }
        Transaction decision = new Transaction().set(CPU, agent.epoch(), rig.host().sequence(task), task);
        if (agent.stage(CPU, decision)) {
            newest++;
            assertEquals(newest, decision.number(), name);
            agent.commit();
        }
    }

    private void withdraw() {
        boolean hostLooked = wasTaken(newest);
        if (newest > 0 && agent.withdraw(CPU) && !hostLooked && isSure) {
            takenBack.add(newest);
        }
    }

    private boolean wasTaken(int number) {
        DecisionLedger ledger = rig.hostLedger();
        return IntStream.range(0, ledger.size()).anyMatch(i -> ledger.number(i) == number);
    }

    private void look() {
        rig.host().want(CPU);
        int task = rig.host().decide(CPU);
        if (task != Mechanism.NONE) {
            rig.host().yielded(task, 1);
        }
        rig.host().commit();
        DecisionLedger ledger = rig.hostLedger();
        for (int i = 0; i < ledger.size(); i++) {
            if (ledger.outcome(i) == Outcome.COMPLETE) {
                ran.add(ledger.number(i));
            }
        }
        assertEquals(List.of(), takenBack.stream().filter(ran::contains).toList(), "taken back, and ran, " + name);
    }

    private void outcomes() {
        agent.outcomes((cpu, number, identity, outcome) -> {
            assertNull(told.put(number, outcome), () -> String.format("second outcome of %d, %s", number, name));
            if (outcome == Outcome.COMPLETE) {
                assertTrue(wasTaken(number), () -> String.format("decision %d, %s", number, name));
            }
        });
    }

    private void goesOn(int task) {
        for (int round = 0; round < 4; round++) {
            rig.host().want(CPU);
            rig.host().commit();
            agent.heartbeat();
        }
        stage(task);
        int started = Mechanism.NONE;
        for (int round = 0; round < 4 && started == Mechanism.NONE; round++) {
            started = rig.decide(agent, CPU);
        }
        assertEquals(task, started, () -> String.format("the slot takes the next decision, %s", name));
    }
}
