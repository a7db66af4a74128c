package dev.bascule.junit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.DecisionLedger;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of what every transport must do, whatever it is made of: over 20 tests with a ledger of each side as oracle.
 * Extend it with a session of your own:
 *
 * <pre>{@code
 * class MyTransportTest extends TransportConformance {
 *     @Override
 *     protected Session open(Path where, boolean keep) {
 *         return new MySession(where, keep);
 *     }
 * }
 * }</pre>
 *
 * Order of messages, every outcome, groups, withdrawals, overflows, preemption, slices; agents and hosts that crash at any
 * step, zombies, hand-over, epochs. All of it is stepped by hand in one thread in seeded orders, over FIFO scheduling; the
 * seed is in every failure. What threads and processes do to each other at the same time is not its subject.
 */
public abstract class TransportConformance {
    static final EnclaveShape SHAPE = new EnclaveShape(3, 12, 1, 64, 2);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    /**
     * A fresh session.
     *
     * @param where an existing directory of this session; empty, or with what a kept session left there
     * @param keep leave the region in place on close, so that a later host can take it over
     */
    protected abstract Session open(Path where, boolean keep);

    /** How many random worlds each test looks at: fewer if every call of an agent is slow. */
    protected int seeds() {
        return 60;
    }

    /** Decisions that may be staged for a CPU that has asked, at two to a CPU; one with late binding. */
    protected int roomWhenAsked() {
        return SHAPE.staged();
    }

    /** Whether an agent can take back what it has committed, before the host has looked. */
    protected boolean canWithdraw() {
        return true;
    }

    private TransportRig rig(EnclaveShape shape, long seed) throws IOException {
        return new TransportRig(open(Files.createTempDirectory(directory, "rig"), false), shape, seed);
    }

    static void refused(String why, Executable call) {
        String message = assertThrows(AgentException.class, call).getMessage();
        assertTrue(message != null && message.contains(why), () -> "says '" + why + "': " + message);
    }

    /** Each task was started once. */
    private static int[] once(EnclaveShape shape) {
        int[] runs = new int[shape.tasks()];
        Arrays.fill(runs, 1);
        return runs;
    }

    // ---- order, exactly once, staleness ------------------------------------------------------------------------

    @Test
    void messagesArriveWholeAndInOrder() throws Exception {
        try (TransportRig rig = rig(SHAPE, 1); AgentEnd agent = rig.session().attach(0)) {
            int task = rig.host().create(false, 0x55, -3, 7);
            rig.host().wakeup(task, 123_456);
            rig.host().setAffinity(task, 0x2a);
            rig.host().setPriority(task, 11);
            rig.host().tick(2);
            rig.host().commit();
            Message message = Regions.next(agent);
            assertEquals(MessageType.TASK_NEW, message.type());
            assertEquals(0x55, message.affinity());
            assertEquals(-3, message.nice());
            assertEquals(7, message.taskClass());
            assertFalse(message.leavesRunnable());
            message = Regions.next(agent);
            assertEquals(MessageType.TASK_WAKEUP, message.type());
            assertEquals(123_456, message.deadlineNanos());
            assertTrue(message.leavesRunnable());
            assertEquals(0x2a, Regions.next(agent).affinity());
            message = Regions.next(agent);
            assertEquals(MessageType.TASK_PRIORITY_CHANGED, message.type());
            assertEquals(4, message.sequence());
            assertEquals(11, message.nice());
            message = Regions.next(agent);
            assertEquals(MessageType.CPU_TICK, message.type());
            assertEquals(2, message.cpu());
            assertFalse(agent.peek(message));
        }
    }

    @Test
    void aRandomWorldIsScheduledWithoutStaleOrDoubleStarts() throws Exception {
        for (long seed = 0; seed < seeds(); seed++) {
            try (TransportRig rig = rig(SHAPE, seed)) {
                TransportRig.Attached agent = rig.attach(new FifoAgent());
                rig.run(agent, 600);
                rig.drain(agent);
                rig.checkLedgers();
            }
        }
    }

