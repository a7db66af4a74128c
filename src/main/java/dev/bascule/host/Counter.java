package dev.bascule.host;

/** The counters of a {@link CounterPage}, in the order of their slots. New ones are added at the end. */
public enum Counter {
    /** Emulated CPUs; does not count up. */
    CPUS("CPUs", Kind.GAUGE),
    /** Requests that have ended. */
    REQUESTS_SERVED("requests served", Kind.COUNT),
    /** Requests refused because there was no room. */
    REQUESTS_REJECTED("requests rejected", Kind.COUNT),
    /** Jobs that ended with an exception. */
    JOBS_FAILED("jobs failed", Kind.COUNT),
    /** Decisions of agents that the host has settled, whatever became of them. */
    DECISIONS("decisions", Kind.COUNT),
    /** Of these, those that came too late. */
    STALE("stale decisions", Kind.COUNT),
    /** Of these, those taken back or voided. */
    ABORTED("aborted decisions", Kind.COUNT),
    /** Decisions that were there when their CPU first looked. */
    PRESTAGE_HITS("prestage hits", Kind.COUNT),
    /** Decisions of the built-in policy. */
    LOCAL_DECISIONS("local decisions", Kind.COUNT),
    /** Agents fenced. */
    FENCES("fences", Kind.COUNT),
    /** Times a task got a CPU. */
    SWITCHES("switches", Kind.COUNT),
    /** Tasks taken off their CPU. */
    PREEMPTIONS("preemptions", Kind.COUNT),
    /** Messages that found a full channel. */
    OVERFLOWS("overflows", Kind.COUNT),
    /** Time that CPUs spent in tasks, ns. */
    BUSY_NANOS("busy time", Kind.NANOS),
    /** Tasks that could run and wait for a CPU. */
    TASKS_RUNNABLE("tasks runnable", Kind.GAUGE),
    /** Requests that wait for an idle task. */
    REQUESTS_WAITING("requests waiting", Kind.GAUGE),
    /** 1 while an agent decides, 0 while the host goes on by itself. */
    AGENT_READY("agent ready", Kind.GAUGE),
    /** The longest that a task has waited for a CPU, ns. */
    LONGEST_WAIT_NANOS("longest wait of a task", Kind.TIME),
    /** Tasks that waited past the limit of starvation while later ones were started. */
    TASKS_STARVED("tasks starved", Kind.COUNT),
    /** CPUs that the agent may use: neither taken nor offline. */
    CPUS_AVAILABLE("CPUs available", Kind.GAUGE);

    /** How a counter is read. */
    public enum Kind {
        /** Only grows: differences are events. */
        COUNT,
        /** Only grows: differences are nanoseconds. */
        NANOS,
        /** A value as it is now. */
        GAUGE,
        /** A time as it is now, ns. */
        TIME
    }

    private static final Counter[] VALUES = values();

    private final String label;
    private final Kind kind;

    Counter(String label, Kind kind) {
        this.label = label;
        this.kind = kind;
    }

    /** For people. */
    public String label() {
        return label;
    }

    /** How it is read. */
    public Kind kind() {
        return kind;
    }

    /** How many there are. */
    static int count() {
        return VALUES.length;
    }
}
