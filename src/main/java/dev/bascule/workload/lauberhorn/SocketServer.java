package dev.bascule.workload.lauberhorn;

import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;

/** The demonstration service 0 by a UDP socket and a thread that blocks in it: what everybody has, to compare with. */
final class SocketServer implements AutoCloseable {
    private static final int MOST_BYTES = 20_000;
    private static final List<ValueType> RESULT = DemoService.WORK_SIGNATURE.result();

    private final DatagramChannel channel;
    private final Thread thread;

    private SocketServer(DatagramChannel channel) {
        this.channel = channel;
        thread = Thread.ofPlatform().daemon().name("socket-server").unstarted(this::serve);
    }

    static SocketServer start() throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        channel.bind(new InetSocketAddress("127.0.0.1", 0));
        SocketServer server = new SocketServer(channel);
        server.thread.start();
        return server;
    }

    int port() throws IOException {
        return ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    private void serve() {
        byte[] in = new byte[MOST_BYTES];
        byte[] out = new byte[64];
        long[] words = new long[MOST_BYTES / 4];
        long[] result = new long[2];
        OncRpc onc = new OncRpc();
        ByteBuffer inBuffer = ByteBuffer.wrap(in);
        ByteBuffer outBuffer = ByteBuffer.wrap(out);
        try {
            while (true) {
                inBuffer.clear();
                SocketAddress from = channel.receive(inBuffer);
                int bytes = inBuffer.position();
                if (onc.read(in, 0, bytes) != OncRpc.Kind.CALL || Xdr.decode(DemoService.WORK_SIGNATURE.arguments(), in,
                        onc.bodyOffset(), bytes - onc.bodyOffset(), words) == Xdr.BAD) {
                    continue;
                }
                result[0] = words[0];
                result[1] = words[1];
                int head = OncRpc.reply(out, 0, onc.xid(), OncRpc.SUCCESS);
                int length = Xdr.encode(RESULT, result, 16, out, head, out.length - head);
                outBuffer.clear().limit(head + length);
                channel.send(outBuffer, from);
            }
        } catch (IOException e) {
            // closed
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
