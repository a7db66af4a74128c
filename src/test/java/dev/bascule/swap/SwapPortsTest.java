package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the ends of one CPU do in each mode, on production's lines and words. */
class SwapPortsTest {
    private static final SwapOptions SWAP1 = SwapOptions.DEFAULT;

    @ParameterizedTest
    @EnumSource(names = { "SWAP0", "SWAP1", "SWAP_END" })
    void anOfferThatNobodyAnswersEndsWithItsWindow(SwapMode mode) {
        SwapEnds ends = new SwapEnds(SWAP1.withMode(mode));
        long[] now = { 0 };
        RegionHost host = SwapHost.open(ends.links(), SwapEnds.SHAPE, ends.options, () -> now[0]);
        ends.host = host;
        ends.agent = ends.attach();
        ends.agent.ready();
        assertThat(host.isReady(0)).isTrue();
        host.want(0);
        host.commit();
        now[0] = SwapOptions.PATIENT.windowNanos() - 1;
        host.tick();
        assertThat(host.counters().reversals).as("within the window").isZero();
        now[0]++;
        host.tick();
        assertThat(host.counters().reversals).as("after it").isOne();
        ends.promise(0);
        assertThat(ends.take(0)).as("the next offer is answered").isNotNull();
    }

    @Test
    void aDecisionMadeAheadLiesInCustodyUntilItIsTaken() {
        SwapEnds ends = new SwapEnds(SWAP1);
        long first = ends.promise(0).identity();
        Transaction running = ends.take(0);
        assertThat(running.identity()).isEqualTo(first);
        ends.host.settle(running, Outcome.COMPLETE);
        ends.commitHost(); // asks for the next while this one runs
        List<Outcome> told = new ArrayList<>();
        ends.agent.outcomes((cpu, number, identity, outcome) -> told.add(outcome));
        assertThat(told).containsExactly(Outcome.COMPLETE);
        long second = stage(ends, 5);
        assertThat(ends.host.enterSleep(0)).as("the next is there").isTrue();
        ends.host.leaveSleep(0);
        assertThat(stage(ends, 6)).as("made, and kept at home until the host asks again").isNotZero();
        assertThat(ends.take(0).identity()).isEqualTo(second);
    }

    private static long stage(SwapEnds ends, int task) {
        Transaction decision = new Transaction().set(0, ends.agent.epoch(), 100 + task, task);
        assertThat(ends.agent.stage(0, decision)).isTrue();
        ends.agent.commit();
        return decision.identity();
    }

    @Test
    void aDecisionThatDiesInCustodyIsAnsweredAndItsTaskIsTheAgentsAgain() {
        SwapEnds ends = new SwapEnds(SWAP1);
        for (int round = 0; round < 2 * HostState.CAPACITY; round++) {
            ends.promise(0);
            ends.host.settle(ends.take(0), Outcome.TARGET_STALE);
            ends.commitHost();
            List<Outcome> told = new ArrayList<>();
            ends.agent.outcomes((cpu, number, identity, outcome) -> told.add(outcome));
            assertThat(told).containsExactly(Outcome.TARGET_STALE);
        }
        assertThat(ends.host.trouble(0)).as("the record holds no dead task").isNull();
    }

    @Test
    void aTornBatchIsNotTakenUntilItIsWhole() {
        SwapEnds ends = new SwapEnds(SWAP1.withMode(SwapMode.SWAP_END));
        ends.ask(0);
        for (int task = 1; task <= 2; task++) {
            assertThat(ends.agent.stage(0, new Transaction().set(0, 1, 9, task))).isTrue();
        }
        ends.agent.commit();
        long second = ends.layout.decision(false, ends.host.epoch(), 0, 1);
        SwapEnds.damage(ends.nic, second + 8, 1);
        assertThat(ends.take(0)).isNull();
        assertThat(ends.host.counters().torn).isOne();
        SwapEnds.damage(ends.nic, second + 8, 1);
        assertThat(ends.take(0)).as("whole again").isNotNull();
        assertThat(ends.take(0)).isNotNull();
    }

    @Test
    void whoReversesFirstTakesTheSwapFromWhoLookedAtItsAnswer() {
        Cell cell = new Cell();
        assertThat(cell.host.offer(Cell.A, 0, Token.NONE, 0, 0) & SwapAction.WRITE).isNotZero();
        cell.agent.poll();
        cell.agent.reflect(7, 0, 0);
        assertThat(cell.host.peek()).isTrue();
        assertThat(cell.host.reverse() & SwapAction.REVERSED).isNotZero();
        assertThat(cell.host.settle()).isEqualTo(SwapAction.LOST_RACE);
        assertThat(cell.host.holds(Cell.A)).isTrue();
        assertThat(cell.host.holds(7)).isFalse();
    }

