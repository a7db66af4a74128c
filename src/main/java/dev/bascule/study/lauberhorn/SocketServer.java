package dev.bascule.study.lauberhorn;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** The demonstration service 0 by a UDP socket and a thread that blocks in it: what everybody has, to compare with. */
final class SocketServer implements AutoCloseable {
    private static final int MOST_BYTES = 20_000;

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
        SoftwareServer server = new SoftwareServer();
        ByteBuffer inBuffer = ByteBuffer.wrap(in);
        ByteBuffer outBuffer = ByteBuffer.wrap(out);
        try {
            while (true) {
                inBuffer.clear();
                SocketAddress from = channel.receive(inBuffer);
                int reply = server.reply(in, inBuffer.position(), out, 0);
                if (reply > 0) {
                    outBuffer.clear().limit(reply);
                    channel.send(outBuffer, from);
                }
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
