package dev.bascule.study.fabric;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Record of what the switch refused: how often for which reason, and the newest cases in words. */
public final class Audit {
    private static final int KEPT = 256;

    /** Why something was refused. */
    public enum Reason {
        /** Nothing answers at the address. */
        NO_TARGET("nothing answers there"),
        /** The policy forbids it. */
        FORBIDDEN("the policy forbids it"),
        /** A device wrote into a stream's window that is not its own. */
        NOT_OWNER("the window is another device's"),
        /** A source pushed more than the stream's credit. */
        NO_CREDIT("more than the stream's credit"),
        /** A device gave something back that it was not given. */
        NOTHING_OWED("nothing was given to it"),
        /** An item is longer than the fabric's limit. */
        TOO_LONG("longer than an item may be"),
        /** The stream was closed. */
        CLOSED("the stream is closed"),
        /** The device was taken out. */
        REMOVED("the device is gone"),
        /** The device said that the item makes no sense. */
        REJECTED("the device rejected it"),
        /** The graph drops it. */
        DROPPED("the graph drops it");

        private final String words;

        Reason(String words) {
            this.words = words;
        }

        /** For people. */
        public String words() {
            return words;
        }
    }

    /**
     * One refusal.
     *
     * @param timePs when
     * @param port whose message it was
     * @param what address or stream
     * @param reason why
     */
    public record Refusal(long timePs, String port, String what, Reason reason) {
        @Override
        public String toString() {
            return String.format("%.3f us: %s, %s: %s", timePs / 1e6, port, what, reason.words());
        }
    }

    private final Map<Reason, Long> counts = new EnumMap<>(Reason.class);
    private final Deque<Refusal> newest = new ArrayDeque<>();

    void refused(long timePs, String port, String what, Reason reason) {
        counts.merge(reason, 1L, Long::sum);
        if (newest.size() == KEPT) {
            newest.removeFirst();
        }
        newest.addLast(new Refusal(timePs, port, what, reason));
    }

    /** How often for this reason. */
    public long count(Reason reason) {
        return counts.getOrDefault(reason, 0L);
    }

    /** How often, by reason; those that never happened are left out. */
    public Map<Reason, Long> counts() {
        return Map.copyOf(counts);
    }

    /** The newest refusals, oldest first. */
    public List<Refusal> newest() {
        return new ArrayList<>(newest);
    }
}