    @Test
    void aTokenOnOfferIsFrozenUntilTheOfferIsReversed() {
        Cell cell = new Cell();
        cell.host.offer(Cell.A, 0, Token.NONE, 0, 0);
        assertThat(cell.host.drop(Cell.A) & SwapAction.FROZEN).isNotZero();
        cell.host.reverse();
        assertThat(cell.host.drop(Cell.A) & SwapAction.PERSIST).isNotZero();
    }

    /** One cell over production's lines. */
    private static final class Cell {
        static final long A = Token.of(1, 0);
        final Window window = new PinnedWindow(PinnedMemory.allocate(5L * Window.LINE_BYTES));
        final HostCell host = HostCell.create(0, 1, 1, line(0), new Line[] { line(1) },
                CellRecord.over(window, 2L * Window.LINE_BYTES), SwapLimits.DEFAULT, SwapLedger.OFF);
        final AgentCell agent = new AgentCell(0, 1, 1, line(0), line(1), SwapLedger.OFF);

        Cell() {
            host.admit(A);
        }

        private Line line(int i) {
            return new WindowLine(window, (long) i * Window.LINE_BYTES);
        }
    }

    /** A line of a file that may be cut. */
    private static final class FileLine implements Line {
        final long[] words = new long[WORDS];
        boolean isCut;

        @Override
        public long get(int word) {
            return words[word];
        }

        @Override
        public void set(int word, long value) {
            if (isCut) {
                throw new InternalError("a fault occurred in an unsafe memory access operation");
            }
            words[word] = value;
        }
    }

    /** Each fails by itself, as the memory is gone; none waits for the one before it. */
    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aStepThatFailsLetsTheNextOneIn() {
        List<Consumer<HostCell>> steps = List.of(host -> host.offer(Cell.A, 0, Token.NONE, 0, 0), HostCell::repeat,
                host -> host.admit(Token.of(2, 0)), host -> host.drop(Cell.A), host -> host.close(0, 0),
                HostCell::reverse, host -> host.expire(Long.MAX_VALUE), HostCell::stop, host -> host.fence(2, 1));
        for (boolean isOffered : new boolean[] { false, true }) {
            for (Consumer<HostCell> step : steps) {
                List<FileLine> lines = Stream.generate(FileLine::new).limit(4).toList();
                HostCell host = HostCell.create(0, 1, 1, lines.get(0), SharedLines.lines(2),
                        new CellRecord(lines.get(1), lines.get(2), lines.get(3)), SwapLimits.DEFAULT, SwapLedger.OFF);
                host.admit(Cell.A);
                if (isOffered) {
                    host.offer(Cell.A, 0, Token.NONE, 0, 0);
                }
                lines.forEach(line -> line.isCut = true);
                try {
                    step.accept(host);
                } catch (InternalError e) {
                    assertThat(e).hasMessageContaining("unsafe memory access");
                }
                assertThatThrownBy(() -> host.fence(3, 1)).isInstanceOf(InternalError.class);
            }
        }
    }

    @Test
    void badArgumentsAreSaid() {
        assertThatThrownBy(() -> new HostState(4096)).hasMessageContaining("4096");
        assertThatThrownBy(() -> new SwapLimits(0, 0, 0, 1, 1)).hasMessageContaining("window 0 ns");
        assertThatThrownBy(() -> HostCell.create(0, 0, 1, SharedLines.line(), SharedLines.lines(1),
                new CellRecord(SharedLines.line(), SharedLines.line(), SharedLines.line()), SwapLimits.DEFAULT,
                SwapLedger.OFF)).hasMessageContaining("epoch");
        assertThatThrownBy(() -> new WindowLine(new PinnedWindow(PinnedMemory.allocate(64)), 8))
                .hasMessageContaining("multiple of 64");
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsAllocatedByExchanging(SwapMode mode) {
        SwapEnds ends = new SwapEnds(SWAP1.withMode(mode));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        exchange(ends, 20_000);
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().threadId());
        exchange(ends, 20_000);
        long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().threadId()) - before;
        assertThat(bytes).as("bytes for 20000 exchanges").isLessThan(20_000);
    }

    private static void exchange(SwapEnds ends, int count) {
        for (int i = 0; i < count; i++) {
            ends.promise(0);
            Transaction taken = ends.take(0);
            if (taken == null) {
                throw new AssertionError("exchange " + i + ": nothing taken");
            }
            ends.host.settle(taken, Outcome.COMPLETE);
            ends.commitHost();
        }
    }
}
