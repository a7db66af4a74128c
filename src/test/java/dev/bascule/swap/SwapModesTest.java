package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ring.IdleStrategy;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SwapModesTest {
    private static final long A = Token.of(1, 0);
    private static final SwapLimits LIMITS = new SwapLimits(1_000_000_000, 1_000_000, 4, 16, SwapLimits.LAST_NUMBER);

    private final Line hostLine = new ArrayLine();
    private final Line agentLine = new ArrayLine();
    private final Line[] memory = { new ArrayLine(), new ArrayLine(), new ArrayLine() };
    private final HostCell host = HostCell.create(0, 1, 1, hostLine, new Line[] { agentLine },
            new CellRecord(memory[0], memory[1], memory[2]), LIMITS, Ledger.OFF);
    private final AgentCell agent = new AgentCell(0, 1, 1, hostLine, agentLine, Ledger.OFF);

    SwapModesTest() {
        host.admit(A);
    }

    @Test
    void swap0ReturnsTheAgentsTokenAtOnce() throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        Thread thread = Thread.ofPlatform().start(() -> {
            long next = 100;
            while (!stop.get()) {
                if ((agent.poll() & Act.DECIDE) != 0) {
                    agent.reflect(next++, agent.offer().offeredState() + 1, 0);
                }
                Thread.onSpinWait();
            }
        });
        Swap0 swap = new Swap0(host, work -> Thread.yield(), System::nanoTime);
        long mine = A;
        for (int i = 0; i < 20_000; i++) {
            long got = swap.decide(mine, i, Token.NONE);
            assertThat(swap.outcome() & Act.COMMITTED).as(Act.show(swap.outcome())).isNotZero();
            assertThat(got).isEqualTo(100 + i);
            assertThat(host.argument0()).isEqualTo(i + 1);
            mine = got;
        }
        stop.set(true);
        thread.join();
        assertThat(host.heldCount()).isOne();
        assertThat(host.lastCommitted()).isEqualTo(20_000);
    }

    @Test
    void swap0FallsBackWhenNobodyAnswers() {
        long[] now = { 0 };
        Swap0 swap = new Swap0(host, IdleStrategy.spin(), () -> now[0] += 300_000_000);
        assertThat(swap.decide(A, 0, Token.NONE)).isEqualTo(Token.NONE);
        assertThat(Act.show(swap.outcome())).isEqualTo("REVERSED|WINDOW_OVER");
        assertThat(host.holds(A)).isTrue();
    }

    @Test
    void swap0EndsWhenAnotherThreadReverses() {
        Swap0 swap = new Swap0(host, work -> host.reverse(), () -> 0);
        assertThat(swap.decide(A, 0, Token.NONE)).isEqualTo(Token.NONE);
        assertThat(Act.show(swap.outcome())).isEqualTo("LOST_RACE");
    }

    private void answer(long b) {
        assertThat(agent.poll() & Act.DECIDE).isNotZero();
        agent.reflect(b, 0, 0);
    }

    @Test
    void swap1KeepsTheNextDecisionInCustody() {
        Swap1 swap = new Swap1(host);
        assertThat(Act.show(swap.ahead(A, 0, Token.NONE, 0))).isEqualTo("WRITE");
        assertThat(Act.show(swap.ahead(A, 0, Token.NONE, 0))).isEqualTo("BUSY");
        assertThat(swap.take()).as("not here yet").isEqualTo(Token.NONE);
        answer(7);
        assertThat(Act.show(swap.poll(1))).isEqualTo("PERSIST|COMMITTED");
        assertThat(swap.custody()).isEqualTo(7);
        assertThat(Act.show(swap.ahead(Token.NONE, 0, Token.NONE, 0))).isEqualTo("BUSY");
        assertThat(swap.take()).isEqualTo(7);
        assertThat(host.holds(7)).as("it runs here").isTrue();
        assertThat(swap.takenCount()).isOne();
    }

    @Test
    void aDecisionThatDiesInCustodyIsKnownAtOnce() {
        Swap1 swap = new Swap1(host);
        swap.ahead(A, 0, Token.NONE, 0);
        answer(7);
        swap.poll(1);
        assertThat(swap.ended(7) & Act.PERSIST).isNotZero();
        assertThat(swap.custody()).isEqualTo(Token.NONE);
        assertThat(swap.wastedCount()).isOne();
        assertThat(swap.ended(8) & Act.NOT_HELD).as("the agent's: recall it").isNotZero();
    }

    @Test
    void anUrgentEventOnAnOfferedTokenReversesFirst() {
        Swap1 swap = new Swap1(host);
        swap.ahead(A, 0, Token.NONE, 0);
        assertThat(Act.show(swap.ended(A))).isEqualTo("PERSIST|REVERSED");
        answer(7);
        assertThat(swap.poll(1) & Act.COMMITTED).isZero();
    }

    @Test
    void custodyCanBeGivenBackForSomethingBetter() {
        Swap1 swap = new Swap1(host);
        swap.ahead(A, 0, Token.NONE, 0);
        answer(7);
        swap.poll(1);
        assertThat(Act.show(swap.giveBack(0, 2))).isEqualTo("WRITE");
        answer(8);
        swap.poll(3);
        assertThat(swap.take()).isEqualTo(8);
        assertThat(host.holds(7)).isFalse();
    }

    // ---- swap-end

    private static BatchArea area(int lines) {
        Line[] made = new Line[lines];
        for (int i = 0; i < lines; i++) {
            made[i] = new ArrayLine();
        }
        return new BatchArea(made);
    }

    private final List<Long> applied = new ArrayList<>();
    private final BatchArea batch = area(16);
    private final BatchArea answers = area(1);
    private final BatchArea kept = area(17);
    private final SwapEndHost.Items items = new SwapEndHost.Items() {
        @Override
        public boolean unchanged(long item) {
            return item % 3 != 0;
        }

        @Override
        public void apply(long item) {
            applied.add(item);
        }
    };
    private final SwapEndHost endHost = new SwapEndHost(host, 0, batch, answers, kept, items);
    private final SwapEndAgent endAgent = new SwapEndAgent(agent, 0, batch, answers);

    @Test
    void swapEndAnswersItemByItem() {
        long[] decided = new long[100];
        for (int i = 0; i < decided.length; i++) {
            decided[i] = 1000 + i;
        }
        assertThat(endAgent.stage(decided, 100)).isTrue();
        assertThat(endAgent.stage(decided, 1)).as("one at a time").isFalse();
        endHost.offer(0);
        assertThat(endAgent.poll() & Act.WRITE).isNotZero();
        assertThat(endHost.poll(1) & Act.COMMITTED).isNotZero();
        assertThat(applied).hasSize(endHost.accepted()).doesNotContain(1002L).contains(1003L);
        assertThat(endHost.rejected()).isEqualTo(33);
        endHost.close();
        assertThat(endAgent.poll() & Act.RESOLVED_COMMITTED).isNotZero();
        for (int i = 0; i < 100; i++) {
            assertThat(endAgent.answer(i)).as("item " + i).isEqualTo(decided[i] % 3 != 0);
        }
        assertThat(endAgent.waiting()).isFalse();
    }

    @Test
    void anAgentWithoutABatchRefuses() {
        endHost.offer(0);
        assertThat(endAgent.poll() & Act.DECIDE).isNotZero();
        assertThat(Act.show(endHost.poll(1))).isEqualTo("REVERSED|REFUSED");
    }

    @Test
    void aCorruptBatchIsNotAcceptedAndTheWindowEndsIt() {
        Line line = new ArrayLine();
        BatchArea small = new BatchArea(line);
        SwapEndHost hostEnd = new SwapEndHost(host, 0, small, answers, kept, items);
        SwapEndAgent agentEnd = new SwapEndAgent(agent, 0, small, answers);
        agentEnd.stage(new long[] { 1, 2, 4 }, 3);
        hostEnd.offer(0);
        agentEnd.poll();
        line.set(1, 5);
        assertThat(hostEnd.poll(1)).isZero();
        line.set(1, 2);
        assertThat(hostEnd.poll(2) & Act.COMMITTED).as("whole again").isNotZero();
        agentEnd.poll();
        assertThat(applied).containsExactly(1L, 2L, 4L);
    }

    @Test
    void aRestartedHostAppliesTheCommittedBatchAgainAndNoOther() {
        endAgent.stage(new long[] { 1, 2, 3 }, 3);
        endHost.offer(0);
        endAgent.poll();
        endHost.poll(1);
        Recovery recovery = new Recovery();
        HostCell restarted = HostCell.recover(0, 1, 2, hostLine, new Line[] { agentLine },
                new CellRecord(memory[0], memory[1], memory[2]), LIMITS, Ledger.OFF, recovery);
        assertThat(recovery.clean()).as(recovery.toString()).isTrue();
        SwapEndHost again = new SwapEndHost(restarted, 0, batch, answers, kept, items);
        applied.clear();
        assertThat(again.redo(recovery.epochFound(), recovery.lastCommitted())).isEqualTo(2);
        assertThat(applied).containsExactly(1L, 2L);
        assertThat(again.redo(recovery.epochFound(), recovery.lastCommitted() + 1)).isZero();
    }

    // ---- one word

    private final AtomicWord word = new SegmentWord(MemorySegment.ofArray(new long[1]), 0);

    private OneWordSwap end() {
        word.compareAndSet(0, OneWord.of(OneWord.IDLE, 1, 0, 0));
        return new OneWordSwap(word, 1);
    }

    @Test
    void oneWordCommitsAndTellsBothEnds() {
        OneWordSwap here = end();
        OneWordSwap there = end();
        assertThat(here.offer(5)).isEqualTo(Act.WRITE);
        assertThat(there.look()).isEqualTo(Act.DECIDE);
        assertThat(there.offered()).isEqualTo(5);
        there.reflect(9);
        assertThat(here.commit()).isEqualTo(Act.COMMITTED);
        assertThat(here.received()).isEqualTo(9);
        assertThat(there.look()).isEqualTo(Act.RESOLVED_COMMITTED);
        assertThat(there.withdraw()).as("too late").isZero();
    }

    @Test
    void oneWordCanBeWithdrawnUntilItIsCommitted() {
        OneWordSwap here = end();
        OneWordSwap there = end();
        here.offer(5);
        there.look();
        there.reflect(9);
        assertThat(there.withdraw()).isEqualTo(Act.RESOLVED_REVERSED);
        assertThat(here.commit()).isEqualTo(Act.REVERSED);
        assertThat(here.offer(5)).isEqualTo(Act.WRITE);
        assertThat(there.look()).isEqualTo(Act.DECIDE);
    }

    @Test
    void oneWordTellsAnAgentThatLooksLate() {
        OneWordSwap here = end();
        OneWordSwap there = end();
        here.offer(5);
        there.look();
        there.reflect(9);
        here.commit();
        here.offer(6);
        here.reverse();
        here.offer(7);
        assertThat(there.look()).isEqualTo(Act.RESOLVED_COMMITTED | Act.DECIDE);
        there.reflect(10);
        here.reverse();
        here.offer(8);
        assertThat(there.look()).isEqualTo(Act.RESOLVED_REVERSED | Act.DECIDE);
    }

    @Test
    void oneWordIsFencedBeforeItsNumberWraps() {
        OneWordSwap here = end();
        for (int i = 0; i < OneWord.LAST_NUMBER; i++) {
            assertThat(here.offer(i)).isEqualTo(Act.WRITE);
            here.reverse();
        }
        assertThat(here.offer(1)).isEqualTo(Act.FENCE_NEEDED);
        OneWordSwap old = end();
        assertThat(here.fence(2)).isEqualTo(Act.FENCED);
        assertThat(here.fence(2)).isEqualTo(Act.EXHAUSTED);
        assertThat(here.fence(8192)).isEqualTo(Act.EXHAUSTED);
        assertThat(here.offer(1)).isEqualTo(Act.WRITE);
        assertThat(old.look()).isEqualTo(Act.STOPPED);
        assertThat(old.reflect(3)).isEqualTo(Act.IGNORED);
    }

    // ---- bad arguments

    @Test
    void badArgumentsAreSaid() {
        assertThatThrownBy(() -> new HostState(4096)).hasMessageContaining("4096");
        assertThatThrownBy(() -> new SwapLimits(0, 0, 0, 1, 1)).hasMessageContaining("window 0 ns");
        assertThatThrownBy(() -> new OneWordSwap(word, 0)).hasMessageContaining("epoch 0");
        assertThatThrownBy(() -> new SegmentWord(MemorySegment.ofArray(new long[1]), 4)).hasMessageContaining("of 8");
        assertThatThrownBy(() -> HostCell.create(0, 0, 1, hostLine, new Line[] { agentLine },
                new CellRecord(memory[0], memory[1], memory[2]), LIMITS, Ledger.OFF)).hasMessageContaining("epoch");
        assertThatThrownBy(() -> new SwapEndHost(host, 0, area(1), answers, area(1), items))
                .hasMessageContaining("kept words");
        assertThatThrownBy(() -> new Retransmission(5, 4)).hasMessageContaining("first");
    }

    @Test
    void nothingIsAllocatedBySwapping() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory
                .getThreadMXBean();
        Ledger ledger = new Ledger(64);
        HostCell cell = HostCell.create(1, 1, 1, hostLine, new Line[] { agentLine },
                new CellRecord(memory[0], memory[1], memory[2]), LIMITS, ledger);
        AgentCell other = new AgentCell(1, 1, 1, hostLine, agentLine, new Ledger(64));
        cell.admit(A);
        long token = swaps(cell, other, A, 50_000);
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().threadId());
        swaps(cell, other, token, 50_000);
        long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().threadId()) - before;
        assertThat(bytes).as("bytes for 50000 swaps").isLessThan(50_000);
    }

    private static long swaps(HostCell cell, AgentCell other, long first, int count) {
        long mine = first;
        for (int i = 0; i < count; i++) {
            cell.offer(mine, 0, Token.NONE, 0, i);
            other.poll();
            other.reflect(mine + 1, 0, 0);
            cell.poll(i);
            mine = cell.received();
        }
        return mine;
    }
}
