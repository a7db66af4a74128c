package dev.bascule.study.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.Session;
import dev.bascule.local.LocalProtocol;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.swap.SwapMode;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SoloFiguresTest {
    @Test
    void whatWasRefusedOrNeverTakenWasMadeInVainAndWhatRanWasNot() {
        SoloFigures figures = new SoloFigures(new long[4]);
        for (Outcome outcome : Outcome.values()) {
            figures.settled(new Transaction().set(0, 1, 1, 2), outcome, 10);
        }
        figures.reversed = 50; // offers, of which 20 had been answered
        figures.skipped = 20;
        assertThat(figures.committed()).isEqualTo(1);
        assertThat(figures.stale() + figures.refusedOtherwise()).isEqualTo(Outcome.values().length - 1);
        assertThat(figures.wasted()).isEqualTo(Outcome.values().length - 1 + 20);
    }

    @Test
    void aPauseOfTheHostIsInItsUsersWaitAndNotHeldAgainstTheAgent() {
        CpuWaits waits = new CpuWaits(2);
        waits.freeAll(1_000);
        waits.paused(300_000);
        assertThat(waits.waited(1, 302_000)).isEqualTo(301_000);
        assertThat(waits.held(1, 302_000)).isEqualTo(1_000);
        waits.free(1, 302_000);
        assertThat(waits.held(1, 303_000)).isEqualTo(1_000);
        assertThat(waits.held(0, 303_000)).isEqualTo(2_000);
    }

    @Test
    void pausesOfTheHostAreCountedWithTheLongest() {
        SoloFigures figures = new SoloFigures(new long[1]);
        figures.paused(200_000);
        figures.paused(700_000);
        figures.paused(300_000);
        assertThat(figures.ownPauses).isEqualTo(3);
        assertThat(figures.longestOwnPauseMicros()).isEqualTo(700);
    }

    @ParameterizedTest
    @ValueSource(strings = { LocalProtocol.NAME, WaveProtocol.NAME, "swap0", "swap1", "swap-end", "one-word" })
    void decisionsThatTheHostNeverTookAreCountedAlikeOverEveryTransport(String transport) {
        try (ScratchFolder folder = Session.newRunDirectory();
                Session session = session(transport, folder.path())) {
            SoloFigures figures = new SoloFigures(new long[4]);
            DecisionNumbers numbers = new DecisionNumbers(1);
            MechanismEnd end = session.openHost(new EnclaveShape(1, 4, 1, 64, 1));
            Mechanism host = new Mechanism(end, System::nanoTime, (decision, outcome, nanos) -> {
                figures.settled(decision, outcome, nanos);
                figures.skipped += numbers.skippedBefore(decision);
            });
            int task = host.create(true, -1, 0, 0);
            host.commit();
            try (AgentEnd agent = session.attach(0)) {
                agent.ready();
                assertThat(end.isReady(0)).isTrue();
                int vain = 0;
                for (int round = 0; round < 40; round++) {
                    host.want(0);
                    host.commit();
                    stage(agent, host, task);
                    boolean inVain = round % 4 == 1;
                    if (inVain) { // taken back by whoever can: the agent, or the host with its offer
                        agent.withdraw(0);
                        end.abandon(0);
                        vain++;
                    }
                    int ran = look(agent, host);
                    assertThat(ran).as("round %d", round).isEqualTo(inVain ? Mechanism.NONE : task);
                    if (ran != Mechanism.NONE) {
                        host.yielded(task, 1);
                    }
                    host.commit();
                }
                assertThat(figures.committed()).isEqualTo(40 - vain);
                assertThat(figures.skipped).isEqualTo(vain);
                assertThat(figures.wasted()).isEqualTo(vain);
            }
            end.close();
        }
    }

    private static Session session(String name, Path folder) {
        return switch (name) {
            case LocalProtocol.NAME -> Session.onHost(folder, false);
            case WaveProtocol.NAME -> Session.wave(folder, LinkSetup.DEFAULT, false);
            default -> Session.swap(folder, LinkSetup.DEFAULT.withMode(SwapMode.of(name)), false);
        };
    }

    private static void stage(AgentEnd agent, Mechanism host, int task) {
        for (int tries = 0; tries < 100; tries++) {
            agent.heartbeat();
            agent.outcomes((cpu, number, identity, outcome) -> {});
            Transaction decision = new Transaction().set(0, agent.epoch(), host.sequence(task), task);
            if (agent.room(0) > 0 && agent.stage(0, decision)) {
                agent.commit();
                agent.heartbeat();
                return;
            }
            host.want(0);
            host.commit();
        }
        throw new AssertionError("no room for a decision");
    }

    private static int look(AgentEnd agent, Mechanism host) {
        for (int tries = 0; tries < 4; tries++) {
            int task = host.decide(0);
            if (task != Mechanism.NONE) {
                return task;
            }
            agent.heartbeat();
        }
        return Mechanism.NONE;
    }
}
