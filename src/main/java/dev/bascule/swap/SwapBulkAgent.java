package dev.bascule.swap;

import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The agent's end of a bulk swap, for one epoch: takes a message that was given to it, works on it, and gives it back. One
 * that is only read is not given back. After {@link SwapBulkHost#fence} nothing comes any more and nothing is taken.
 * <p>
 * Thread rule: one thread. Allocates nothing after construction.
 */
public final class SwapBulkAgent {
    private final SwapBulkArea area;
    private final AgentLane[] lanes;
    private final TransportCounters counters = new TransportCounters();
    private @Nullable AgentLane from;
    private int next;

    /**
     * An agent that holds nothing.
     *
     * @param nic NIC memory
     * @param hostMemory host memory as the NIC reaches it
     * @param epoch as {@link SwapBulkHost#epoch} says
     */
    public SwapBulkAgent(SwapBulkArea area, Window nic, Window hostMemory, int epoch) {
        this(area, nic, hostMemory, epoch, SwapLedger.OFF);
    }

    SwapBulkAgent(SwapBulkArea area, Window nic, Window hostMemory, int epoch, SwapLedger ledger) {
        this.area = area;
        lanes = new AgentLane[area.lanes()];
        for (int lane = 0; lane < lanes.length; lane++) {
            lanes[lane] = new AgentLane(area, lane, epoch, nic, hostMemory, ledger, counters);
        }
    }

    /** Longest message, words: what {@link #receive} needs room for. */
    public int maxWords() {
        return area.words();
    }

    /** One look at each lane, until one has a message that is this agent's. Returns its length in words, or 0. */
    public int receive(long[] into) {
        for (int i = 0; i < lanes.length; i++) {
            AgentLane lane = lanes[next];
            next = next + 1 == lanes.length ? 0 : next + 1;
            lane.look();
            int words = lane.receive(into);
            if (words > 0) {
                from = lane;
                return words;
            }
        }
        return 0;
    }

    /**
     * Gives the message received last back, with these words in it. False: the one before it on its lane has not left yet;
     * look with {@link #commit}, and try again.
     *
     * @throws IllegalArgumentException if it is empty or longer than {@link #maxWords}
     * @throws IllegalStateException if there is none
     */
    public boolean giveBack(long[] words, int count) {
        Objects.checkFromIndexSize(0, count, words.length);
        AgentLane lane = from;
        if (count < 1 || count > area.words()) {
            throw new IllegalArgumentException(
                    "bulk swap: a message of " + count + " words; it must have 1 to " + area.words());
        }
        if (lane == null) {
            throw new IllegalStateException("bulk swap: no message to give back; receive one first");
        }
        if (!lane.giveBack(words, count)) {
            return false;
        }
        from = null;
        return true;
    }

    /** One look at each lane: learns what became of promises, and promises what it can. */
    public void commit() {
        for (AgentLane lane : lanes) {
            lane.look();
        }
    }

    /** Writes again what the link may have lost. To be called now and then when idle. */
    public void heal() {
        for (AgentLane lane : lanes) {
            lane.repeat();
        }
    }

    /** Counts of messages that were not whole. Late values for other threads. */
    public TransportCounters counters() {
        return counters;
    }
}
