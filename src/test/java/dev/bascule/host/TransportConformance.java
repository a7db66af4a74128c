package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Ledger;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.policy.FifoAgent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every transport must do, whatever it is made of. Single-threaded, seeded; seeds are in every message. */
abstract class TransportConformance {
    static final EnclaveShape SHAPE = new EnclaveShape(3, 12, 1, 64, 2);

    @TempDir
    Path directory;

    /** How many random worlds each test looks at. */
    int seeds() {
        return 60;
    }

    /** A fresh session in the directory. */
    abstract TransportSession open(Path where);

    /** Decisions that may be staged for a CPU that has asked; fewer with late binding. */
    int roomWhenAsked() {
        return SHAPE.staged();
    }

    /** Whether an agent can take back what it has committed. */
    boolean canWithdraw() {
        return true;
    }

    /** The CPU asks and finds nothing, and the agent notices: a transport may let it decide only then. */
    static void ask(Rig rig, AgentEnd agent, int cpu) {
        want(rig, agent, cpu);
        if (rig.host.current(cpu) == Mechanism.NONE) {
            assertThat(rig.host.decide(cpu)).isEqualTo(Mechanism.NONE);
        } else {
            assertThat(rig.host.isPreemptionWanted(cpu)).isFalse();
        }
    }

    private static void want(Rig rig, AgentEnd agent, int cpu) {
        rig.host.want(cpu);
        rig.host.commit();
        agent.heartbeat();
    }

    /** The CPU's next decision, if there is one: a transport may need the agent's look before it hands it over. */
    static int decide(Rig rig, AgentEnd agent, int cpu) {
        for (int round = 0; round < 4; round++) {
            int task = rig.host.decide(cpu);
            if (task != Mechanism.NONE) {
                return task;
            }
            want(rig, agent, cpu);
        }
        return Mechanism.NONE;
    }

    private Rig rig(EnclaveShape shape, long seed) throws java.io.IOException {
        return new Rig(open(java.nio.file.Files.createTempDirectory(directory, "rig")), shape, seed);
    }

    // ---- order, exactly once, staleness ------------------------------------------------------------------------

    @Test
    void messagesArriveWholeAndInOrder() throws Exception {
        try (Rig rig = rig(SHAPE, 1); AgentEnd agent = rig.session.attach(0)) {
            int task = rig.host.create(false, 0x55, -3, 7);
            rig.host.wakeup(task, 123_456);
            rig.host.setAffinity(task, 0x2a);
            rig.host.setPriority(task, 11);
            rig.host.tick(2);
            rig.host.commit();
            Message message = Regions.next(agent);
            assertThat(message.type()).isEqualTo(MessageType.TASK_NEW);
            assertThat(message.affinity()).isEqualTo(0x55);
            assertThat(message.nice()).isEqualTo(-3);
            assertThat(message.taskClass()).isEqualTo(7);
            assertThat(message.leavesRunnable()).isFalse();
            message = Regions.next(agent);
            assertThat(message.type()).isEqualTo(MessageType.TASK_WAKEUP);
            assertThat(message.deadlineNanos()).isEqualTo(123_456);
            assertThat(message.leavesRunnable()).isTrue();
            assertThat(Regions.next(agent).affinity()).isEqualTo(0x2a);
            message = Regions.next(agent);
            assertThat(message.type()).isEqualTo(MessageType.TASK_PRIORITY_CHANGED);
            assertThat(message.sequence()).isEqualTo(4);
            assertThat(message.nice()).isEqualTo(11);
            message = Regions.next(agent);
            assertThat(message.type()).isEqualTo(MessageType.CPU_TICK);
            assertThat(message.cpu()).isEqualTo(2);
            assertThat(agent.peek(message)).isFalse();
        }
    }

    @Test
    void aRandomWorldIsScheduledWithoutStaleOrDoubleStarts() throws Exception {
        for (long seed = 0; seed < seeds(); seed++) {
            try (Rig rig = rig(SHAPE, seed)) {
                Rig.Attached agent = rig.attach(new FifoAgent());
                world(rig, agent, 600);
                rig.drain(agent, seed);
                rig.checkLedgers(seed);
            }
        }
    }

