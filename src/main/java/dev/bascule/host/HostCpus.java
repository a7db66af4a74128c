package dev.bascule.host;

import dev.bascule.agent.Mechanism;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * The CPUs of a running host, which come and go: something outside of the enclave takes one for a while, or it is
 * unplugged. What runs there leaves it at its next yield point, and decisions for it are refused until it is back.
 * <p>
 * A task that may use unplugged CPUs only may use any from then on, as Linux does it; one whose CPUs are taken waits.
 * <p>
 * Thread rule: any thread. Errors: a CPU that the host has not is an {@link IllegalArgumentException}, unplugging the last
 * one an {@link IllegalStateException}.
 */
public final class HostCpus {
    /** Change that may befall a CPU. */
    public enum Change {
        /** Something outside of the enclave takes it. */
        TAKE("was taken"),
        /** The enclave has it back. */
        GIVE("was given back"),
        /** It is unplugged. */
        OFFLINE("went offline"),
        /** It is plugged in again. */
        ONLINE("came online");

        private static final Change[] VALUES = values();

        private final String past;

        Change(String past) {
            this.past = past;
        }

        /** The name as users write it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /**
         * The change of this name.
         *
         * @throws IllegalArgumentException if there is none
         */
        public static Change of(String text) {
            for (Change one : VALUES) {
                if (one.text().equals(text)) {
                    return one;
                }
            }
            throw new IllegalArgumentException(
                    "'" + text + "' is nothing that happens to a CPU; there are take, give, offline and online");
        }
    }

    /** State of a CPU. */
    public enum State {
        /** The agent may use it. */
        AVAILABLE,
        /** Something outside of the enclave has it. */
        TAKEN,
        /** It is unplugged. */
        OFFLINE;

        /** The name as users read it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Mechanism mechanism;
    private final Dispatcher dispatcher;
    private final LiveCpu[] cpus;
    private final int tasks;
    private final List<String> events = new ArrayList<>();

    /** With all locks of the host's; tasks 0 to {@code tasks} - 1 are the host's. */
    HostCpus(Mechanism mechanism, Dispatcher dispatcher, LiveCpu[] cpus, int tasks) {
        this.mechanism = mechanism;
        this.dispatcher = dispatcher;
        this.cpus = cpus;
        this.tasks = tasks;
    }

    /** How many there are, those that are away included. */
    public int count() {
        return cpus.length;
    }

    /** Changes what is with a CPU; nothing if that is so already. Does not wait until nothing runs there: {@link #isIdle}. */
    public void change(int cpu, Change change) {
        LiveCpu of = require(cpu);
        dispatcher.lockAll();
        try {
            State before = stateOf(cpu);
            apply(cpu, change);
            of.isAway = !mechanism.isAvailable(cpu);
            mechanism.commit();
            if (stateOf(cpu) != before) {
                note("CPU " + cpu + " " + change.past);
            }
        } finally {
            dispatcher.unlockAll();
        }
        LockSupport.unpark(of.thread());
    }

    private void apply(int cpu, Change change) {
        switch (change) {
            case TAKE -> mechanism.cpuBusy(cpu);
            case GIVE -> mechanism.cpuAvailable(cpu);
            case ONLINE -> mechanism.cpuOnline(cpu);
            case OFFLINE -> {
                if (isLastOnline(cpu)) {
                    throw new IllegalStateException("unplug CPU " + cpu + ": it is the last one online");
                }
                mechanism.cpuOffline(cpu);
                freeTheBound();
            }
        }
    }

    private boolean isLastOnline(int cpu) {
        for (int other = 0; other < cpus.length; other++) {
            if (other != cpu && !mechanism.isOffline(other)) {
                return false;
            }
        }
        return true;
    }

    private void freeTheBound() {
        for (int task = 0; task < tasks; task++) {
            if (!mechanism.hasCpu(task)) {
                mechanism.setAffinity(task, -1);
                note("task " + task + " may use any CPU from now on: all of its own are offline");
            }
        }
    }

    private LiveCpu require(int cpu) {
        if (cpu < 0 || cpu >= cpus.length) {
            throw new IllegalArgumentException("there is no CPU " + cpu + "; CPUs are 0 to " + (cpus.length - 1));
        }
        return cpus[cpu];
    }

    private synchronized void note(String event) {
        if (events.size() < 1000) {
            events.add(event);
        }
    }

    /** Events of the CPUs, oldest first. */
    public synchronized List<String> events() {
        return List.copyOf(events);
    }

    /** State of the CPU now. */
    public State state(int cpu) {
        require(cpu);
        dispatcher.lockAll();
        try {
            return stateOf(cpu);
        } finally {
            dispatcher.unlockAll();
        }
    }

    /** How many the agent may use. */
    public int available() {
        int count = 0;
        dispatcher.lockAll();
        try {
            for (LiveCpu cpu : cpus) {
                count += mechanism.isAvailable(cpu.id) ? 1 : 0;
            }
            return count;
        } finally {
            dispatcher.unlockAll();
        }
    }

    private State stateOf(int cpu) {
        return mechanism.isOffline(cpu)
                ? State.OFFLINE
                : mechanism.isAvailable(cpu) ? State.AVAILABLE : State.TAKEN;
    }

    /** Whether no task is on the CPU; of one that is away this stays so. */
    public boolean isIdle(int cpu) {
        require(cpu);
        dispatcher.lockAll();
        try {
            return mechanism.current(cpu) == Mechanism.NONE;
        } finally {
            dispatcher.unlockAll();
        }
    }

    /**
     * Changes the CPUs that a task may use; one that runs on another CPU leaves it at its next yield point.
     *
     * @param mask bit n for CPU n of the first 64; -1: any
     * @throws IllegalArgumentException if no CPU among them is online, or there is no such task
     */
    public void setAffinity(int task, long mask) {
        if (task < 0 || task >= tasks) {
            throw new IllegalArgumentException("there is no task " + task + "; tasks are 0 to " + (tasks - 1));
        }
        dispatcher.lockAll();
        try {
            requireOnline(task, mask);
            mechanism.setAffinity(task, mask);
            mechanism.commit();
        } finally {
            dispatcher.unlockAll();
        }
    }

    private void requireOnline(int task, long mask) {
        for (int cpu = 0; cpu < cpus.length; cpu++) {
            if ((cpu < Long.SIZE ? mask >>> cpu & 1 : mask >>> Long.SIZE - 1) != 0 && !mechanism.isOffline(cpu)) {
                return;
            }
        }
        throw new IllegalArgumentException("set the CPUs of task " + task + " to 0x" + Long.toHexString(mask)
                + ": none of them is online (EINVAL)");
    }

    /** Whether the task on the CPU has to leave it. */
    boolean mustLeave(int cpu) {
        dispatcher.lockAll();
        try {
            return mechanism.mustLeave(cpu);
        } finally {
            dispatcher.unlockAll();
        }
    }
}
