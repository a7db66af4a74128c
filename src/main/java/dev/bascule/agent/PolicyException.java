package dev.bascule.agent;

import dev.bascule.memory.SharedMemory;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A policy failed: it threw, or broke its contract with {@link QueueAgent}. The fault is the policy's, not the
 * framework's: the message names the policy, what it did, and where.
 */
public final class PolicyException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** The JDK, what calls policies, and what they call. */
    private static final Pattern NOT_POLICYS = Pattern.compile(
            "(java|javax|jdk|sun|dev\\.bascule\\.(agent|host|local|wave|swap|memory|ring|ffi|loopback|model"
                    + "|study\\.sim))\\.");

    /** A policy broke its contract; {@code what} it did, on what CPU and task, and what it should do. */
    public PolicyException(Agent policy, String what) {
        super("policy " + policy.name() + ": " + what);
    }

    private PolicyException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Whether what came out of a round is the policy's fault; what Bascule itself throws is about regions and devices. */
    static boolean isPolicys(Throwable thrown) {
        return thrown instanceof PolicyException
                || !thrown.getClass().getName().startsWith("dev.bascule.") && !SharedMemory.isTruncation(thrown);
    }

    /** The policy's own fault, made of what it threw: a {@code PolicyException} is returned as it is. */
    public static PolicyException of(Agent policy, Throwable thrown) {
        if (thrown instanceof PolicyException known) {
            return known;
        }
        String place = place(thrown);
        String message = thrown.getMessage();
        return new PolicyException("policy " + policy.name() + " threw "
                + thrown.getClass().getSimpleName() + (message == null ? "" : ": " + message)
                + (place == null ? "" : " at " + place), thrown);
    }

    /** The policy's own line in what came out of a round, as {@link #place(StackTraceElement[])} has it; null if there is none. */
    public static @Nullable String place(Throwable thrown) {
        StackTraceElement place = place(thrown.getStackTrace(), true);
        return place == null ? null : text(place);
    }

    /**
     * The policy's own line in the stack of a thread that runs an {@link AgentLoop}, innermost frame first; null if it is
     * in none of the policy's code.
     *
     * @return for people: {@code my.X.pick (X.java:42)}
     */
    public static @Nullable String place(StackTraceElement[] stack) {
        StackTraceElement place = place(stack, false);
        return place == null ? null : text(place);
    }

    /**
     * The innermost frame within a round that is the policy's.
     *
     * @param cut the round's own frame may be missing, as in the stack of one that is too deep
     */
    private static @Nullable StackTraceElement place(StackTraceElement[] stack, boolean cut) {
        StackTraceElement found = null;
        for (StackTraceElement frame : stack) {
            String of = frame.getClassName();
            if (of.equals(AgentLoop.class.getName())) {
                return found;
            }
            if (found == null && !NOT_POLICYS.matcher(of).lookingAt()) {
                found = frame;
            }
        }
        return cut ? found : null;
    }

    private static String text(StackTraceElement frame) {
        return frame.getClassName() + "." + frame.getMethodName() + " (" + frame.getFileName()
                + (frame.getLineNumber() > 0 ? ":" + frame.getLineNumber() : "") + ")";
    }
}
