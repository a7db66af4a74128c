package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.NicCounters.Drop;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.CompactRpc;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.UdpDecoder;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.rpc.Xdr;

/**
 * The receive pipeline: takes frames apart, beat by beat, and makes requests of them. What is no RPC for this NIC goes to
 * the bypass; what nobody can use is dropped and counted; what is an RPC but no good one gets a refusal at once.
 * <p>
 * Thread rule: the NIC's thread. Allocation-free once its buffers have grown.
 */
final class FrameReader implements WireEnd.FrameSink {
    /** Where its results go. */
    interface Target {
        /** A good request. */
        void request(Request request);

        /** A reply, and the way to who sent it. */
        void reply(OncRpc head, UdpFlow back, byte[] payload, int bytes);

        /** A frame for the kernel. */
        void bypass(byte[] data, int offset, int bytes);
    }

    /** Width of the pipeline, as in the prototype. */
    private static final int BEAT_BYTES = 64;
    private static final long BROADCAST = 0xffff_ffff_ffffL;
    private static final long GROUP_BIT = 0x0100_0000_0000L;

    private final NicAddress address;
    private final ServiceTable table;
    private final RequestPool pool;
    private final ReplyWriter writer;
    private final NicCounters counters;
    private final Target target;
    private final int mostBytes;
    private final UdpDecoder decoder;
    private final OncRpc onc = new OncRpc();
    private final CompactRpc compact = new CompactRpc();
    private final UdpFlow back = new UdpFlow();
    long nowNanos;

    /** @param mostBytes of decoded arguments that the lines, or DMA, can carry */
    FrameReader(NicAddress address, ServiceTable table, RequestPool pool, ReplyWriter writer, NicCounters counters,
            Target target, int mostPayloadBytes, int mostBytes) {
        this.address = address;
        this.table = table;
        this.pool = pool;
        this.writer = writer;
        this.counters = counters;
        this.target = target;
        this.mostBytes = mostBytes;
        decoder = new UdpDecoder(mostPayloadBytes);
    }

    @Override
    public void frame(byte[] data, int offset, int lengthBytes) {
        counters.add(Total.FRAMES);
        decoder.begin();
        for (int at = 0; at < lengthBytes; at += BEAT_BYTES) {
            decoder.feed(data, offset + at, Math.min(BEAT_BYTES, lengthBytes - at));
        }
        UdpDecoder.Verdict verdict = decoder.end();
        long to = lengthBytes < UdpDecoder.ETHERNET_BYTES ? 0 : decoder.flow().toMac;
        boolean isGroup = to == BROADCAST || (to & GROUP_BIT) != 0;
        if (to != address.mac() && !isGroup && lengthBytes >= UdpDecoder.ETHERNET_BYTES) {
            counters.add(Drop.OTHER_STATION);
        } else if (verdict == UdpDecoder.Verdict.UDP && !isGroup && address.isMine(decoder.flow())) {
            if (address.isNobody(decoder.flow())) {
                counters.add(Drop.SPOOFED);
                return;
            }
            back.setBack(decoder.flow());
            payload(decoder.payload(), decoder.payloadBytes());
        } else {
            other(verdict, data, offset, lengthBytes);
        }
    }

    private void other(UdpDecoder.Verdict verdict, byte[] data, int offset, int lengthBytes) {
        switch (verdict) {
            case UDP, OTHER -> target.bypass(data, offset, lengthBytes);
            case FRAGMENT -> counters.add(Drop.FRAGMENT);
            case TRUNCATED -> counters.add(Drop.TRUNCATED);
            case BAD_LENGTH -> counters.add(Drop.BAD_LENGTH);
            case BAD_IP_CHECKSUM -> counters.add(Drop.BAD_IP_CHECKSUM);
            case BAD_UDP_CHECKSUM -> counters.add(Drop.BAD_UDP_CHECKSUM);
            case TOO_LONG -> counters.add(Drop.TOO_LONG);
        }
    }

    private void payload(byte[] data, int bytes) {
        if (CompactRpc.isCompact(data, 0, bytes)) {
            compact(data, bytes);
            return;
        }
        switch (onc.read(data, 0, bytes)) {
            case CALL -> call(data, bytes);
            case REPLY -> target.reply(onc, back, data, bytes);
            case OTHER_VERSION -> {
                refused(Refusal.NO_VERSION);
                writer.rpcMismatch(back, onc.xid());
            }
            case DENIED -> counters.add(Drop.NO_CALL);
            default -> counters.add(Drop.NO_RPC);
        }
    }

    private void refused(Refusal why) {
        counters.add(Total.REQUESTS);
        counters.add(Total.REFUSED);
        counters.add(why);
    }

    /** Why a table has no such row. */
    static Refusal why(int row) {
        return switch (row) {
            case ServiceTable.NO_PROGRAM -> Refusal.NO_PROGRAM;
            case ServiceTable.NO_VERSION -> Refusal.NO_VERSION;
            default -> Refusal.NO_PROCEDURE;
        };
    }

    private void call(byte[] data, int bytes) {
        int row = table.find(onc.program(), onc.version(), onc.procedure());
        if (row < 0) {
            refuseOnc(why(row));
            return;
        }
        Request request = pool.take();
        Signature signature = table.row(row).signature();
        int left = bytes - onc.bodyOffset();
        long[] words = request.room(2 * signature.arguments().size() + (left >> 2) + 1);
        request.bytes = Xdr.decode(signature.arguments(), data, onc.bodyOffset(), left, words);
        if (request.bytes == Xdr.BAD || request.bytes > mostBytes) {
            pool.give(request);
            refuseOnc(Refusal.BAD_ARGUMENTS);
            return;
        }
        request.origin = Request.Origin.ONC_RPC;
        request.xid = onc.xid();
        pass(request, row);
    }

    private void refuseOnc(Refusal reason) {
        refused(reason);
        writer.refuseOnc(back, onc.xid(), onc.program(), reason);
    }

    private void compact(byte[] data, int bytes) {
        if (!compact.read(data, 0, bytes) || compact.isReply()) {
            counters.add(compact.isReply() ? Drop.NO_CALL : Drop.NO_RPC);
            return;
        }
        int row = table.findNewest(compact.program(), compact.procedure());
        if (row < 0) {
            refuseCompact(why(row));
            return;
        }
        Request request = pool.take();
        int length = compact.payloadBytes();
        long[] words = request.room(length + 7 >> 3);
        Xdr.copyIn(data, CompactRpc.HEADER_BYTES, length, words, 0);
        if (length > mostBytes || !Xdr.isValid(table.row(row).signature().arguments(), words, length)) {
            pool.give(request);
            refuseCompact(Refusal.BAD_ARGUMENTS);
            return;
        }
        request.origin = Request.Origin.COMPACT;
        request.compactId = compact.id();
        request.bytes = length;
        pass(request, row);
    }

    private void refuseCompact(Refusal reason) {
        refused(reason);
        writer.refuseCompact(back, compact.id(), compact.program(), compact.procedure(), reason);
    }

    private void pass(Request request, int row) {
        request.back.set(back);
        request.row = table.row(row);
        request.arrivedNanos = nowNanos;
        AnsweredCalls.Known known = writer.look(request, nowNanos);
        if (known == AnsweredCalls.Known.NEW) {
            counters.add(Total.REQUESTS);
            target.request(request);
            return;
        }
        counters.add(Total.REPEATED);
        if (known == AnsweredCalls.Known.ANSWERED) {
            writer.again(back);
        }
        request.flow = null; // the place is that of the first
        pool.give(request);
    }
}