    private static void world(Rig rig, Rig.Attached agent, int steps) {
        for (int i = 0; i < 6; i++) {
            rig.create(true);
        }
        for (int step = 0; step < steps; step++) {
            if (rig.random.nextInt(4) == 0) {
                agent.turn();
            } else {
                rig.hostStep();
            }
        }
    }

    // ---- outcomes ----------------------------------------------------------------------------------------------

    @Test
    void everyOutcomeReachesTheAgentThatCausedIt() throws Exception {
        for (Outcome wanted : Outcome.values()) {
            boolean perCpu = wanted == Outcome.AGENT_STALE;
            EnclaveShape shape = new EnclaveShape(2, 8, perCpu ? 2 : 1, 64, 2);
            try (Rig rig = rig(shape, 1); AgentEnd agent = rig.session.attach(0)) {
                assertThat(Provoke.outcome(wanted, rig, agent)).as("provoked %s", wanted).isEqualTo(wanted);
            }
        }
    }

    @Test
    void aDecisionIsSettledOnceAndItsSlotIsFreeAgain() throws Exception {
        try (Rig rig = rig(SHAPE, 1); AgentEnd agent = rig.session.attach(0)) {
            int room = roomWhenAsked();
            List<Integer> tasks = new ArrayList<>();
            ask(rig, agent, 0);
            assertThat(agent.room(0)).isEqualTo(room);
            for (int i = 0; i < room; i++) {
                int task = rig.host.create(true, -1, 0, 0);
                tasks.add(task);
                assertThat(agent.stage(0, decision(agent, 0, task, rig.host.sequence(task)))).isTrue();
            }
            int first = tasks.removeFirst();
            assertThat(agent.room(0)).isZero();
            assertThat(agent.stage(0, decision(agent, 0, first, rig.host.sequence(first)))).isFalse();
            agent.commit();
            assertThat(decide(rig, agent, 0)).isEqualTo(first);
            rig.host.blocked(first, 1);
            tasks.forEach(task -> rig.host.setPriority(task, 5)); // what was staged about them is stale
            assertThat(decide(rig, agent, 0)).isEqualTo(Mechanism.NONE);
            rig.host.commit();
            List<Outcome> outcomes = new ArrayList<>();
            agent.outcomes((cpu, number, identity, outcome) -> outcomes.add(outcome));
            assertThat(outcomes).hasSize(room).startsWith(Outcome.COMPLETE);
            assertThat(outcomes.subList(1, room)).allMatch(Outcome.TARGET_STALE::equals);
            assertThat(agent.outcomes((cpu, number, identity, outcome) -> outcomes.add(outcome))).isZero();
            ask(rig, agent, 0);
            assertThat(agent.room(0)).isEqualTo(room);
        }
    }

    static Transaction decision(AgentEnd agent, int cpu, int task, int sequence) {
        return new Transaction().set(cpu, agent.epoch(), sequence, task).agentBarrier(agent.barrier());
    }

    @Test
    void aGroupCommitsWholeOrNotAtAll() throws Exception {
        for (int members : new int[] { 1, 2, 4, 8 }) {
            for (int broken = -1; broken < members; broken++) {
                groupOf(members, broken);
            }
        }
    }

    private void groupOf(int members, int broken) throws Exception {
        EnclaveShape shape = new EnclaveShape(8, 16, 1, 64, 1);
        try (Rig rig = rig(shape, 1); AgentEnd agent = rig.session.attach(0)) {
            for (int cpu = 0; cpu < members; cpu++) {
                ask(rig, agent, cpu);
                int task = rig.host.create(true, -1, 0, 0);
                int sequence = rig.host.sequence(task) + (cpu == broken ? 1 : 0);
                agent.stage(cpu, decision(agent, cpu, task, sequence).group(77, members));
            }
            agent.commit();
            int started = 0;
            for (int cpu = 0; cpu < members; cpu++) {
                started += rig.host.decide(cpu) == Mechanism.NONE ? 0 : 1;
            }
            assertThat(started).as("%d members, number %d broken", members, broken)
                    .isEqualTo(broken < 0 ? members : 0);
            rig.host.commit();
            List<Outcome> outcomes = new ArrayList<>();
            agent.outcomes((cpu, number, identity, outcome) -> outcomes.add(outcome));
            assertThat(outcomes).hasSize(members);
            if (broken >= 0) {
                assertThat(outcomes).containsOnlyOnce(Outcome.TARGET_STALE).doesNotContain(Outcome.COMPLETE);
            }
        }
    }

