package dev.bascule.workload.steering;

import dev.bascule.host.YieldPoint;
import dev.bascule.host.lauberhorn.DirectCalls;
import dev.bascule.model.lauberhorn.Procedure;
import dev.bascule.model.lauberhorn.Service;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Xdr;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Server of RPC services behind a UDP socket of the operating system and a pool of threads that wait at it: what
 * everybody has, to compare with. It answers good ONC RPC calls, and says nothing to anything else.
 */
public final class PoolServer implements AutoCloseable {
    /** Names of its threads begin so. */
    public static final String THREADS = "pool-server";

    private static final int MOST_BYTES = CardFront.MOST_PAYLOAD_BYTES;

    private final DatagramChannel channel = DatagramChannel.open();
    private final DirectCalls calls;
    private final Service[] services;
    private final Thread[] pool;

    /**
     * Opens the socket at a free port of the loopback interface and serves.
     *
     * @param threads of the pool
     */
    public PoolServer(DirectCalls calls, int threads) throws IOException {
        this.calls = calls;
        services = calls.rows().toArray(Service[]::new);
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        pool = Stream.generate(() -> Thread.ofPlatform().daemon().name(THREADS).start(this::serve)).limit(threads)
                .toArray(Thread[]::new);
    }

    private void serve() {
        byte[] in = new byte[MOST_BYTES];
        byte[] out = new byte[MOST_BYTES];
        ByteBuffer inBuffer = ByteBuffer.wrap(in);
        ByteBuffer outBuffer = ByteBuffer.wrap(out);
        OncRpc head = new OncRpc();
        long[] words = new long[MOST_BYTES];
        DirectCalls.Place place = new DirectCalls.Place();
        try {
            while (true) {
                SocketAddress from = channel.receive(inBuffer.clear());
                Procedure procedure = head.read(in, 0, inBuffer.position()) == OncRpc.Kind.CALL ? find(head) : null;
                int reply = procedure == null
                        ? 0
                        : reply(head, procedure, in, inBuffer.position() - head.bodyOffset(), words, place, out);
                if (reply > 0) {
                    channel.send(outBuffer.clear().limit(reply), from);
                }
            }
        } catch (IOException e) {
            // closed
        }
    }

    private @Nullable Procedure find(OncRpc head) {
        for (Service service : services) {
            if (service.program() == head.program() && service.version() == head.version()) {
                for (Procedure procedure : service.procedures()) {
                    if (procedure.number() == head.procedure()) {
                        return procedure;
                    }
                }
            }
        }
        return null;
    }

    private int reply(OncRpc head, Procedure procedure, byte[] in, int bytes, long[] words, DirectCalls.Place place,
            byte[] out) {
        int decoded = Xdr.decode(procedure.signature().arguments(), in, head.bodyOffset(), bytes, words);
        if (decoded == Xdr.BAD) {
            return 0;
        }
        try {
            calls.serve(procedure.codePointer(), place, words, decoded, YieldPoint.NONE);
        } catch (RuntimeException | Error e) {
            return OncRpc.reply(out, 0, head.xid(), OncRpc.SYSTEM_ERR);
        }
        int length = OncRpc.reply(out, 0, head.xid(), OncRpc.SUCCESS);
        int result = Xdr.encode(procedure.signature().result(), place.result(), place.resultBytes(), out, length,
                out.length - length);
        return result == Xdr.BAD ? 0 : length + result;
    }

    /** UDP port of the loopback interface. */
    public int port() throws IOException {
        return ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Arrays.stream(pool).forEach(Thread::interrupt);
    }
}
