package dev.bascule.workload.lauberhorn;

import dev.bascule.model.WireEnd;
import dev.bascule.rpc.CompactRpc;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.UdpDecoder;
import dev.bascule.rpc.UdpEncoder;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.rpc.Xdr;
import java.util.List;

/**
 * A client at the other end of the NIC's wire: sends calls as frames and takes replies apart. It keeps no calls: who needs
 * an account keeps it by the id.
 * <p>
 * Thread rule: one thread. Allocation-free after construction.
 */
public final class WireClient implements WireEnd.FrameSink, RpcChannel {
    /** Takes replies. */
    @FunctionalInterface
    public interface Replies {
        /**
         * A reply came.
         *
         * @param id of the call
         * @param status 0: a result; else of ONC RPC ({@link OncRpc#PROG_UNAVAIL} ...) or the reason of a compact refusal
         * @param payload of the datagram
         * @param offset where the result begins in it
         * @param bytes of the result
         */
        void reply(long id, int status, byte[] payload, int offset, int bytes);
    }

    private static final int MOST_PAYLOAD = 20_000;
    private static final int PAYLOAD = UdpEncoder.MOST_HEADER_BYTES;

    private final WireEnd wire;
    private final UdpFlow[] flows;
    private final Replies replies;
    private final byte[] frame = new byte[PAYLOAD + MOST_PAYLOAD];
    private final UdpDecoder decoder = new UdpDecoder(MOST_PAYLOAD);
    private final OncRpc onc = new OncRpc();
    private final CompactRpc compact = new CompactRpc();

    /** A client that talks over the wire as the flow says. */
    public WireClient(WireEnd wire, UdpFlow flow, Replies replies) {
        this(wire, List.of(flow), replies);
    }

    /** Several clients at one end of a wire, which call in turn by the id. */
    public WireClient(WireEnd wire, List<UdpFlow> flows, Replies replies) {
        this.wire = wire;
        this.flows = flows.toArray(UdpFlow[]::new);
        this.replies = replies;
    }

    private UdpFlow flow(long id) {
        return flows[(int) Long.remainderUnsigned(id, flows.length)];
    }

    /** A flow between two IPv4 addresses. */
    public static UdpFlow flow(long fromMac, int fromIpv4, int fromPort, long toMac, int toIpv4, int toPort) {
        UdpFlow flow = new UdpFlow();
        flow.fromMac = fromMac;
        flow.toMac = toMac;
        flow.fromLow = fromIpv4 & 0xffff_ffffL;
        flow.toLow = toIpv4 & 0xffff_ffffL;
        flow.fromPort = fromPort;
        flow.toPort = toPort;
        return flow;
    }

    @Override
    public boolean call(int xid, int program, int version, int procedure, Signature signature, long[] words,
            int bytes) {
        int head = OncRpc.call(frame, PAYLOAD, xid, program, version, procedure);
        int length = Xdr.encode(signature.arguments(), words, bytes, frame, PAYLOAD + head, MOST_PAYLOAD - head);
        if (length == Xdr.BAD) {
            throw new IllegalArgumentException("arguments are not those of " + signature);
        }
        return send(flow(xid & 0xffff_ffffL), head + length);
    }

    /** Sends a call with the compact header; false if the wire did not take it. */
    public boolean compactCall(long id, int program, int procedure, long[] words, int bytes) {
        int head = CompactRpc.call(frame, PAYLOAD, id, program, procedure, bytes);
        Xdr.copyOut(words, 0, bytes, frame, PAYLOAD + head);
        return send(flow(id), head + bytes);
    }

    /** Sends a datagram as it is; false if the wire did not take it. */
    public boolean raw(byte[] payload, int bytes) {
        System.arraycopy(payload, 0, frame, PAYLOAD, bytes);
        return send(flows[0], bytes);
    }

    private boolean send(UdpFlow flow, int payloadBytes) {
        int start = UdpEncoder.wrap(flow, frame, PAYLOAD, payloadBytes);
        return wire.transmit(frame, start, PAYLOAD + payloadBytes - start);
    }

    @Override
    public int poll(int budget) {
        return wire.poll(this, budget);
    }

    @Override
    public void frame(byte[] data, int offset, int lengthBytes) {
        decoder.begin();
        decoder.feed(data, offset, lengthBytes);
        if (decoder.end() == UdpDecoder.Verdict.UDP) {
            reply(decoder.payload(), decoder.payloadBytes());
        }
    }

    private void reply(byte[] payload, int bytes) {
        if (CompactRpc.isCompact(payload, 0, bytes) && compact.read(payload, 0, bytes)) {
            reply(compact.id(), compact.status(), payload, CompactRpc.HEADER_BYTES, compact.payloadBytes());
        } else if (onc.read(payload, 0, bytes) == OncRpc.Kind.REPLY) {
            reply(onc.xid() & 0xffff_ffffL, onc.status(), payload, onc.bodyOffset(), bytes - onc.bodyOffset());
        }
    }

    private void reply(long id, int status, byte[] payload, int offset, int bytes) {
        if (decoder.flow().isBackOf(flow(id))) {
            replies.reply(id, status, payload, offset, bytes);
        }
    }
}