    @Test
    void aTaskPromisedToABusyCpuIsNobodyElses() throws Exception {
        try (Rig rig = rig(SHAPE, 1); AgentEnd agent = rig.session.attach(0)) {
            GroupCommits.promiseToABusyCpu(rig, agent);
        }
    }

    @Test
    void aTaskThatRunsWhereItsGroupWantsItIsNotPromisedAsWell() throws Exception {
        try (Rig rig = rig(SHAPE, 1); AgentEnd agent = rig.session.attach(0)) {
            GroupCommits.memberThatRunsAlready(rig, agent);
        }
    }

    @Test
    void anAgentThatGoesOnStagingDoesNotKeepTheHost() throws Exception {
        for (int depth : new int[] { 1, 4 }) {
            try (TransportSession session = open(java.nio.file.Files.createTempDirectory(directory, "stages"))) {
                RestlessAgent.stagesBesideTheHost(session, new EnclaveShape(2, 8, 1, 64, depth));
            }
        }
    }

    @Test
    void aWithdrawnDecisionIsEitherAbortedOrInForceNeverBoth() throws Exception {
        for (boolean hostFirst : new boolean[] { true, false }) {
            try (Rig rig = rig(SHAPE, 1); AgentEnd agent = rig.session.attach(0)) {
                int task = rig.host.create(true, -1, 0, 0);
                ask(rig, agent, 1);
                agent.stage(1, decision(agent, 1, task, rig.host.sequence(task)));
                agent.commit();
                int started = hostFirst ? rig.host.decide(1) : Mechanism.NONE;
                agent.withdraw(1);
                started = hostFirst ? started : rig.host.decide(1);
                boolean used = hostFirst || !canWithdraw();
                rig.host.commit();
                List<Outcome> outcomes = new ArrayList<>();
                agent.outcomes((cpu, number, identity, outcome) -> outcomes.add(outcome));
                assertThat(outcomes).containsExactly(used ? Outcome.COMPLETE : Outcome.ABORTED);
                assertThat(started).isEqualTo(used ? task : Mechanism.NONE);
                assertThat(agent.withdraw(1)).as("nothing is staged any more").isFalse();
            }
        }
    }

    @Test
    void whatIsWithdrawnBeforeTheHostLooksNeverRunsAndItsSlotGoesOn() throws Exception {
        for (int depth = 1; depth <= 4; depth++) {
            for (long seed = 0; seed < seeds(); seed++) {
                EnclaveShape shape = new EnclaveShape(2, 64, 1, 128, depth);
                try (Rig rig = rig(shape, seed); AgentEnd agent = rig.session.attach(0)) {
                    new Withdrawals(rig, agent, canWithdraw(), depth + " staged, seed " + seed).run();
                }
            }
        }
    }

    @Test
    void anAgentThatTheRegionHasNoPlaceForWritesNothing() throws Exception {
        for (int agents : new int[] { 1, 3 }) {
            try (Rig rig = rig(new EnclaveShape(3, 12, agents, 64, 2), 1)) {
                List<byte[]> before = Regions.contents(directory);
                for (int number : new int[] { -1, agents, agents + 2, Integer.MAX_VALUE }) {
                    assertThatThrownBy(() -> rig.session.attach(number)).as("agent %d of %d", number, agents)
                            .isInstanceOf(AgentException.class).hasMessageContaining("this region is for " + agents);
                }
                assertThat(Regions.contents(directory)).usingRecursiveComparison().isEqualTo(before);
            }
        }
    }

    // ---- overflow, interrupts ----------------------------------------------------------------------------------

