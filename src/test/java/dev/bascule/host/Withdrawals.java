package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.Ledger;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * An agent that stages, takes back and stages again while both ends repeat what they wrote, in a seeded order. What it
 * took back before the host looked must not run, each decision has one outcome, and the slot takes the next one.
 */
final class Withdrawals {
    private static final int CPU = 1;

    private final Rig rig;
    private final AgentEnd agent;
    private final boolean isSure;
    private final String name;
    private final Map<Integer, Outcome> told = new HashMap<>();
    private final Set<Integer> takenBack = new HashSet<>();
    private final Set<Integer> ran = new HashSet<>();
    private int newest;

    /** @param isSure whether what is staged can always be taken back; a promise of the swap cannot */
    Withdrawals(Rig rig, AgentEnd agent, boolean isSure, String name) {
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
            switch (rig.random.nextInt(8)) {
                case 0, 1, 2 -> stage(tasks[newest % tasks.length]); // none twice at a time;
                case 3, 4 -> withdraw();
                case 5 -> {
                    agent.tick();
                    rig.host.tickTransport();
                }
                default -> look();
            }
        }
        for (int step = 0; step < 40; step++) { // the host looks, the agent reads: nothing may be left in between
            look();
            rig.host.tickTransport();
            agent.tick();
            agent.heartbeat();
            outcomes();
        }
        assertThat(told).as("outcomes, %s", name).hasSize(newest);
        goesOn(tasks[newest % tasks.length]);
    }

    private void stage(int task) {
        if (agent.room(CPU) == 0) {
            outcomes();
            return;
        }
        Transaction decision = new Transaction().set(CPU, agent.epoch(), rig.host.sequence(task), task);
        if (agent.stage(CPU, decision)) {
            newest++;
            assertThat(decision.number()).as(name).isEqualTo(newest);
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
        Ledger ledger = rig.hostLedger;
        return IntStream.range(0, ledger.size()).anyMatch(i -> ledger.number(i) == number);
    }

    private void look() {
        rig.host.want(CPU);
        int task = rig.host.decide(CPU);
        if (task != Mechanism.NONE) {
            rig.host.yielded(task, 1);
        }
        rig.host.commit();
        Ledger ledger = rig.hostLedger;
        for (int i = 0; i < ledger.size(); i++) {
            if (ledger.outcome(i) == Outcome.COMPLETE) {
                ran.add(ledger.number(i));
            }
        }
        assertThat(takenBack).as("taken back, %s", name).filteredOn(ran::contains).as("of these ran").isEmpty();
    }

    private void outcomes() {
        agent.outcomes((cpu, number, identity, outcome) -> {
            assertThat(told.put(number, outcome)).as("second outcome of %d, %s", number, name).isNull();
            if (outcome == Outcome.COMPLETE) {
                assertThat(wasTaken(number)).as("decision %d, %s", number, name).isTrue();
            }
        });
    }

    private void goesOn(int task) {
        for (int round = 0; round < 4; round++) {
            rig.host.want(CPU);
            rig.host.commit();
            agent.heartbeat();
        }
        stage(task);
        int started = Mechanism.NONE;
        for (int round = 0; round < 4 && started == Mechanism.NONE; round++) {
            started = TransportConformance.decide(rig, agent, CPU);
        }
        assertThat(started).as("the slot takes the next decision, %s", name).isEqualTo(task);
    }
}
