package dev.bascule.swap;

import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeWord;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.Window;
import org.jspecify.annotations.Nullable;

/**
 * One CPU's word that both ends compare-and-swap. Token b is the number of the decision, which lies in a line of its
 * own, bound to the epoch; what became of it is one word in the host line. An agent of a former epoch can win a
 * compare-and-swap only by writing the very word expected, and what it promises then names a decision that is not there.
 */
final class WordHostExchange implements HostExchange {
    /** First epochs of words: enough are left above them for 268 million swaps. */
    private static final int FIRST_EPOCHS = 0xFFF;

    private final int cpu;
    private final SwapLayout layout;
    private final RegionLinks links;
    private final boolean push;
    private final Window decisions;
    private final long answerAt;
    private final TransportCounters counters;
    private final long[] words = new long[Message.WORDS];
    private OneWordSwap swap;
    private int epoch;
    private boolean taken;
    private int number;
    private long answer;
    private boolean wanted;
    private boolean dirty;
    private @Nullable String trouble;

    /** @param push the word and the decision lie in host memory, which the NIC reaches by AtomicOps and DMA */
    WordHostExchange(int cpu, SwapLayout layout, RegionLinks links, boolean push, int epoch,
            TransportCounters counters) {
        this.cpu = cpu;
        this.layout = layout;
        this.links = links;
        this.push = push;
        decisions = push ? links.hostMemory() : links.fromNic();
        answerAt = layout.hostLine(cpu);
        this.counters = counters;
        this.epoch = epoch;
        swap = begin(epoch);
    }

    private OneWordSwap begin(int ofEpoch) {
        OneWordSwap fresh = new OneWordSwap(layout.hostWord(links, push, ofEpoch, cpu), 1);
        fresh.fence(1 + (ofEpoch & FIRST_EPOCHS));
        leave();
        return fresh;
    }

    @Override
    public void want() {
        if (!taken) {
            offer();
            leave();
        }
    }

    /** Flushes the word from the host's buffers, so that the agent sees it. */
    private void leave() {
        if (push) {
            links.toNic().writeFence(); // partner: the agent's acquire of the copy
            counters.fences++;
        }
    }

    private void offer() {
        wanted = true;
        if (swap.open()) {
            return;
        }
        int actions = swap.offer(0);
        if ((actions & SwapAction.FENCE_NEEDED) != 0) {
            int next = swap.nextEpoch();
            if (next == 0) {
                trouble = "swap numbers of CPU " + cpu + " are used up";
            } else {
                swap.fence(next);
                swap.offer(0);
            }
        }
    }

    @Override
    public boolean poll(Transaction into) {
        if (taken) {
            return false;
        }
        long promised = swap.promise();
        if (promised < 0) {
            dirty |= wanted && !swap.open(); // withdrawn: ask again
            return false;
        }
        number = (int) promised;
        if (!load() || (swap.commit() & SwapAction.COMMITTED) == 0) {
            return false;
        }
        taken = true;
        wanted = false;
        System.arraycopy(words, 0, into.words(), 0, Message.WORDS);
        into.slot(cpu, number, 0);
        return true;
    }

    @Override
    public void expire() {
        // the host's watchdog ends the wait
    }

    private boolean load() {
        if (DecisionLine.read(decisions, layout.decision(push, epoch, cpu, 0), number, epoch, words)) {
            return true;
        }
        counters.torn++;
        abandon();
        return false;
    }

    @Override
    public void settle(Transaction decision, Outcome outcome) {
        if (!taken || number != decision.number()) {
            return; // of an epoch that is over
        }
        taken = false;
        answer = OutcomeWord.of(decision.number(), epoch, outcome, answerAt);
        links.toNic().storeRelease(answerAt, answer);
        dirty = true;
    }

    @Override
    public boolean isDirty() {
        return dirty;
    }

    @Override
    public void write() {
        dirty = false;
        offer();
    }

    @Override
    public void abandon() {
        if ((swap.reverse() & SwapAction.REVERSED) != 0) {
            counters.reversals++;
            dirty = true;
            leave();
        }
    }

    @Override
    public boolean hasDecision() {
        return !taken && swap.promise() >= 0;
    }

    @Override
    public void repeat() {
        links.toNic().storeRelease(answerAt, answer);
        swap.repeat();
    }

    @Override
    public void fence(int toEpoch) {
        epoch = toEpoch;
        swap = begin(toEpoch);
        taken = false;
        wanted = false;
        answer = 0;
        dirty = false;
        trouble = null;
    }

    @Override
    public @Nullable String trouble() {
        return trouble;
    }
}
