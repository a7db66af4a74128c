package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.lauberhorn.NestedCall;
import dev.bascule.lauberhorn.NicEndpoint;
import dev.bascule.lauberhorn.NicLines;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.rpc.Xdr;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls that threads make while they serve one: to a process of this machine, or over the wire. Each gets an endpoint for
 * its answer, which begins a life with the call.
 * <p>
 * Thread rule: the NIC's thread.
 */
final class NestedCalls {
    private final LauberhornConfig config;
    private final NicAddress address;
    private final ThreadPort[] threads;
    private final RequestPool pool;
    private final NicCounters counters;
    private final ReplyWriter writer;
    private final Consumer<Request> arrived;
    private final ServiceTable local;
    private final ServiceTable imports = new ServiceTable(Integer.MAX_VALUE);
    private final Map<Integer, Long> neighbours = new HashMap<>();
    private final UdpFlow flow = new UdpFlow();
    private final long[] words;
    private final long[] arguments;
    private final long[] result;
    private final CallIds ids;
    /** Threads whose call left by the wire, by {@link #key}: at most one entry a thread. */
    private final Map<Long, ThreadPort> called = new HashMap<>();

    NestedCalls(LauberhornConfig config, NicAddress address, ThreadPort[] threads, ServiceTable local,
            RequestPool pool, NicCounters counters, ReplyWriter writer, Consumer<Request> arrived) {
        this.config = config;
        this.address = address;
        ids = new CallIds(address);
        this.threads = threads;
        this.local = local;
        this.pool = pool;
        this.counters = counters;
        this.writer = writer;
        this.arrived = arrived;
        words = new long[Math.max(config.lines().mostReplyBytes(), config.lines().dmaBytes()) / Long.BYTES + 1];
        arguments = new long[words.length];
        result = new long[2 * words.length];
    }

    String addImport(Service service) {
        return imports.add(0, service);
    }

    void addNeighbour(int ipv4, long mac) {
        neighbours.put(ipv4, mac);
    }

    /** The endpoints of a thread that serves a request. */
    int doWork(ThreadPort port, long nowNanos, boolean mustYield) {
        NicLines calls = port.calls;
        NicLines answers = port.answers;
        return calls == null || answers == null
                ? 0
                : calls(port, calls, nowNanos) + answers(port, answers, nowNanos,
                        mustYield);
    }

    private int calls(ThreadPort port, NicLines lines, long nowNanos) {
        int actions = lines.poll(nowNanos, config.times().tryAgainNanos());
        if ((actions & NicEndpoint.FETCH) != 0) {
            int bytes = Math.clamp(lines.fetchedSize() & 0xffff_ffffL, 0, words.length * Long.BYTES);
            port.callDueNanos = nowNanos + config.costs().fetchNanos(bytes, config.lines().lineBytes());
        }
        if (lines.endpoint().isFetching() && nowNanos - port.callDueNanos >= 0) {
            Refusal why = take(port, lines, nowNanos);
            lines.endpoint().fetched();
            lines.fill(LineHead.READY, port.answerEpoch(), why == null ? 0 : why.status());
            return 1;
        }
        if ((actions & NicEndpoint.HOLD) != 0) {
            lines.fill(LineHead.READY, 0, 0); // the first load: a line to write into
        }
        return actions == 0 ? 0 : 1;
    }

    /** Takes a call; says why not, or null. */
    private @Nullable Refusal take(ThreadPort port, NicLines lines, long nowNanos) {
        long size = lines.fetchedSize();
        boolean byDma = (size & LineLayout.BY_DMA) != 0;
        int bytes = (int) size;
        if (!lines.endpoint().isAnswer(lines.fetchedHead()) || bytes < NestedCall.HEADER_BYTES
                || bytes > lines.mostBytes(byDma)) {
            return Refusal.BAD_REPLY;
        }
        lines.fetchPayload(words, bytes, byDma);
        counters.add(Total.NESTED);
        port.newAnswerEndpoint();
        int ipv4 = NestedCall.address(words);
        ServiceTable in = ipv4 == 0 ? local : imports;
        int row = in.find(NestedCall.program(words), NestedCall.version(words), NestedCall.procedure(words));
        if (row < 0) {
            return FrameReader.why(row);
        }
        int left = bytes - NestedCall.HEADER_BYTES;
        if (!Xdr.isValid(in.row(row).signature().arguments(), arguments(left), left)) {
            return Refusal.BAD_ARGUMENTS;
        }
        port.callRow = in.row(row);
        port.callState = ThreadPort.CALLED;
        port.callLimitNanos = nowNanos + config.times().answerNanos();
        return ipv4 == 0 ? here(port, left, nowNanos) : there(port, left, ipv4);
    }

    private long[] arguments(int bytes) {
        System.arraycopy(words, NestedCall.HEADER_WORDS, arguments, 0, Xdr.words(bytes));
        return arguments;
    }

    private @Nullable Refusal here(ThreadPort port, int bytes, long nowNanos) {
        Request request = pool.take();
        request.origin = Request.Origin.NESTED;
        request.row = port.callRow;
        request.caller = port.thread;
        request.call = port.call;
        request.arrivedNanos = nowNanos;
        System.arraycopy(arguments, 0, request.room(Xdr.words(bytes)), 0, Xdr.words(bytes));
        request.bytes = bytes;
        counters.add(Total.REQUESTS);
        arrived.accept(request);
        return null;
    }

