package dev.bascule.workload;

import dev.bascule.ffi.Door;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;

/**
 * A server of this process on a TCP port of the loopback interface: takes keys of 8 bytes and answers each with a record,
 * after it has thought for a while. A connection and a thread for each client that asks at the same time.
 */
final class SocketBackend implements Waits {
    /** The kinds of requests. */
    public static final String ONE = "CALL";
    /** A request that calls many times. */
    public static final String MANY = "CHAIN";
    private static final int RECORD_BYTES = 256;
    private static final long THINK_NANOS = 50_000;
    /** Requests that wait at a time. */
    private static final int MOST = 512;
    private static final Door.Bounds BOUNDS = Door.Bounds.of(MOST, 5_000);

    private final long seed;
    private final ServerSocket server;
    private final Door<Socket> door;

    /**
     * Opens the server.
     *
     * @throws WorkloadException if there is no port
     */
    public SocketBackend(long seed) {
        this.seed = seed;
        try {
            server = new ServerSocket(0, MOST, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new WorkloadException("socket workload: no port on the loopback interface: " + e.getMessage(), e);
        }
        door = Door.open("backend", server, BOUNDS, this::serve);
    }

    private void serve(Door.Guest<Socket> guest) throws IOException {
        Socket connection = guest.socket();
        byte[] key = new byte[Long.BYTES];
        ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES);
        CRC32C crc = new CRC32C();
        connection.setTcpNoDelay(true);
        while (connection.getInputStream().readNBytes(key, 0, key.length) == key.length) {
            guest.greeted();
            LockSupport.parkNanos(THINK_NANOS);
            Records.putValue(record, RECORD_BYTES, seed, ByteBuffer.wrap(key).getLong(0), crc);
            connection.getOutputStream().write(record.array(), 0, RECORD_BYTES);
        }
    }

    /** A whole buffer; false at the end. */
    private static boolean receive(SocketChannel from, ByteBuffer into) throws IOException {
        into.clear();
        while (into.hasRemaining()) {
            if (from.read(into) < 0) {
                return false;
            }
        }
        return true;
    }

    private static final class Connection implements Line {
        private final SocketChannel channel;
        private final ByteBuffer key = ByteBuffer.allocateDirect(Long.BYTES);
        private final ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
        private final CRC32C crc = new CRC32C();

        Connection(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void call(long ofKey) throws IOException {
            key.clear();
            key.putLong(0, ofKey);
            while (key.hasRemaining()) {
                channel.write(key);
            }
            if (!receive(channel, record)) {
                throw new IOException("the server has closed the connection");
            }
        }

        @Override
        public boolean isRight(long ofKey) {
            return Records.isValueOf(record, record.position(), RECORD_BYTES, ofKey, crc);
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                return; // it is gone either way
            }
        }
    }

    /** Where it listens. */
    InetSocketAddress at() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    @Override
    public Line open() throws IOException {
        SocketChannel channel = SocketChannel.open(at());
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        Connection connection = new Connection(channel);
        try {
            connection.call(0); // the server waits for the first call not as long as for others
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        return connection;
    }

    @Override
    public String shortName() {
        return ONE;
    }

    @Override
    public String longName() {
        return MANY;
    }

    @Override
    public String describe() {
        return "a server of this process behind a TCP socket, records of " + RECORD_BYTES + " bytes, "
                + THINK_NANOS / 1000 + " us of thought";
    }

    @Override
    public void close() {
        door.close();
    }
}
