package dev.bascule.model.lauberhorn;

import dev.bascule.rpc.UdpFlow;
import java.security.SecureRandom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Calls that came from each sender lately, and their replies: a call that comes again, because its client or the network
 * repeats it, is not run again. Bounded: {@link #FLOWS} senders, of each the last {@link #CALLS} calls, whose replies
 * together have {@link #REPLY_BYTES} bytes at most, none older than {@link #WINDOW_NANOS}. What is beyond that runs again.
 * <p>
 * Thread rule: the NIC's thread. Allocation-free once a sender's place has been used.
 */
final class AnsweredCalls {
    /** Senders that are remembered. */
    static final int FLOWS = 256;
    /** Calls of each. */
    static final int CALLS = 64;
    /** Bytes of replies to each. */
    static final int REPLY_BYTES = 1 << 16;
    /** Age up to which a call is remembered, ns. */
    static final long WINDOW_NANOS = 60_000_000_000L;

    private static final int WAYS = 4;
    private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

    private final @Nullable Flow[] flows = new Flow[FLOWS];
    private final long seed = new SecureRandom().nextLong();
    private long clock;

    /** The calls of one sender. */
    static final class Flow {
        private static final int UNDER_WAY = -1;

        final UdpFlow back = new UdpFlow();
        private final long[] keys = new long[CALLS];
        private final long[] bornNanos = new long[CALLS];
        private final int[] bytes = new int[CALLS];
        private final long[] startsAt = new long[CALLS];
        private final byte[] replies = new byte[REPLY_BYTES];
        private long written;
        private int newest;
        private long usedAt;

        private void begin(UdpFlow sender) {
            back.set(sender);
            Arrays.fill(keys, 0);
            written = 0;
            newest = 0;
        }

        private boolean isThere(int call, long nowNanos) {
            return nowNanos - bornNanos[call] < WINDOW_NANOS
                    && (bytes[call] == UNDER_WAY || written - startsAt[call] <= REPLY_BYTES);
        }
    }

    /** State of a call, as far as it is known. */
    enum Known {
        NEW, UNDER_WAY, ANSWERED
    }

    private int found;
    private @Nullable Flow foundFlow;

    /** Looks for the call; one that is new is under way from now on, until {@link #answered} or {@link #forget}. */
    Known look(Request request, long nowNanos) {
        Flow flow = flow(request.back);
        long key = key(request);
        request.flow = flow;
        request.key = key;
        for (int call = 0; call < CALLS; call++) {
            if (flow.keys[call] == key && flow.isThere(call, nowNanos)) {
                found = call;
                foundFlow = flow;
                return flow.bytes[call] == Flow.UNDER_WAY ? Known.UNDER_WAY : Known.ANSWERED;
            }
        }
        flow.newest = flow.newest + 1 & CALLS - 1;
        flow.keys[flow.newest] = key;
        flow.bornNanos[flow.newest] = nowNanos;
        flow.bytes[flow.newest] = Flow.UNDER_WAY;
        request.place = flow.newest;
        return Known.NEW;
    }

    /** Copies the reply of the call that {@link #look} found answered; its bytes. */
    int reply(byte[] into, int offset) {
        Flow flow = foundFlow;
        if (flow == null) {
            return 0;
        }
        int start = (int) (flow.startsAt[found] % REPLY_BYTES);
        System.arraycopy(flow.replies, start, into, offset, flow.bytes[found]);
        return flow.bytes[found];
    }

    /** Keeps the reply to a call. One that is too long for that leaves the call under way: it is dropped if it comes again. */
    void answered(Request request, byte[] reply, int offset, int bytes) {
        Flow flow = mine(request);
        if (flow == null || bytes > REPLY_BYTES) {
            return;
        }
        int start = (int) (flow.written % REPLY_BYTES);
        if (start + bytes > REPLY_BYTES) { // a reply lies in one piece
            flow.written += REPLY_BYTES - start;
            start = 0;
        }
        System.arraycopy(reply, offset, flow.replies, start, bytes);
        flow.startsAt[request.place] = flow.written;
        flow.bytes[request.place] = bytes;
        flow.written += bytes;
    }

    /** The call was not run: it may come again. */
    void forget(Request request) {
        Flow flow = mine(request);
        if (flow != null) {
            flow.keys[request.place] = 0;
        }
    }

    private static @Nullable Flow mine(Request request) {
        Flow flow = request.flow;
        return flow != null && flow.keys[request.place] == request.key && flow.back.isSame(request.back) ? flow : null;
    }

    /** The sender's place; if it has none, that of the one of its four that was silent longest. */
    private Flow flow(UdpFlow sender) {
        int first = (int) (mix(mix(mix(seed, sender.toHigh), sender.toLow), (long) sender.toPort << 16
                | sender.fromPort) >>> 32) & FLOWS - WAYS;
        int oldest = first;
        for (int way = first; way < first + WAYS; way++) {
            Flow flow = flows[way];
            if (flow != null && flow.back.isSame(sender)) {
                flow.usedAt = ++clock;
                return flow;
            }
            if (usedAt(way) < usedAt(oldest)) {
                oldest = way;
            }
        }
        Flow flow = flows[oldest];
        if (flow == null) {
            flow = new Flow();
            flows[oldest] = flow;
        }
        flow.begin(sender);
        flow.usedAt = ++clock;
        return flow;
    }

    private long usedAt(int way) {
        Flow flow = flows[way];
        return flow == null ? 0 : flow.usedAt;
    }

    /** Never 0. Id, procedure and arguments: a client that uses an id again for another call is served. */
    private long key(Request request) {
        ServiceTable.Row row = request.known();
        boolean isOnc = request.origin == Request.Origin.ONC_RPC;
        long key = mix(mix(seed, isOnc ? request.xid & 0xffff_ffffL : ~request.compactId),
                (long) row.service().program() << 32 | row.service().version() & 0xffff_ffffL);
        key = mix(key, (long) row.procedure().number() << 32 | request.bytes);
        for (int i = 0; i < request.bytes + 7 >> 3; i++) {
            key = mix(key, request.words[i]);
        }
        return key | 1;
    }

    private static long mix(long hash, long value) {
        long mixed = (hash ^ value) * MIX;
        return mixed ^ mixed >>> 29;
    }
}
