package dev.bascule.swap;

import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of a bulk swap: messages change hands with an agent, which works on each and gives it back. A message is
 * with the host, with the agent, or promised by the agent and not committed yet; never with two of them.
 *
 * <pre>{@code
 * host.askBefore(this::stillTrue);   // what has ended meanwhile does not change hands
 * host.send(words, count);           // waits for a lane
 * host.commit();
 * int back = host.peek(into);        // a message that the agent promises, worked on
 * boolean isOurs = back > 0 && host.take(); // committed: it is the host's
 * }</pre>
 *
 * Thread rule: one thread. Allocates nothing after construction.
 */
public final class SwapBulkHost {
    private static final int WAITING = 512;

    private final SwapBulkArea area;
    private final Clock clock;
    private final HostLane[] lanes;
    private final ParcelQueue queue;
    private final TransportCounters counters = new TransportCounters();
    private Fresh fresh = (words, count) -> count;
    private @Nullable HostLane found;
    private int epoch = 1;
    private int next;

    /** Knowledge of which parts of a message have ended while it waited. */
    public interface Fresh {
        /**
         * Strikes what has ended.
         *
         * @param words the message, changed in place
         * @param count its length
         * @return its new length; 0 if nothing is left
         */
        int keep(long[] words, int count);
    }

    /**
     * A host on zeroed memory, in epoch 1.
     *
     * @param toNic NIC memory to write
     * @param memory host memory; its end is the host's alone, see {@link SwapBulkArea#sharedHostBytes}
     */
    public SwapBulkHost(SwapBulkArea area, Window toNic, Window memory, Clock clock) {
        this(area, toNic, memory, clock, SwapLedger.OFF);
    }

    SwapBulkHost(SwapBulkArea area, Window toNic, Window memory, Clock clock, SwapLedger ledger) {
        this.area = area;
        this.clock = clock;
        queue = new ParcelQueue(WAITING, area.words());
        lanes = new HostLane[area.lanes()];
        for (int lane = 0; lane < lanes.length; lane++) {
            lanes[lane] = new HostLane(area, lane, epoch, toNic, memory, SwapOptions.PATIENT, ledger, counters);
        }
    }

    /** Longest message, words: what {@link #peek} needs room for. */
    public int maxWords() {
        return area.words();
    }

    /** Sets the one to ask before a message is offered, and again before it changes hands. */
    public void askBefore(Fresh knows) {
        fresh = knows;
    }

    /**
     * Takes a message for the agent. False if too many wait.
     *
     * @throws IllegalArgumentException if it is empty or longer than {@link #maxWords}
     */
    public boolean send(long[] words, int count) {
        Objects.checkFromIndexSize(0, count, words.length);
        if (count < 1 || count > area.words()) {
            throw new IllegalArgumentException(
                    "bulk swap: a message of " + count + " words; it must have 1 to " + area.words());
        }
        return queue.add(words, count);
    }

    /** Offers what waits, as far as lanes are free. */
    public void commit() {
        for (HostLane lane : lanes) {
            lane.offer(queue, fresh, clock);
        }
    }

    /** Writes again what the link may have lost. To be called now and then. */
    public void heal() {
        for (HostLane lane : lanes) {
            lane.repeat();
        }
    }

    /**
     * One look at each lane, until one has a message that the agent promises and that is whole. It is copied, and is the
     * host's with {@link #take}; all others go on by themselves.
     *
     * @return its length in words, or 0
     */
    public int peek(long[] into) {
        found = null;
        for (int i = 0; i < lanes.length; i++) {
            HostLane lane = lanes[next];
            next = next + 1 == lanes.length ? 0 : next + 1;
            int words = lane.look(into, fresh, clock);
            if (words > 0) {
                found = lane;
                return words;
            }
            lane.offer(queue, fresh, clock);
        }
        return 0;
    }

    /** Commits the exchange that {@link #peek} found. False: the message stayed the agent's. */
    public boolean take() {
        HostLane lane = found;
        found = null;
        if (lane == null) {
            return false;
        }
        boolean taken = lane.take();
        lane.offer(queue, fresh, clock);
        return taken;
    }

    /**
     * A new epoch, for a new agent: all messages are the host's again, and what the old agent writes is not taken.
     *
     * @throws IllegalStateException after 65,535 epochs
     */
    public void fence() {
        epoch++;
        found = null;
        queue.clear();
        for (HostLane lane : lanes) {
            lane.fence(epoch);
        }
    }

    /** The epoch that an agent joins. */
    public int epoch() {
        return epoch;
    }

    /** Why a lane cannot go on without {@link #fence}; null if all can. */
    public @Nullable String trouble() {
        for (HostLane lane : lanes) {
            if (lane.trouble() != null) {
                return lane.trouble();
            }
        }
        return null;
    }

    /** Counts of messages that were not whole, not to be given, or taken back. Late values for other threads. */
    public TransportCounters counters() {
        return counters;
    }
}
