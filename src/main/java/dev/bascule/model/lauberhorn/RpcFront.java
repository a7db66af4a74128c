package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.NicCounters.Drop;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.UdpFlow;
import java.util.List;

/**
 * Front of a NIC that knows RPC, for whoever decides by other means than lines which core serves a request: frames
 * become requests with decoded arguments, results become frames. Each request gets one answer, a result or a refusal;
 * what is beyond {@code most} is refused at once. What is no request is counted by its reason, or is for the kernel.
 * <p>
 * Thread rule: the NIC's thread; {@link #codePointer}, {@link #words}, {@link #bytes} and {@link #flow} of a request that was
 * handed over by whoever got it, until it is answered; counters by any. Allocation-free once words have grown.
 */
public final class RpcFront {
    private final ServiceTable table;
    private final RequestPool pool = new RequestPool();
    private final NicCounters counters = new NicCounters(0, 0);
    private final ReplyWriter writer;
    private final FrameReader reader;
    private final int most;

    /** Takes what the frames turned out to be. */
    public interface Target {
        /** A good request, by its number; it is to be answered or refused once. */
        void request(int id);

        /** A frame for the kernel. */
        void bypass(byte[] data, int offset, int bytes);
    }

    /**
     * A front with all its services.
     *
     * @param out takes the answers; only {@link WireEnd#transmit} is called
     * @param most requests that may be under way
     * @param mostPayloadBytes of a datagram, either way
     * @throws IllegalArgumentException if two services are one program and version
     */
    public RpcFront(NicAddress address, List<Service> services, WireEnd out, Target target, int most,
            int mostPayloadBytes) {
        this.most = most;
        table = new ServiceTable(services.size());
        for (Service service : services) {
            String problem = table.add(1, service);
            if (!problem.isEmpty()) {
                throw new IllegalArgumentException(problem);
            }
        }
        for (int i = 0; i <= most; i++) { // grown once: others read it
            pool.take();
        }
        for (int i = 0; i <= most; i++) {
            pool.give(pool.get(i));
        }
        writer = new ReplyWriter(out, counters, table, mostPayloadBytes);
        reader = new FrameReader(address, table, pool, writer, counters, new Requests(target), mostPayloadBytes,
                2 * mostPayloadBytes);
    }

    private final class Requests implements FrameReader.Target {
        private final Target target;

        Requests(Target target) {
            this.target = target;
        }

        @Override
        public void request(Request request) {
            if (pool.inUse() > most) {
                refuse(request.id, Refusal.QUEUE_FULL);
            } else {
                target.request(request.id);
            }
        }

        @Override
        public void reply(OncRpc head, UdpFlow back, byte[] payload, int bytes) {
            counters.add(Drop.NO_CALL);
        }

        @Override
        public void bypass(byte[] data, int offset, int bytes) {
            counters.add(Total.BYPASSED);
            target.bypass(data, offset, bytes);
        }
    }

    /** A frame came in. */
    public void frame(byte[] data, int offset, int bytes, long nowNanos) {
        reader.nowNanos = nowNanos;
        reader.frame(data, offset, bytes);
    }

    /** A frame came in several pieces, or there was no room for it. */
    public void unusable() {
        counters.add(Total.FRAMES);
        counters.add(Drop.NO_ROOM);
    }

    /** Code pointer from the row of the request's procedure. */
    public long codePointer(int id) {
        return pool.get(id).known().procedure().codePointer();
    }

    /** Decoded arguments. */
    public long[] words(int id) {
        return pool.get(id).words;
    }

    /** Bytes of them. */
    public int bytes(int id) {
        return pool.get(id).bytes;
    }

    /** When it came in, as told with its frame. */
    public long arrivedNanos(int id) {
        return pool.get(id).arrivedNanos;
    }

    /** A hash of who sent it to whom. */
    public int flow(int id) {
        return pool.get(id).back.hash();
    }

    /** Requests that have no answer yet. */
    public int underWay() {
        return pool.inUse();
    }

    /** Answers a request with a result; one that is none of the signature, or too long for a datagram, is a refusal. */
    public void answer(int id, long[] result, int bytes) {
        if (writer.result(pool.get(id), result, bytes)) {
            counters.add(Total.ANSWERED);
            pool.give(pool.get(id));
        } else {
            refuse(id, Refusal.BAD_REPLY);
        }
    }

    /** Answers a request with a refusal. */
    public void refuse(int id, Refusal why) {
        Request request = pool.get(id);
        counters.add(Total.REFUSED);
        counters.add(why);
        writer.refuse(request, why);
        pool.give(request);
    }

    /** Counters of this front. */
    public NicCounters counters() {
        return counters;
    }
}
