package dev.bascule.workload.lauberhorn;

import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.Xdr;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** A client with a UDP socket of the operating system. Thread rule: one thread. */
public final class UdpClient implements RpcChannel {
    private static final int MOST_BYTES = 65_000;
    private static final int SOCKET_BYTES = 4 << 20;

    private final DatagramChannel channel;
    private final WireClient.Replies replies;
    private final byte[] out = new byte[MOST_BYTES];
    private final ByteBuffer outBuffer = ByteBuffer.wrap(out);
    private final byte[] in = new byte[MOST_BYTES];
    private final ByteBuffer inBuffer = ByteBuffer.wrap(in);
    private final OncRpc onc = new OncRpc();
    private long unreachable;

    /**
     * A client of a server.
     *
     * @throws UncheckedIOException if no socket can be had
     */
    public UdpClient(InetSocketAddress server, WireClient.Replies replies) {
        this.replies = replies;
        try {
            channel = DatagramChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
            channel.connect(server);
            channel.configureBlocking(false);
        } catch (IOException e) {
            throw new UncheckedIOException("open a UDP socket to " + server + ": " + e.getMessage(), e);
        }
    }

    @Override
    public boolean call(int xid, int program, int version, int procedure, Signature signature, long[] words,
            int bytes) {
        int head = OncRpc.call(out, 0, xid, program, version, procedure);
        int length = Xdr.encode(signature.arguments(), words, bytes, out, head, MOST_BYTES - head);
        if (length == Xdr.BAD) {
            throw new IllegalArgumentException("arguments are not those of " + signature);
        }
        outBuffer.clear().limit(head + length);
        try {
            return channel.write(outBuffer) > 0;
        } catch (PortUnreachableException e) {
            unreachable++; // of an earlier one: this one was not sent
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("send a call: " + e.getMessage(), e);
        }
    }

    @Override
    public int poll(int budget) {
        int count = 0;
        try {
            while (count < budget) {
                inBuffer.clear();
                int bytes = channel.read(inBuffer);
                if (bytes <= 0) {
                    break;
                }
                count++;
                if (onc.read(in, 0, bytes) == OncRpc.Kind.REPLY) {
                    replies.reply(onc.xid() & 0xffff_ffffL, onc.status(), in, onc.bodyOffset(),
                            bytes - onc.bodyOffset());
                }
            }
        } catch (PortUnreachableException e) {
            unreachable++;
        } catch (IOException e) {
            throw new UncheckedIOException("receive a reply: " + e.getMessage(), e);
        }
        return count;
    }

    @Override
    public long unreachable() {
        return unreachable;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