    @Test
    void afterAnOverflowTheAgentRebuildsFromStatusWords() throws Exception {
        EnclaveShape shape = new EnclaveShape(2, 32, 1, 4, 1);
        try (Rig rig = rig(shape, 1)) {
            Rig.Attached agent = rig.attach(new FifoAgent());
            agent.turn();
            for (int i = 0; i < 32; i++) {
                rig.create(true);
            }
            rig.host.commit();
            assertThat(rig.host.overflows()).isEqualTo(28);
            rig.drain(agent, 1);
            assertThat(rig.runs).containsOnly(1);
            rig.checkLedgers(1);
        }
    }

    @Test
    void aSleepingCpuFindsItsDecisionAlthoughTheInterruptIsLost() throws Exception {
        try (Rig rig = rig(SHAPE, 1); AgentEnd agent = rig.session.attach(0)) {
            int task = rig.host.create(true, -1, 0, 0);
            ask(rig, agent, 0);
            agent.stage(0, decision(agent, 0, task, rig.host.sequence(task)));
            agent.commit(); // before anybody sleeps: no interrupt is sent
            assertThat(rig.end.await(0, 1_000_000)).as("looks at the line before it sleeps").isTrue();
            assertThat(rig.host.decide(0)).isEqualTo(task);
        }
    }

    @Test
    void aPreemptingDecisionIsSeenAtTheNextYieldPointOnly() throws Exception {
        try (Rig rig = rig(SHAPE, 1); AgentEnd agent = rig.session.attach(0)) {
            int first = rig.host.create(true, -1, 0, 0);
            int second = rig.host.create(true, -1, 0, 0);
            ask(rig, agent, 0);
            agent.stage(0, decision(agent, 0, first, rig.host.sequence(first)));
            agent.commit();
            assertThat(rig.host.decide(0)).isEqualTo(first);
            assertThat(rig.host.isPreemptionWanted(0)).isFalse();
            ask(rig, agent, 0);
            agent.stage(0, decision(agent, 0, second, rig.host.sequence(second)).commitFlags(Transaction.AT_COMMIT));
            agent.commit();
            assertThat(rig.host.isPreemptionWanted(0)).isTrue();
            rig.host.preempted(first, 5);
            assertThat(rig.host.decide(0)).isEqualTo(second);
        }
    }

    @Test
    void aTaskThatMustNotBePreemptedHasNoSlice() throws Exception {
        for (int flags : new int[] { 0, Transaction.RUN_DO_NOT_PREEMPT }) {
            try (Rig rig = rig(SHAPE, 1); AgentEnd agent = rig.session.attach(0)) {
                int task = rig.host.create(true, -1, 0, 0);
                ask(rig, agent, 0);
                agent.stage(0, decision(agent, 0, task, rig.host.sequence(task)).sliceNanos(500).runFlags(flags));
                agent.commit();
                assertThat(rig.host.decide(0)).isEqualTo(task);
                assertThat(rig.host.sliceNanos(0)).isEqualTo(flags == 0 ? 500 : 0);
            }
        }
    }

    @Test
    void aSliceBeyondReasonIsEndlessAndNotOverAtOnce() throws Exception {
        long longest = Transaction.LONGEST_SLICE_NANOS; // below and above, and with the sign turned
        for (long nanos : new long[] { 1, longest, longest + 1, Long.MAX_VALUE, -1, Long.MIN_VALUE }) {
            try (Rig rig = rig(SHAPE, 1); AgentEnd agent = rig.session.attach(0)) {
                int task = rig.host.create(true, -1, 0, 0);
                ask(rig, agent, 0);
                agent.stage(0, decision(agent, 0, task, rig.host.sequence(task)).sliceNanos(nanos));
                agent.commit();
                assertThat(rig.host.decide(0)).isEqualTo(task);
                assertThat(rig.host.sliceNanos(0)).as("slice of %d ns", nanos)
                        .isEqualTo(nanos > 0 && nanos <= longest ? nanos : 0);
            }
        }
    }

    // ---- crash, pause, zombie, hand-over -----------------------------------------------------------------------

    @Test
    void anAgentMayCrashAtAnyStepAndItsSuccessorLosesNothing() throws Exception {
        for (long step = 0; step < 2 * seeds(); step++) {
            try (Rig rig = rig(SHAPE, step)) {
                Rig.Attached first = rig.attach(new FifoAgent());
                first.end().crashAfter(step);
                world(rig, first, 200);
                rig.host.fence();
                Rig.Attached second = rig.attach(new FifoAgent());
                world(rig, second, 100);
                rig.drain(second, step);
                rig.checkLedgers(step);
            }
        }
    }