    // ---- outcomes ----------------------------------------------------------------------------------------------

    @Test
    void everyOutcomeReachesTheAgentThatCausedIt() throws Exception {
        for (Outcome wanted : Outcome.values()) {
            EnclaveShape shape = new EnclaveShape(2, 8, 1, 64, 2);
            try (TransportRig rig = rig(shape, 1); AgentEnd agent = rig.session().attach(0)) {
                assertEquals(wanted, Provoke.outcome(wanted, rig, agent), () -> String.format("provoked %s", wanted));
            }
        }
    }

    @Test
    void aDecisionIsSettledOnceAndItsSlotIsFreeAgain() throws Exception {
        try (TransportRig rig = rig(SHAPE, 1); AgentEnd agent = rig.session().attach(0)) {
            int room = roomWhenAsked();
            List<Integer> tasks = new ArrayList<>();
            rig.ask(agent, 0);
            assertEquals(room, agent.room(0));
            for (int i = 0; i < room; i++) {
                int task = rig.host().create(true, -1, 0, 0);
                tasks.add(task);
                assertTrue(agent.stage(0, TransportRig.decision(agent, 0, task, rig.host().sequence(task))));
            }
            int first = tasks.removeFirst();
            assertEquals(0, agent.room(0));
            assertFalse(agent.stage(0, TransportRig.decision(agent, 0, first, rig.host().sequence(first))));
            agent.commit();
            assertEquals(first, rig.decide(agent, 0));
            rig.host().blocked(first, 1);
            tasks.forEach(task -> rig.host().setPriority(task, 5)); // what was staged about them is stale
            assertEquals(Mechanism.NONE, rig.decide(agent, 0));
            rig.host().commit();
            List<Outcome> outcomes = new ArrayList<>();
            agent.outcomes((cpu, number, identity, outcome) -> outcomes.add(outcome));
            List<Outcome> expected = new ArrayList<>(Collections.nCopies(room, Outcome.TARGET_STALE));
            expected.set(0, Outcome.COMPLETE);
            assertEquals(expected, outcomes);
            assertEquals(0, agent.outcomes((cpu, number, identity, outcome) -> outcomes.add(outcome)));
            rig.ask(agent, 0);
            assertEquals(room, agent.room(0));
        }
    }

    @Test
    void aCpuThatIsAwayTakesNoDecisionAndWorksAgainWhenItIsBack() throws Exception {
        for (boolean isUnplugged : new boolean[] { false, true }) {
            try (TransportRig rig = rig(SHAPE, 1); AgentEnd agent = rig.session().attach(0)) {
                HotPlug.awayAndBack(rig, agent, isUnplugged);
            }
        }
    }

    @Test
    void aTaskPromisedToACpuThatGoesIsGivenBack() throws Exception {
        for (boolean isBound : new boolean[] { false, true }) {
            try (TransportRig rig = rig(SHAPE, 1); AgentEnd agent = rig.session().attach(0)) {
                HotPlug.promiseTakenBack(rig, agent, isBound);
            }
        }
    }

    @Test
    void aGroupCommitsWholeOrNotAtAll() throws Exception {
        for (int members : new int[] { 1, 2, 4, 8 }) {
            for (int broken = -1; broken < members; broken++) {
                try (TransportRig rig = rig(new EnclaveShape(8, 16, 1, 64, 1), 1);
                        AgentEnd agent = rig.session().attach(0)) {
                    GroupCommits.wholeOrNotAtAll(rig, agent, members, broken);
                }
            }
        }
    }

    @Test
    void aTaskPromisedToABusyCpuIsNobodyElses() throws Exception {
        try (TransportRig rig = rig(SHAPE, 1); AgentEnd agent = rig.session().attach(0)) {
            GroupCommits.promiseToABusyCpu(rig, agent);
        }
    }

