package dev.bascule.study.compare;

import dev.bascule.ffi.HeldProcess;
import dev.bascule.ffi.NativeException;
import org.jspecify.annotations.Nullable;

/**
 * One fault of an agent's process, inflicted by the host's own thread at a known moment, and when the host noticed. All
 * times are ns after the fault; -1: it did not happen.
 */
final class FaultTrace implements AutoCloseable {
    private static final int SIGKILL = 9;
    private static final int SIGCONT = 18;
    private static final int SIGSTOP = 19;

    private long pid;
    private @Nullable HeldProcess process;
    private int signal;
    private long atNanos = Long.MAX_VALUE;
    private long pauseNanos;
    private long injectedNanos;
    private boolean paused;
    private boolean spoiled;
    private long firstLocal = -1;
    private long fenced = -1;
    private long recovered = -1;
    private long locals;
    private String why = "";

    /** The process is killed at {@code atNanos}. */
    void kill(long process, long atNanos) {
        arm(process, SIGKILL, atNanos, 0);
    }

    /** The process stands still from {@code atNanos} for so long. */
    void pause(long process, long atNanos, long pauseNanos) {
        arm(process, SIGSTOP, atNanos, pauseNanos);
    }

    private void arm(long agent, int with, long at, long pause) {
        close();
        pid = agent;
        process = HeldProcess.open(agent);
        signal = with;
        pauseNanos = pause;
        injectedNanos = 0;
        paused = false;
        spoiled = false;
        firstLocal = -1;
        fenced = -1;
        recovered = -1;
        locals = 0;
        why = "";
        send(0); // the first call of a native function is slow
        atNanos = at;
    }

    /**
     * Called in every round of the host. A fault whose agent is not the one in charge any more is spoiled and not
     * inflicted.
     *
     * @param inCharge process id of the agent that decides now; -1: none does
     */
    void poll(long now, long inCharge) {
        if (now >= atNanos) {
            atNanos = Long.MAX_VALUE;
            if (inCharge != pid) {
                spoiled = true;
                return;
            }
            injectedNanos = System.nanoTime();
            send(signal);
            paused = signal == SIGSTOP;
        } else if (paused && now - injectedNanos >= pauseNanos) {
            resume();
        }
    }

    /** Lets a stopped process go on. */
    void resume() {
        if (paused && fenced < 0) {
            send(SIGCONT);
        }
        paused = false;
    }

    private void send(int what) {
        try {
            if (process != null) {
                process.signal(what);
            }
        } catch (NativeException e) {
            paused = false; // it is gone already
        }
    }

    /** Lets go of the process. */
    @Override
    public void close() {
        if (process != null) {
            process.close();
            process = null;
        }
    }

    private boolean isOver() {
        return injectedNanos != 0;
    }

    void local(long now) {
        if (isOver()) {
            locals++;
            firstLocal = firstLocal < 0 ? now - injectedNanos : firstLocal;
        }
    }

    void fenced(long now, String reason) {
        if (isOver() && fenced < 0) {
            fenced = now - injectedNanos;
            why = reason;
        }
    }

    void decided(long now) {
        if (fenced >= 0 && recovered < 0) {
            recovered = now - injectedNanos;
        }
    }

    /** Whether nothing was inflicted, because the agent had just been replaced for another reason. */
    boolean isSpoiled() {
        return spoiled;
    }

    boolean isFenced() {
        return fenced >= 0;
    }

    boolean isRecovered() {
        return recovered >= 0;
    }

    long firstLocalNanos() {
        return firstLocal;
    }

    long fencedNanos() {
        return fenced;
    }

    long recoveredNanos() {
        return recovered;
    }

    /** Decisions that the host made for itself since the fault. */
    long locals() {
        return locals;
    }

    String why() {
        return why;
    }
}
