package dev.bascule.wave.rpc;

import dev.bascule.agent.MessageSender;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.wave.BulkReceiver;
import dev.bascule.wave.QueueEnds;
import java.lang.foreign.MemorySegment;

/**
 * A core of the host that serves requests: takes one, has it processed in place, sends the answer. While the way back is
 * full, it takes no more.
 * <p>
 * Thread rule: one thread. Allocates nothing after construction.
 */
public final class RpcCore {
    private final BulkReceiver requests;
    private final MessageSender answers;
    private final QueueEnds ends;
    private final PacketProcessor server;
    private final long[] frame;
    private final MemorySegment bytes;
    private final long[] line = new long[6];
    private int number;
    private int length;
    private int part = -1;
    private long served;
    private long invalid;

    /**
     * A core without a request.
     *
     * @param requests end of its queue from the NIC
     * @param answers end of its queue to the NIC
     * @param ends what both were made by
     * @param server answers a frame in place; may make it longer up to what the queue can carry
     */
    public RpcCore(BulkReceiver requests, MessageSender answers, QueueEnds ends, PacketProcessor server) {
        this.requests = requests;
        this.answers = answers;
        this.ends = ends;
        this.server = server;
        frame = new long[requests.maxWords() + RpcFormat.PART_WORDS];
        bytes = MemorySegment.ofArray(frame);
    }

    /** Serves one request, or goes on with its answer. Returns 1, or 0 when there was nothing to do. */
    public int doWork() {
        if (part >= 0) {
            return answer() ? 1 : 0;
        }
        int words = requests.receive(frame);
        if (words == 0) {
            return 0;
        }
        int got = RpcFormat.requestBytes(frame[0]);
        number = RpcFormat.number(frame[0]);
        if (got < 0 || RpcFormat.words(got) != words - 1) {
            invalid++;
            length = 0;
        } else {
            length = server.process(bytes, 8, got);
            served++;
            if (length < 0 || length > Math.min(RpcFormat.MOST_BYTES, (requests.maxWords() - 1) * 8)) {
                throw new IllegalStateException("an RPC server answered with " + length + " bytes; at most "
                        + (requests.maxWords() - 1) * 8 + " fit");
            }
        }
        part = 0;
        answer();
        return 1;
    }

    private boolean answer() {
        int parts = RpcFormat.parts(length);
        while (part < parts) {
            line[0] = RpcFormat.answer(number, length, part);
            System.arraycopy(frame, 1 + part * RpcFormat.PART_WORDS, line, 1, RpcFormat.PART_WORDS);
            if (!answers.send(line)) {
                ends.flush();
                return false;
            }
            part++;
        }
        ends.flush();
        part = -1;
        return true;
    }

    /** Requests served. */
    public long served() {
        return served;
    }

    /** Requests that were not whole; they are answered with nothing. */
    public long invalid() {
        return invalid;
    }
}
