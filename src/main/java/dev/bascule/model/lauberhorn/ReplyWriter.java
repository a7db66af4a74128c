package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.CompactRpc;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.UdpEncoder;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.rpc.Xdr;

/** Puts answers together and sends them. Thread rule: the NIC's thread. Allocation-free after construction. */
final class ReplyWriter {
    private static final int PAYLOAD = UdpEncoder.MOST_HEADER_BYTES;

    private final WireEnd wire;
    private final NicCounters counters;
    private final ServiceTable table;
    private final byte[] frame;
    private final int room;
    private final AnsweredCalls answered = new AnsweredCalls();

    ReplyWriter(WireEnd wire, NicCounters counters, ServiceTable table, int mostPayloadBytes) {
        this.wire = wire;
        this.counters = counters;
        this.table = table;
        room = mostPayloadBytes;
        frame = new byte[PAYLOAD + mostPayloadBytes];
    }

    private void send(UdpFlow flow, int payloadBytes) {
        int start = UdpEncoder.wrap(flow, frame, PAYLOAD, payloadBytes);
        if (!wire.transmit(frame, start, PAYLOAD + payloadBytes - start)) {
            counters.add(Total.LOST_ON_WIRE);
        }
    }

    void raw(byte[] data, int bytes) {
        if (!wire.transmit(data, 0, bytes)) {
            counters.add(Total.LOST_ON_WIRE);
        }
    }

    /** Looks up what is known of a call that came in, as {@link AnsweredCalls#look} does. */
    AnsweredCalls.Known look(Request request, long nowNanos) {
        return answered.look(request, nowNanos);
    }

    /** Sends the reply to the call that {@link #look} found answered once more. */
    void again(UdpFlow back) {
        send(back, answered.reply(frame, PAYLOAD));
    }

    private void answer(Request request, int payloadBytes) {
        answered.answered(request, frame, PAYLOAD, payloadBytes);
        send(request.back, payloadBytes);
    }

    /** Sends a result; false if the words are none of the signature, or too long for a datagram. */
    boolean result(Request request, long[] words, int bytes) {
        Signature signature = request.known().signature();
        if (request.origin == Request.Origin.ONC_RPC) {
            int head = OncRpc.reply(frame, PAYLOAD, request.xid, OncRpc.SUCCESS);
            int length = Xdr.encode(signature.result(), words, bytes, frame, PAYLOAD + head, room - head);
            if (length == Xdr.BAD) {
                return false;
            }
            answer(request, head + length);
            return true;
        }
        if (bytes > room - CompactRpc.HEADER_BYTES || !Xdr.isValid(signature.result(), words, bytes)) {
            return false;
        }
        CompactRpc.reply(frame, PAYLOAD, request.compactId, request.known().service().program(),
                request.known().procedure().number(), CompactRpc.DONE, bytes);
        Xdr.copyOut(words, 0, bytes, frame, PAYLOAD + CompactRpc.HEADER_BYTES);
        answer(request, CompactRpc.HEADER_BYTES + bytes);
        return true;
    }

    /** Sends a refusal of a request whose program is known. */
    void refuse(Request request, Refusal why) {
        int program = request.known().service().program();
        int bytes = request.origin == Request.Origin.ONC_RPC
                ? onc(request.xid, program, why)
                : CompactRpc.reply(frame, PAYLOAD, request.compactId, program, request.known().procedure().number(),
                        why.status(), 0);
        if (why == Refusal.QUEUE_FULL || why == Refusal.TOO_LATE) {
            answered.forget(request); // it was not run
            send(request.back, bytes);
        } else {
            answer(request, bytes);
        }
    }

    void refuseOnc(UdpFlow back, int xid, int program, Refusal why) {
        send(back, onc(xid, program, why));
    }

    private int onc(int xid, int program, Refusal why) {
        return switch (why) {
            case NO_PROGRAM -> OncRpc.reply(frame, PAYLOAD, xid, OncRpc.PROG_UNAVAIL);
            case NO_VERSION -> OncRpc.progMismatch(frame, PAYLOAD, xid, table.lowestVersion(program),
                    table.highestVersion(program));
            case NO_PROCEDURE -> OncRpc.reply(frame, PAYLOAD, xid, OncRpc.PROC_UNAVAIL);
            case BAD_ARGUMENTS -> OncRpc.reply(frame, PAYLOAD, xid, OncRpc.GARBAGE_ARGS);
            default -> OncRpc.reply(frame, PAYLOAD, xid, OncRpc.SYSTEM_ERR);
        };
    }

    void refuseCompact(UdpFlow back, long id, int program, int procedure, Refusal why) {
        send(back, CompactRpc.reply(frame, PAYLOAD, id, program, procedure, why.status(), 0));
    }

    void rpcMismatch(UdpFlow back, int xid) {
        send(back, OncRpc.rpcMismatch(frame, PAYLOAD, xid));
    }

    /** Sends a call; false if the words are none of the signature. */
    boolean call(UdpFlow to, int xid, ServiceTable.Row row, long[] words, int bytes) {
        int head = OncRpc.call(frame, PAYLOAD, xid, row.service().program(), row.service().version(),
                row.procedure().number());
        int length = Xdr.encode(row.signature().arguments(), words, bytes, frame, PAYLOAD + head, room - head);
        if (length == Xdr.BAD) {
            return false;
        }
        send(to, head + length);
        return true;
    }
}
