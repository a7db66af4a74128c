package dev.bascule.run;

import dev.bascule.agent.Identity;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Decisions that were refused and could not have been right when they were made. The host refuses much for which nobody
 * is to blame: the task changed, the CPU was taken, the agent was replaced. A decision carries the number of the newest
 * message the agent had about the task; if that is still the newest, the agent knew all there was to know.
 * <p>
 * Thread rule: {@link #settled} by whoever holds the decision's CPU, a refusal by one that holds all of them; as
 * {@link dev.bascule.agent.Mechanism} calls its listener. The rest by any thread. Does not allocate but for the first
 * fault.
 */
public final class PolicyFaults {
    private static final long NEVER = -1;

    private final LongAdder count = new LongAdder();
    private final AtomicReference<@Nullable String> first = new AtomicReference<>();
    /** The last decision in force for each task: {@link Identity}. */
    private final long[] done;

    /** For an enclave of so many tasks. */
    PolicyFaults(int tasks) {
        done = new long[tasks];
        Arrays.fill(done, NEVER);
    }

    void settled(Transaction decision, Outcome outcome) {
        int task = decision.task();
        boolean isTask = task < done.length;
        long identity = Identity.of(decision.epoch(), decision.sequence(), task);
        if (outcome == Outcome.COMPLETE) {
            if (isTask) {
                done[task] = identity;
            }
            return;
        }
        boolean isRace = outcome == Outcome.NOT_PERMITTED && decision.isAssociation(); // that agent's CPUs have gone
        String why = isRace ? null : why(outcome, isTask && done[task] == identity);
        if (why != null) {
            count.increment();
            if (first.get() == null) {
                first.compareAndSet(null, "task " + task + " for CPU " + decision.cpu() + ": " + why + " (" + outcome
                        + ")");
            }
        }
    }

    /** Reason for a refusal that the policy should have known; null if the policy is not to blame. */
    private static @Nullable String why(Outcome outcome, boolean again) {
        return switch (outcome) {
            case TARGET_ONCPU, TARGET_STALE, TARGET_NOT_RUNNABLE -> again
                    ? "decided twice; no message had said that it is runnable again"
                    : outcome == Outcome.TARGET_NOT_RUNNABLE ? "it is blocked, and the agent had been told" : null;
            case INVALID_TARGET -> "there is no such task";
            case INVALID_CPU -> "there is no such CPU in the enclave";
            case INVALID_FLAGS -> "flags that contradict each other, or are unknown";
            case NOT_PERMITTED -> "the task may not run there, or has left";
            case UNSUPPORTED_VERSION -> "a version of the transaction that is not spoken here";
            default -> null;
        };
    }

    /** Faults so far. */
    long count() {
        return count.sum();
    }

    /** The first of all, in words; null if there is none. */
    @Nullable
    String first() {
        return first.get();
    }
}
