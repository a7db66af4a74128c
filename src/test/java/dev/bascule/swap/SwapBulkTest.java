package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.ring.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Messages that change hands, and agents that are not to be believed. */
class SwapBulkTest {
    private static final SwapBulkArea AREA = new SwapBulkArea(3, 20, 64, 128);

    private final PinnedMemory nic = PinnedMemory.allocate(8192);
    private final PinnedMemory memory = PinnedMemory.allocate(1 << 16);
    private final SwapLedger hostLedger = new SwapLedger(1 << 18);
    private final List<SwapLedger> agentLedgers = new ArrayList<>();
    private final SwapBulkHost host = new SwapBulkHost(AREA, new PinnedWindow(nic), new PinnedWindow(memory),
            Clock.system(), hostLedger);
    private final long[] in = new long[AREA.words()];

    private SwapBulkAgent agent() {
        SwapLedger ledger = new SwapLedger(1 << 18);
        agentLedgers.add(ledger);
        return new SwapBulkAgent(AREA, new PinnedWindow(nic), new PinnedWindow(memory), host.epoch(), ledger);
    }

    private boolean give(long... words) {
        boolean sent = host.send(words, words.length);
        host.commit();
        return sent;
    }

    /** Its message, as soon as the agent has it. */
    private int receive(SwapBulkAgent agent, long[] into) {
        for (int look = 0; look < 8; look++) {
            int words = agent.receive(into);
            if (words > 0) {
                return words;
            }
            host.peek(in);
        }
        return 0;
    }

    @Test
    void aMessageGoesThereAndComesBackChanged() {
        SwapBulkAgent agent = agent();
        long[] words = new long[AREA.words()];
        assertThat(give(7, 8, 9)).isTrue();
        assertThat(agent.receive(words)).as("promised for, not its own yet").isZero();
        assertThat(host.peek(in)).as("nothing comes back yet").isZero();
        assertThat(agent.receive(words)).isEqualTo(3);
        assertThat(words).startsWith(7, 8, 9);
        assertThat(agent.giveBack(new long[] { 70, 80 }, 2)).isTrue();
        agent.commit();
        assertThat(host.peek(in)).isEqualTo(2);
        assertThat(in).startsWith(70, 80);
        assertThat(host.take()).isTrue();
        assertThat(host.take()).as("once").isFalse();
        assertThat(host.peek(in)).isZero();
        agent.commit();
        assertThat(SwapLedgerCheck.faults(hostLedger, agentLedgers)).isEmpty();
        assertThat(SwapLedgerCheck.heldAtEnd(hostLedger)).isEmpty();
    }

    @Test
    void whatIsNotTakenIsFoundAgain() {
        SwapBulkAgent agent = agent();
        give(1);
        long[] words = new long[AREA.words()];
        assertThat(receive(agent, words)).isEqualTo(1);
        agent.giveBack(new long[] { 2 }, 1);
        agent.commit();
        assertThat(host.peek(in)).isEqualTo(1);
        assertThat(host.peek(in)).isEqualTo(1);
        assertThat(host.take()).isTrue();
    }

    @Test
    void aMessageThatEndsWhileItIsOfferedDoesNotChangeHands() {
        SwapBulkAgent agent = agent();
        Set<Long> ended = new HashSet<>();
        host.askBefore((words, count) -> ended.contains(words[0]) ? 0 : count);
        long[] words = new long[AREA.words()];
        give(1);
        agent.commit(); // it promises to take it
        ended.add(1L);
        assertThat(receive(agent, words)).isZero();
        assertThat(host.counters().reversals).isEqualTo(1);
        give(2);
        assertThat(receive(agent, words)).isEqualTo(1);
        assertThat(words[0]).isEqualTo(2);
    }

    /** An agent of its own making: the cell of lane 0, which answers the offer with any token and any words. */
    private void forge(long token, long announced, long digestOff) {
        SwapBulkArea area = AREA;
        AgentCell cell = new AgentCell(0, host.epoch(), host.epoch(),
                new WindowLine(new PinnedWindow(nic), area.hostLine(0)),
                new WindowLine(new PinnedWindow(memory), area.agentLine(host.epoch() % 2, 0)), SwapLedger.OFF);
        assertThat(cell.poll() & SwapAction.DECIDE).isNotZero();
        long digest = area.promised(new PinnedWindow(memory), host.epoch() % 2, 0).store(new long[] { 5, 6 }, 2, 0,
                host.epoch(), cell.number());
        cell.reflect(token, digest ^ digestOff, announced);
    }