    @Test
    void aTaskThatRunsWhereItsGroupWantsItIsNotPromisedAsWell() throws Exception {
        try (TransportRig rig = rig(SHAPE, 1); AgentEnd agent = rig.session().attach(0)) {
            GroupCommits.memberThatRunsAlready(rig, agent);
        }
    }

    @Test
    void anAgentThatGoesOnStagingDoesNotKeepTheHost() throws Exception {
        for (int depth : new int[] { 1, 4 }) {
            try (Session session = open(Files.createTempDirectory(directory, "stages"), false)) {
                RestlessAgent.stagesBesideTheHost(session, new EnclaveShape(2, 8, 1, 64, depth));
            }
        }
    }

    @Test
    void aWithdrawnDecisionIsEitherAbortedOrInForceNeverBoth() throws Exception {
        for (boolean hostFirst : new boolean[] { true, false }) {
            try (TransportRig rig = rig(SHAPE, 1); AgentEnd agent = rig.session().attach(0)) {
                int task = rig.host().create(true, -1, 0, 0);
                rig.ask(agent, 1);
                agent.stage(1, TransportRig.decision(agent, 1, task, rig.host().sequence(task)));
                agent.commit();
                int started = hostFirst ? rig.host().decide(1) : Mechanism.NONE;
                agent.withdraw(1);
                started = hostFirst ? started : rig.host().decide(1);
                boolean used = hostFirst || !canWithdraw();
                rig.host().commit();
                List<Outcome> outcomes = new ArrayList<>();
                agent.outcomes((cpu, number, identity, outcome) -> outcomes.add(outcome));
                assertEquals(List.of(used ? Outcome.COMPLETE : Outcome.ABORTED), outcomes);
                assertEquals(used ? task : Mechanism.NONE, started);
                assertFalse(agent.withdraw(1), "nothing is staged any more");
            }
        }
    }

    @Test
    void whatIsWithdrawnBeforeTheHostLooksNeverRunsAndItsSlotGoesOn() throws Exception {
        for (int depth = 1; depth <= 4; depth++) {
            for (long seed = 0; seed < seeds(); seed++) {
                EnclaveShape shape = new EnclaveShape(2, 64, 1, 128, depth);
                try (TransportRig rig = rig(shape, seed); AgentEnd agent = rig.session().attach(0)) {
                    new Withdrawals(rig, agent, canWithdraw(), depth + " staged, seed " + seed).run();
                }
            }
        }
    }

    @Test
    void anAgentThatTheRegionHasNoPlaceForWritesNothing() throws Exception {
        SeveralAgents.writeNothingWithoutAPlace(this::rig, directory);
    }

    // ---- overflow, interrupts ----------------------------------------------------------------------------------

    @Test
    void afterAnOverflowTheAgentRebuildsFromStatusWords() throws Exception {
        EnclaveShape shape = new EnclaveShape(2, 32, 1, 4, 1);
        try (TransportRig rig = rig(shape, 1)) {
            TransportRig.Attached agent = rig.attach(new FifoAgent());
            agent.turn();
            for (int i = 0; i < 32; i++) {
                rig.create(true);
            }
            rig.host().commit();
            assertEquals(28, rig.host().overflows());
            rig.drain(agent);
            assertArrayEquals(once(shape), rig.runs());
            rig.checkLedgers();
        }
    }

    @Test
    void aSleepingCpuFindsItsDecisionAlthoughTheInterruptIsLost() throws Exception {
        try (TransportRig rig = rig(SHAPE, 1); AgentEnd agent = rig.session().attach(0)) {
            int task = rig.host().create(true, -1, 0, 0);
            rig.ask(agent, 0);
            agent.stage(0, TransportRig.decision(agent, 0, task, rig.host().sequence(task)));
            agent.commit(); // before anybody sleeps: no interrupt is sent
            assertTrue(rig.end().await(0, 1_000_000), "looks at the line before it sleeps");
            assertEquals(task, rig.host().decide(0));
        }
    }