    private @Nullable Refusal there(ThreadPort port, int bytes, int ipv4) {
        Long mac = neighbours.get(ipv4);
        if (mac == null) {
            port.callState = ThreadPort.NO_CALL;
            return Refusal.NO_ROUTE;
        }
        flow.isIpv6 = false;
        flow.fromMac = address.mac();
        flow.toMac = mac;
        flow.fromHigh = 0;
        flow.fromLow = address.ipv4() & 0xffff_ffffL;
        flow.toHigh = 0;
        flow.toLow = ipv4 & 0xffff_ffffL;
        flow.toPort = NestedCall.port(words);
        int xid = number(port, ipv4);
        ServiceTable.Row row = port.callRow;
        if (row == null || !writer.call(flow, xid, row, arguments, bytes)) {
            port.callState = ThreadPort.NO_CALL;
            return Refusal.BAD_ARGUMENTS;
        }
        return null;
    }

    /** Gives the call an id and a source port that no other call under way has; the id. */
    private int number(ThreadPort port, int ipv4) {
        called.remove(port.callKey, port);
        do {
            ids.draw();
            port.callKey = key(ids.port(), ids.xid());
        } while (called.putIfAbsent(port.callKey, port) != null);
        port.callIpv4 = ipv4;
        port.callPort = NestedCall.port(words);
        flow.fromPort = ids.port();
        return ids.xid();
    }

    private static long key(int port, int xid) {
        return (long) port << 32 | xid & 0xffff_ffffL;
    }

    private int answers(ThreadPort port, NicLines lines, long nowNanos, boolean mustYield) {
        if (!lines.endpoint().isHeld()) {
            int actions = lines.poll(nowNanos, config.times().tryAgainNanos());
            if (actions == 0) {
                return 0;
            }
        }
        if (!lines.endpoint().isHeld()) {
            return 0;
        }
        if (port.callState == ThreadPort.ANSWERED) {
            port.callState = ThreadPort.NO_CALL;
            boolean byDma = port.answerBytes > config.dmaThresholdBytes()
                    || port.answerBytes > config.lines().mostRequestBytes();
            return lines.fill(LineHead.ANSWER, port.answerStatus, 0, port.answerWords, port.answerBytes,
                    byDma ? LineLayout.BY_DMA : 0);
        }
        if (mustYield) {
            return lines.fill(LineHead.YIELD_NOW, 0, 0);
        }
        return lines.tick(nowNanos, 0);
    }

    // ---- answers -------------------------------------------------------------------------------------------------

    /** The result of a nested request of this machine; false if the words are none of the signature. */
    boolean result(Request request, long[] result, int bytes) {
        if (!Xdr.isValid(request.known().signature().result(), result, bytes)) {
            return false;
        }
        answer(request, 0, result, bytes);
        return true;
    }

    /** A nested request of this machine was refused. */
    void refused(Request request, Refusal why) {
        answer(request, why.status(), result, 0);
    }

    private void answer(Request request, long status, long[] payload, int bytes) {
        ThreadPort port = threads[request.caller];
        if (port.callState == ThreadPort.CALLED && port.call == request.call) {
            port.answer(status, payload, bytes);
        } else {
            counters.add(Total.UNWANTED_ANSWERS);
        }
    }

    /**
     * A reply from the wire: an answer only if it has the call's id, and comes from where that went to where it came from.
     *
     * @param back the way to who sent it
     */
    void reply(OncRpc head, UdpFlow back, byte[] payload, int bytes) {
        ThreadPort port = called.get(key(back.fromPort, head.xid()));
        ServiceTable.Row row = port == null ? null : port.callRow;
        if (port == null || row == null || port.callState != ThreadPort.CALLED || !port.hasCalled(back)) {
            counters.add(Total.UNWANTED_ANSWERS);
            return;
        }
        int length = bytes - head.bodyOffset();
        int decoded = head.status() == OncRpc.SUCCESS
                ? Xdr.decode(row.signature().result(), payload, head.bodyOffset(), length, result)
                : Xdr.BAD;
        boolean fits = decoded >= 0 && decoded <= Math.max(config.lines().mostRequestBytes(),
                config.lines().dmaBytes());
        port.answer(fits ? 0 : status(head.status()).status(), result, fits ? decoded : 0);
    }

    private static Refusal status(int status) {
        return switch (status) {
            case OncRpc.PROG_UNAVAIL -> Refusal.NO_PROGRAM;
            case OncRpc.PROG_MISMATCH -> Refusal.NO_VERSION;
            case OncRpc.PROC_UNAVAIL -> Refusal.NO_PROCEDURE;
            case OncRpc.GARBAGE_ARGS -> Refusal.BAD_ARGUMENTS;
            case OncRpc.SUCCESS -> Refusal.BAD_REPLY;
            default -> Refusal.HANDLER_FAILED;
        };
    }

    /** A call that nobody answers. */
    void expire(ThreadPort port, long nowNanos) {
        if (port.callState == ThreadPort.CALLED && nowNanos - port.callLimitNanos >= 0) {
            port.newAnswer(Refusal.TOO_LATE.status());
        }
    }
}
