package dev.bascule.workload;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

    private final long seed;
    private final ServerSocketChannel server;
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();

    /**
     * Opens the server.
     *
     * @throws WorkloadException if there is no port
     */
    public SocketBackend(long seed) {
        this.seed = seed;
        try {
            server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 512);
        } catch (IOException e) {
            throw new WorkloadException("socket workload: no port on the loopback interface: " + e.getMessage(), e);
        }
        Thread.ofPlatform().daemon().name("backend").start(this::accept);
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel connection = server.accept();
                connections.add(connection);
                Thread.ofPlatform().daemon().name("backend-connection").start(() -> serve(connection));
            }
        } catch (IOException e) {
            return; // closed
        }
    }

    private void serve(SocketChannel connection) {
        ByteBuffer key = ByteBuffer.allocateDirect(Long.BYTES);
        ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
        CRC32C crc = new CRC32C();
        try (connection) {
            connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
            while (receive(connection, key)) {
                LockSupport.parkNanos(THINK_NANOS);
                Records.putValue(record, RECORD_BYTES, seed, key.getLong(0), crc);
                while (record.hasRemaining()) {
                    connection.write(record);
                }
            }
        } catch (IOException e) {
            return; // one end was closed; a client tells what it misses
        } finally {
            connections.remove(connection);
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

    @Override
    public Line open() throws IOException {
        SocketChannel channel = SocketChannel.open(server.getLocalAddress());
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return new Connection(channel);
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
        try {
            server.close();
            for (SocketChannel connection : connections) {
                connection.close();
            }
        } catch (IOException e) {
            return; // it is gone either way
        }
    }
}