    @Test
    void aPreemptingDecisionIsSeenAtTheNextYieldPointOnly() throws Exception {
        try (TransportRig rig = rig(SHAPE, 1); AgentEnd agent = rig.session().attach(0)) {
            int first = rig.host().create(true, -1, 0, 0);
            int second = rig.host().create(true, -1, 0, 0);
            rig.ask(agent, 0);
            agent.stage(0, TransportRig.decision(agent, 0, first, rig.host().sequence(first)));
            agent.commit();
            assertEquals(first, rig.host().decide(0));
            assertFalse(rig.host().isPreemptionWanted(0));
            rig.ask(agent, 0);
            agent.stage(0, TransportRig.decision(agent, 0, second, rig.host().sequence(second))
                    .commitFlags(Transaction.AT_COMMIT));
            agent.commit();
            assertTrue(rig.host().isPreemptionWanted(0));
            rig.host().preempted(first, 5);
            assertEquals(second, rig.host().decide(0));
        }
    }

    @Test
    void aTaskThatMustNotBePreemptedHasNoSlice() throws Exception {
        for (int flags : new int[] { 0, Transaction.RUN_DO_NOT_PREEMPT }) {
            try (TransportRig rig = rig(SHAPE, 1); AgentEnd agent = rig.session().attach(0)) {
                int task = rig.host().create(true, -1, 0, 0);
                rig.ask(agent, 0);
                agent.stage(0, TransportRig.decision(agent, 0, task, rig.host().sequence(task)).sliceNanos(500)
                        .runFlags(flags));
                agent.commit();
                assertEquals(task, rig.host().decide(0));
                assertEquals(flags == 0 ? 500 : 0, rig.host().sliceNanos(0));
            }
        }
    }

    @Test
    void aSliceBeyondReasonIsEndlessAndNotOverAtOnce() throws Exception {
        long longest = Transaction.LONGEST_SLICE_NANOS; // below and above, and with the sign turned
        for (long nanos : new long[] { 1, longest, longest + 1, Long.MAX_VALUE, -1, Long.MIN_VALUE }) {
            try (TransportRig rig = rig(SHAPE, 1); AgentEnd agent = rig.session().attach(0)) {
                int task = rig.host().create(true, -1, 0, 0);
                rig.ask(agent, 0);
                agent.stage(0, TransportRig.decision(agent, 0, task, rig.host().sequence(task)).sliceNanos(nanos));
                agent.commit();
                assertEquals(task, rig.host().decide(0));
                assertEquals(nanos > 0 && nanos <= longest ? nanos : 0, rig.host().sliceNanos(0),
                        () -> String.format("slice of %d ns", nanos));
            }
        }
    }

    // ---- crash, pause, zombie, hand-over -----------------------------------------------------------------------

    @Test
    void anAgentMayCrashAtAnyStepAndItsSuccessorLosesNothing() throws Exception {
        for (long step = 0; step < 2 * seeds(); step++) {
            try (TransportRig rig = rig(SHAPE, step)) {
                TransportRig.Attached first = rig.attach(new FifoAgent());
                first.crashAfter(step);
                rig.run(first, 200);
                rig.host().fence(0);
                TransportRig.Attached second = rig.attach(new FifoAgent());
                rig.run(second, 100);
                rig.drain(second);
                rig.checkLedgers();
            }
        }
    }

    @Test
    void aFencedAgentThatGoesOnDisturbsNobody() throws Exception {
        for (long seed = 0; seed < seeds(); seed++) {
            try (TransportRig rig = rig(SHAPE, seed)) {
                TransportRig.Attached zombie = rig.attach(new FifoAgent());
                rig.run(zombie, 100);
                rig.host().fence(0);
                assertTrue(zombie.end().isFenced());
                TransportRig.Attached successor = rig.attach(new FifoAgent());
                for (int step = 0; step < 300; step++) {
                    switch (rig.random().nextInt(4)) {
                        case 0 -> successor.turn();
                        case 1 -> zombie.turn();
                        default -> rig.hostStep();
                    }
                }
                rig.drain(successor);
                rig.checkLedgers();
            }
        }
    }

