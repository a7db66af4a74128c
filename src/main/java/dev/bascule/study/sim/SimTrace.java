package dev.bascule.study.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The events of a run in the order in which they were simulated. The same seed gives the same bytes on any machine.
 * <p>
 * Two words an event: time ns; kind 8 | CPU 16 | task 24 | argument 16, high to low.
 */
public final class SimTrace {
    /** Kinds of events. The argument is named in brackets. */
    public enum Kind {
        /** A job arrived at a task [class]. */
        ARRIVES,
        /** A task became runnable [0]. */
        WAKES,
        /** A CPU starts a task [1: decided by the host itself; 2: a worker that spun there got a job]. */
        RUNS,
        /** The task's job is done [class]. */
        DONE,
        /** The task waits for something [0]. */
        BLOCKS,
        /** The task gave its CPU back [0]. */
        YIELDS,
        /** The task's slice is over and another waits [tasks that wait, at most 65,535]. */
        SLICE_OVER,
        /** A decision of the agent took the task off its CPU [0]. */
        PREEMPTED,
        /** The host refused a decision [outcome]. */
        REFUSED,
        /** The CPU has no decision and waits [tasks that wait]. */
        WAITS,
        /** A round of an agent that found work ends [work found]; CPU is the agent's number, task the ns it took. */
        ROUND,
        /** The agent was fenced [0]. */
        FENCED,
        /** A new agent is ready [0]. */
        READY,
        /** A job found no room [class]. */
        REJECTED,
        /** Crossings of the link in a step [interrupts]; CPU is transactions of the host, task those of the NIC. */
        LINK,
        /** The task comes from another socket than the CPU's [that socket 8 | the CPU's 8]; its start follows. */
        CROSSES;

        private static final Kind[] ALL = values();

        static Kind of(long word) {
            return ALL[(int) (word >>> 56)];
        }
    }

    /** The task of an event that is about none. */
    public static final int NO_TASK = 0xff_ffff;

    private long[] words = new long[4096];
    private int size;
    private final int most;
    private final boolean detailed;

    /** A trace that keeps at most so many events and then stops. */
    public SimTrace(int mostEvents) {
        this(mostEvents, false);
    }

    private SimTrace(int mostEvents, boolean detailed) {
        most = mostEvents;
        this.detailed = detailed;
    }

    /** A trace that also has the rounds of agents and what crossed the link. */
    public static SimTrace detailed(int mostEvents) {
        return new SimTrace(mostEvents, true);
    }

    /** Whether it has rounds and transactions. */
    public boolean isDetailed() {
        return detailed;
    }

    void add(long nanos, Kind kind, int cpu, int task, int argument) {
        if (size >> 1 >= most) {
            return;
        }
        if (size == words.length) {
            words = Arrays.copyOf(words, size * 2);
        }
        words[size++] = nanos;
        words[size++] = (long) kind.ordinal() << 56 | (cpu & 0xffffL) << 40 | (task & 0xff_ffffL) << 16
                | Math.min(argument, 0xffff) & 0xffffL;
    }

    /** Events kept. */
    public int size() {
        return size >> 1;
    }

    /** Whether events were left out at the end. */
    public boolean isFull() {
        return size >> 1 >= most;
    }

    /** Time of an event, ns. */
    public long nanos(int event) {
        return words[event * 2];
    }

    /** Kind of the event. */
    public Kind kind(int event) {
        return Kind.of(words[event * 2 + 1]);
    }

    /** CPU of the event, or agent. */
    public int cpu(int event) {
        return (int) (words[event * 2 + 1] >>> 40) & 0xffff;
    }

    /** Task of the event; {@link #NO_TASK} for none. */
    public int task(int event) {
        return (int) (words[event * 2 + 1] >>> 16) & 0xff_ffff;
    }

    /** Argument of the event. */
    public int argument(int event) {
        return (int) words[event * 2 + 1] & 0xffff;
    }

    /** All of it as bytes, big-endian. */
    public byte[] bytes() {
        ByteBuffer out = ByteBuffer.allocate(size * 8);
        for (int i = 0; i < size; i++) {
            out.putLong(words[i]);
        }
        return out.array();
    }

    /** The first event at which two traces differ, or -1. */
    public int firstDifference(SimTrace other) {
        int at = Arrays.mismatch(words, 0, size, other.words, 0, other.size);
        return at < 0 ? -1 : at >> 1;
    }

    /** One event as a line. */
    public String line(int event) {
        return nanos(event) + " ns  cpu " + cpu(event) + " task " + task(event) + " " + kind(event) + " "
                + argument(event);
    }
}
