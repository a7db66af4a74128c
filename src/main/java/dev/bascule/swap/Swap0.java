package dev.bascule.swap;

import dev.bascule.ring.IdleStrategy;
import java.util.function.LongSupplier;

/**
 * The synchronous mode: offer at the decision point and wait for the reflection. Late binding and the freshest
 * decisions; the host core waits one round trip of lines plus the agent's time, bounded by the window.
 * <p>
 * Thread rule: the dispatcher thread of the cell. Allocation-free.
 */
public final class Swap0 {
    private final HostCell host;
    private final IdleStrategy idle;
    private final LongSupplier clockNanos;
    private int outcome;

    public Swap0(HostCell host, IdleStrategy idle, LongSupplier clockNanos) {
        this.host = host;
        this.idle = idle;
        this.clockNanos = clockNanos;
    }

    /**
     * Gives token {@code a} (or {@link Token#NONE}) and returns the agent's, or NONE: then {@link #outcome()} says
     * whether the agent gave none, the swap was reversed (decide locally; {@link Act#LOST_RACE} if by another
     * thread) or could not be offered.
     */
    public long decide(long a, long state48, long recall) {
        outcome = host.offer(a, state48, recall, 0, clockNanos.getAsLong());
        if ((outcome & Act.WRITE) == 0) {
            return Token.NONE;
        }
        for (;;) {
            int actions = host.poll(clockNanos.getAsLong());
            if ((actions & (Act.COMMITTED | Act.REVERSED | Act.DAMAGED)) != 0) {
                outcome = actions;
                return (actions & Act.COMMITTED) != 0 ? host.received() : Token.NONE;
            }
            if (!host.open()) {
                outcome = Act.LOST_RACE; // another thread reversed it or fenced the cell
                return Token.NONE;
            }
            idle.idle(0);
        }
    }

    /** The bits of {@link Act} with which the last decision ended. */
    public int outcome() {
        return outcome;
    }
}
