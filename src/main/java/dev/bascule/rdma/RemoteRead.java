package dev.bascule.rdma;

import dev.bascule.ffi.RawWords;
import dev.bascule.ffi.SendRequests;
import org.jspecify.annotations.Nullable;

/**
 * One thread's look at a line of the peer's copy: an RDMA READ, which its connection carries out behind the WRITEs before
 * it. Its result comes into a line of its own, as it may be older than what the peer has written here since.
 * <p>
 * Thread rule: one thread looks; any thread that polls the connection says {@link #arrived}.
 */
final class RemoteRead {
    /** How long a look is waited for: many round trips; then nobody knows, and the thread looks again later. */
    private static final long PATIENCE_NANOS = 5_000_000;
    private static final int SPINS = 64;

    private final int number;
    private final long at;
    private @Nullable MirrorLink over;
    private volatile boolean underWay;

    /**
     * @param number of the look; negative: there is no room for its result
     * @param at where the result comes in the mirror
     */
    RemoteRead(int number, long at) {
        this.number = number;
        this.at = at;
    }

    int number() {
        return number;
    }

    long at() {
        return at;
    }

    /** By whoever polled its completion. */
    void arrived() {
        underWay = false;
    }

    /**
     * Whether the line at the peer differs from the one here, if only in a part that is still to come, or that is not known in time; not if the connection is
     * broken: what the peer has not sent will never come.
     *
     * @param mirror address of the own copy
     * @param line offset in it, of the line
     */
    boolean isBehind(MirrorLink link, long mirror, long line, SendRequests requests) {
        if (number < 0) {
            throw new IllegalStateException("this mirror has no room for looks of so many threads");
        }
        MirrorLink before = over;
        if (underWay && before != null && before.isUp()) {
            before.poll();
            if (underWay) {
                return true; // a former one that took too long, and is older than what was stored now
            }
        }
        over = link;
        underWay = true;
        if (!link.look(this, line, requests)) {
            underWay = false;
            return link.isUp(); // no room: nobody knows
        }
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        for (int spins = 0; underWay; spins++) {
            link.poll();
            if (spins > SPINS) {
                Thread.yield();
                if (!link.isUp()) {
                    return false;
                }
                if (underWay && System.nanoTime() - deadline > 0) {
                    return true;
                }
            }
        }
        for (long word = 0; word < MirrorShape.LINE; word += Long.BYTES) {
            if (RawWords.loadAcquire(mirror + at + word) != RawWords.loadAcquire(mirror + line + word)) {
                return true;
            }
        }
        return false;
    }
}
