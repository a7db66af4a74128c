package dev.bascule.rdma;

import dev.bascule.ffi.SendRequests;
import java.lang.invoke.VarHandle;

/**
 * Stores of one thread into a mirror since its last fence, as ranges in the order of their first stores, and its
 * requests. Stores side by side become one range; a range that is stored again leaves once, with its newest content.
 * <p>
 * Thread rule: one thread. Allocation-free after construction.
 */
final class MirrorWriter {
    private static final int RANGES = 64;
    /** Interval at which stores that change nothing leave, each time for {@link #REPEAT_NANOS}. */
    private static final long REPEAT_EVERY_NANOS = 16_000_000;
    private static final long REPEAT_NANOS = 1_000_000;
    /** Requests of a chain. */
    static final int CHAIN = 64;

    private final Mirror mirror;
    private final long[] from = new long[RANGES];
    private final long[] to = new long[RANGES];
    private final SendRequests requests = new SendRequests(CHAIN);
    private final RemoteRead look;
    private Runnable behind = () -> {};
    private int count;
    private long repeating = System.nanoTime();

    MirrorWriter(Mirror mirror, int number) {
        this.mirror = mirror;
        boolean hasLook = number < mirror.shape().threads();
        look = new RemoteRead(hasLook ? number : -1, hasLook ? mirror.shape().look(number) : -1);
    }

    /** Sets what is done at the end of every fence. */
    void behindFences(Runnable action) {
        behind = action;
    }

    /** Whether a store that changes nothing is to leave now. */
    boolean mayRepeat() {
        long now = System.nanoTime();
        if (now - repeating > REPEAT_EVERY_NANOS) {
            repeating = now;
        }
        return now - repeating < REPEAT_NANOS;
    }

    /** Notes that bytes of the mirror were stored. */
    void stored(long at, int bytes) {
        long end = at + bytes;
        int last = count - 1;
        if (last >= 0) {
            if (at >= from[last] && end <= to[last]) {
                return;
            }
            if (at == to[last]) {
                to[last] = end;
                return;
            }
            if (end == from[last]) {
                from[last] = at;
                return;
            }
        }
        if (count == RANGES) {
            fence(); // as a write-combining buffer that is full
        }
        from[count] = at;
        to[count] = end;
        count++;
    }

    int ranges() {
        return count;
    }

    long from(int range) {
        return from[range];
    }

    long to(int range) {
        return to[range];
    }

    SendRequests requests() {
        return requests;
    }

    /** Has everything leave that was stored. */
    void fence() {
        if (count > 0) {
            leave();
        }
        MirrorLink[] links = mirror.links();
        for (int i = 0; i < links.length; i++) {
            links[i].pace();
        }
        behind.run();
    }

    private void leave() {
        VarHandle.fullFence(); // partner: Mirror.join, which sees the stores, or these see its connection
        MirrorLink[] links = mirror.links();
        for (int i = 0; i < links.length; i++) {
            links[i].post(this);
        }
        count = 0;
    }

    /** See {@link dev.bascule.memory.Window#isBehind}. */
    boolean isBehind(long at, int agent) {
        fence();
        MirrorLink link = mirror.linkOf(agent);
        // without a link nobody is there who could have stored anything
        return link != null && look.isBehind(link, mirror.address(), at & -MirrorShape.LINE, requests);
    }
}