    @Test
    void aFencedAgentThatGoesOnDisturbsNobody() throws Exception {
        for (long seed = 0; seed < seeds(); seed++) {
            try (Rig rig = rig(SHAPE, seed)) {
                Rig.Attached zombie = rig.attach(new FifoAgent());
                world(rig, zombie, 100);
                rig.host.fence();
                assertThat(zombie.end().isFenced()).isTrue();
                Rig.Attached successor = rig.attach(new FifoAgent());
                for (int step = 0; step < 300; step++) {
                    switch (rig.random.nextInt(4)) {
                        case 0 -> successor.turn();
                        case 1 -> zombie.turn();
                        default -> rig.hostStep();
                    }
                }
                rig.drain(successor, seed);
                rig.checkLedgers(seed);
            }
        }
    }

    @Test
    void aHostMayCrashAtAnyStepAndItsSuccessorStartsOnTheSameRegion() throws Exception {
        for (int step = 0; step < seeds(); step++) {
            Path where = java.nio.file.Files.createTempDirectory(directory, "restart");
            TransportSession abandoned = openKeeping(where);
            Rig before = new Rig(abandoned, SHAPE, step);
            Rig.Attached old = before.attach(new FifoAgent());
            world(before, old, step * 5);
            int oldEpoch = before.end.epoch();
            letGo(abandoned);
            try (Rig after = new Rig(openKeeping(where), SHAPE, step)) {
                assertThat(after.end.epoch()).as("epochs go on").isGreaterThan(oldEpoch);
                Rig.Attached fresh = after.attach(new FifoAgent());
                world(after, fresh, 100);
                after.drain(fresh, step);
                after.checkLedgers(step);
            }
        }
    }

    @Test
    void anAgentThatCameBeforeTheHostHadPublishedItsTasksDecidesForThem() throws Exception {
        Path where = java.nio.file.Files.createTempDirectory(directory, "early");
        for (long host = 1; host <= 3; host++) { // the first on a fresh region, the others on what the last one left
            TransportSession session = openKeeping(where);
            MechanismEnd end = session.openHost(SHAPE);
            Ledger ledger = new Ledger();
            Rig.Attached agent = Rig.attach(session, new FifoAgent(), ledger);
            for (int turn = 0; turn < 10; turn++) {
                agent.turn(); // reads status words that nobody, or a former host, has written
            }
            Rig rig = new Rig(session, end, host);
            rig.agentLedgers.add(ledger);
            for (int task = 0; task < SHAPE.tasks(); task++) {
                rig.create(true);
            }
            rig.host.commit();
            rig.drain(agent, host);
            assertThat(rig.runs).as("runs, host %d", host).containsOnly(1);
            assertThat(rig.host.localDecisions()).isZero();
            world(rig, agent, 200);
            rig.drain(agent, host);
            rig.checkLedgers(host);
            letGo(session);
        }
    }

    /** A session that leaves its region behind. */
    abstract TransportSession openKeeping(Path where);

    /** The host's process is gone, without having closed anything; only what the kernel does for it happens. */
    abstract void letGo(TransportSession session);

    @Test
    void aSecondAgentForTheSamePlaceIsRefused() throws Exception {
        try (Rig rig = rig(SHAPE, 1); AgentEnd first = rig.session.attach(0)) {
            assertThatThrownBy(() -> rig.session.attach(0)).isInstanceOf(AgentException.class)
                    .hasMessageContaining("another agent");
            assertThat(first.isFenced()).isFalse();
        }
    }

    @Test
    void noEpochIsUsedTwice() throws Exception {
        try (Rig rig = rig(new EnclaveShape(1, 1, 1, 2, 1), 1)) {
            for (int epoch = rig.end.epoch(); epoch < 0xffff; epoch++) {
                assertThat(rig.host.fence()).isEqualTo(epoch + 1);
            }
            assertThatThrownBy(rig.host::fence).isInstanceOf(AgentException.class).hasMessageContaining("65,535");
        }
    }
}
