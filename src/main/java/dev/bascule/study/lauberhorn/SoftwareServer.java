package dev.bascule.study.lauberhorn;

import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.UdpDecoder;
import dev.bascule.rpc.UdpEncoder;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import dev.bascule.workload.lauberhorn.DemoService;
import java.util.List;

/**
 * The demonstration service 0 without a NIC that takes calls apart: headers and arguments in software, on the core that
 * serves.
 * <p>
 * Thread rule: one thread. Allocation-free after construction.
 */
final class SoftwareServer {
    /** Longest frame that it takes. */
    static final int FRAME_BYTES = 2_048;
    private static final int PAYLOAD_BYTES = 1_472;
    private static final List<ValueType> ARGUMENTS = DemoService.WORK_SIGNATURE.arguments();
    private static final List<ValueType> RESULT = DemoService.WORK_SIGNATURE.result();

    private final UdpDecoder decoder = new UdpDecoder(PAYLOAD_BYTES);
    private final OncRpc onc = new OncRpc();
    private final UdpFlow back = new UdpFlow();
    private final long[] words = new long[PAYLOAD_BYTES / 4];
    private final long[] result = new long[2];

    /** Writes the reply to a call; returns its bytes, 0 if it is no call of this service. */
    int reply(byte[] call, int bytes, byte[] into, int at) {
        if (bytes > PAYLOAD_BYTES || onc.read(call, 0, bytes) != OncRpc.Kind.CALL
                || Xdr.decode(ARGUMENTS, call, onc.bodyOffset(), bytes - onc.bodyOffset(), words) == Xdr.BAD) {
            return 0;
        }
        result[0] = words[0];
        result[1] = words[1];
        int head = OncRpc.reply(into, at, onc.xid(), OncRpc.SUCCESS);
        return head + Xdr.encode(RESULT, result, 16, into, at + head, into.length - at - head);
    }

    /** Turns the frame of a call, from index 0 of an array of {@link #FRAME_BYTES}, into its reply; returns its bytes or 0. */
    int serve(byte[] frame, int lengthBytes) {
        decoder.begin();
        decoder.feed(frame, 0, lengthBytes);
        if (decoder.end() != UdpDecoder.Verdict.UDP) {
            return 0;
        }
        int at = UdpEncoder.MOST_HEADER_BYTES;
        int bytes = reply(decoder.payload(), decoder.payloadBytes(), frame, at);
        if (bytes == 0) {
            return 0;
        }
        back.setBack(decoder.flow());
        int start = UdpEncoder.wrap(back, frame, at, bytes);
        System.arraycopy(frame, start, frame, 0, at + bytes - start);
        return at + bytes - start;
    }
}