    @Test
    void whoGivesBackWhatItWasNotGivenIsNotBelieved() {
        give(1);
        forge(Token.of(1, 0), 2, 0); // on offer to it, and not its own
        assertThat(host.peek(in)).isZero();
        assertThat(host.counters().corrupt).isEqualTo(1);
        host.fence();
        give(2);
        forge(Token.of(77, 0), 2, 0);
        assertThat(host.peek(in)).isZero();
        host.fence();
        give(3);
        forge(Token.of(3, 1), 2, 0); // of another lane
        assertThat(host.peek(in)).isZero();
        assertThat(host.counters().corrupt).isEqualTo(3);
    }

    @Test
    void impossibleLengthsAreRefused() {
        int parcel = 0;
        for (long announced : new long[] { 0, 1L << 40, AREA.words() + 1, (1L << 47) + 2 }) {
            give(1);
            assertThat(receive(agent(), new long[AREA.words()])).isEqualTo(1);
            forge(Token.of(++parcel, 0), announced, 0);
            assertThat(host.peek(in)).as("length %d", announced).isZero();
            assertThat(host.take()).isFalse();
            host.fence();
        }
        assertThat(host.counters().corrupt).isEqualTo(4);
    }

    @Test
    void wordsThatAreNotThoseAnnouncedAreNotTaken() {
        SwapBulkAgent agent = agent();
        give(1);
        assertThat(receive(agent, new long[AREA.words()])).isEqualTo(1); // parcel 1 is the agent's
        forge(Token.of(1, 0), 2, 1);
        assertThat(host.peek(in)).isZero();
        assertThat(host.counters().torn).isEqualTo(1);
        forge(Token.of(1, 0), 2, 0);
        assertThat(host.peek(in)).as("whole, at the next look").isEqualTo(2);
        assertThat(host.take()).isTrue();
    }

    @Test
    void underRandomFencesAndLooksEachMessageIsInOneHandAndBothSidesAgree() {
        long seed = 20;
        SplittableRandom random = new SplittableRandom(seed);
        SwapBulkAgent agent = agent();
        long[] words = new long[AREA.words()];
        Set<Long> back = new HashSet<>();
        long sent = 0;
        boolean isHolding = false;
        for (int step = 0; step < 20_000; step++) {
            switch (random.nextInt(6)) {
                case 0 -> sent += give(sent + 1) ? 1 : 0;
                case 1, 2 -> {
                    if (!isHolding) {
                        isHolding = agent.receive(words) > 0;
                    } else if (agent.giveBack(words, 1)) {
                        isHolding = false;
                        agent.commit();
                    } else {
                        agent.commit();
                    }
                }
                case 3, 4 -> {
                    if (host.peek(in) > 0 && random.nextInt(4) > 0 && host.take()) {
                        assertThat(back.add(in[0])).as("seed %d, step %d: %d comes back once", seed, step, in[0])
                                .isTrue();
                    }
                }
                default -> {
                    host.heal();
                    agent.heal();
                    if (random.nextInt(200) == 0) {
                        host.fence();
                        agent = agent();
                        isHolding = false;
                    }
                }
            }
        }
        System.out.println("seed " + seed + ": " + sent + " sent, " + back.size() + " came back, " + agentLedgers.size()
                + " agents");
        assertThat(back).hasSizeGreaterThan(1000);
        assertThat(SwapLedgerCheck.faults(hostLedger, agentLedgers)).as("seed %d", seed).isEmpty();
    }

    @Test
    void aMessageThatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> host.send(new long[30], 21)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 20");
        assertThatThrownBy(() -> new SwapBulkArea(0, 20, 0, 0)).hasMessageContaining("0 lanes");
        assertThatThrownBy(() -> new SwapBulkArea(1, 20, 32, 0)).hasMessageContaining("multiples of 64");
    }

    @Test
    void nothingIsAllocatedOncePagesGoToAndFro() {
        SwapBulkAgent agent = agent();
        long[] words = new long[AREA.words()];
        var threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        rounds(agent, words, 20_000);
        long before = threads.getCurrentThreadAllocatedBytes();
        rounds(agent, words, 2000);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).as("bytes of 2000 rounds").isLessThan(2000);
    }

    private void rounds(SwapBulkAgent agent, long[] words, int rounds) {
        for (int i = 0; i < rounds; i++) {
            words[0] = i;
            host.send(words, 1);
            host.commit();
            if (agent.receive(words) > 0) {
                agent.giveBack(words, 1);
                agent.commit();
            }
            if (host.peek(in) > 0) {
                host.take();
            }
        }
    }
}