    @Test
    void aHostMayCrashAtAnyStepAndItsSuccessorStartsOnTheSameRegion() throws Exception {
        for (int step = 0; step < seeds(); step++) {
            Path where = Files.createTempDirectory(directory, "restart");
            Session abandoned = open(where, true);
            TransportRig before = new TransportRig(abandoned, SHAPE, step);
            TransportRig.Attached old = before.attach(new FifoAgent());
            before.run(old, step * 5);
            int oldEpoch = before.end().epoch();
            abandoned.close(); // the process is gone: only what the kernel does for it happens
            try (TransportRig after = new TransportRig(open(where, true), SHAPE, step)) {
                assertTrue(after.end().epoch() > oldEpoch, "epochs go on");
                TransportRig.Attached fresh = after.attach(new FifoAgent());
                after.run(fresh, 100);
                after.drain(fresh);
                after.checkLedgers();
            }
        }
    }

    @Test
    void anAgentThatCameBeforeTheHostHadPublishedItsTasksDecidesForThem() throws Exception {
        Path where = Files.createTempDirectory(directory, "early");
        for (long host = 1; host <= 3; host++) { // the first on a fresh region, the others on what the last one left
            Session session = open(where, true);
            MechanismEnd end = session.openHost(SHAPE);
            DecisionLedger ledger = new DecisionLedger();
            TransportRig.Attached agent = TransportRig.attach(session, 0, new FifoAgent(), ledger);
            for (int turn = 0; turn < 10; turn++) {
                agent.turn(); // reads status words that nobody, or a former host, has written
            }
            TransportRig rig = new TransportRig(session, end, host);
            rig.agentLedgers().add(ledger);
            for (int task = 0; task < SHAPE.tasks(); task++) {
                rig.create(true);
            }
            rig.host().commit();
            rig.drain(agent);
            assertArrayEquals(once(SHAPE), rig.runs(), "runs, host " + host);
            assertEquals(0, rig.host().localDecisions());
            rig.run(agent, 200);
            rig.drain(agent);
            rig.checkLedgers();
            session.close();
        }
    }

    @Test
    void aSecondAgentForTheSamePlaceIsRefused() throws Exception {
        try (TransportRig rig = rig(SHAPE, 1); AgentEnd first = rig.session().attach(0)) {
            refused("another agent", () -> rig.session().attach(0));
            assertFalse(first.isFenced());
        }
    }

    // ---- several agents ----------------------------------------------------------------------------------------

    @Test
    void eachOfFourAgentsLearnsThatItsHostHasGone() throws Exception {
        Path where = Files.createTempDirectory(directory, "gone");
        SeveralAgents.learnThatTheirHostHasGone(() -> open(where, false));
    }

    @Test
    void fourAgentsOnEightCpusScheduleOneWorldBetweenThem() throws Exception {
        SeveralAgents.schedule(this::rig, seeds());
    }

    @Test
    void oneOfSeveralAgentsMayCrashAtAnyStepAndTheOthersNoticeNothing() throws Exception {
        SeveralAgents.oneCrashes(this::rig, seeds());
    }

    @Test
    void aTaskGoesToAnotherAgentWithItsBarrier() throws Exception {
        SeveralAgents.associate(this::rig);
    }

    @Test
    void aTaskIsAlwaysAnAgentsThatHasACpuForIt() throws Exception {
        SeveralAgents.homes(this::rig);
    }

    @Test
    void twoEnclavesShareTheCpusOfAMachine() throws Exception {
        TwoEnclaves.share(this::rig, Math.max(1, seeds() / 4));
    }

    @Test
    void noEpochIsUsedTwice() throws Exception {
        try (TransportRig rig = rig(new EnclaveShape(1, 1, 1, 2, 1), 1)) {
            for (int epoch = rig.end().epoch(); epoch < 0xffff; epoch++) {
                assertEquals(epoch + 1, rig.host().fence(0));
            }
            refused("65,535", () -> rig.host().fence(0));
        }
    }
}
