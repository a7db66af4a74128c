package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Work requests of one thread ({@code struct ibv_send_wr}), each with one scatter entry: filled one by one, chained, and
 * posted in one call. Allocation-free after construction; an index outside is an {@link IndexOutOfBoundsException}.
 */
public final class SendRequests {
    private static final long BYTES = VerbsLayouts.IBV_SEND_WR.byteSize();
    private static final long SGE_BYTES = VerbsLayouts.IBV_SGE.byteSize();
    private static final long ID = VerbsLayouts.offset(VerbsLayouts.IBV_SEND_WR, "wr_id");
    private static final long NEXT = VerbsLayouts.offset(VerbsLayouts.IBV_SEND_WR, "next");
    private static final long LIST = VerbsLayouts.offset(VerbsLayouts.IBV_SEND_WR, "sg_list");
    private static final long LISTED = VerbsLayouts.offset(VerbsLayouts.IBV_SEND_WR, "num_sge");
    private static final long OPCODE = VerbsLayouts.offset(VerbsLayouts.IBV_SEND_WR, "opcode");
    private static final long FLAGS = VerbsLayouts.offset(VerbsLayouts.IBV_SEND_WR, "send_flags");
    private static final long IMMEDIATE = VerbsLayouts.offset(VerbsLayouts.IBV_SEND_WR, "imm_data");
    private static final long REMOTE = VerbsLayouts.offset(VerbsLayouts.IBV_SEND_WR, "wr.rdma.remote_addr");
    private static final long REMOTE_KEY = VerbsLayouts.offset(VerbsLayouts.IBV_SEND_WR, "wr.rdma.rkey");
    private static final long SGE_LENGTH = VerbsLayouts.offset(VerbsLayouts.IBV_SGE, "length");
    private static final long SGE_KEY = VerbsLayouts.offset(VerbsLayouts.IBV_SGE, "lkey");

    private final MemorySegment requests;
    private final MemorySegment entries;
    private final int capacity;

    /** Room for a chain of so many requests. */
    public SendRequests(int capacity) {
        this.capacity = capacity;
        Arena arena = Arena.ofAuto();
        requests = arena.allocate(capacity * BYTES, 8);
        entries = arena.allocate(capacity * SGE_BYTES, 8);
        for (int i = 0; i < capacity; i++) {
            requests.set(ValueLayout.JAVA_LONG, i * BYTES + LIST, entries.address() + i * SGE_BYTES);
        }
    }

    /** Requests that fit a chain. */
    public int capacity() {
        return capacity;
    }

    /** Address of the first request, for {@link Verbs#postSend}; keep this object reachable meanwhile. */
    public long address() {
        return requests.address();
    }

    /**
     * Fills a request with a WRITE.
     *
     * @param local address of what is written
     * @param inline whether the request carries the bytes itself, so that the memory may change as soon as it is posted
     */
    public void write(int index, long local, int bytes, int localKey, long remote, int remoteKey, boolean inline) {
        fill(index, VerbsCodes.IBV_WR_RDMA_WRITE, inline ? VerbsCodes.IBV_SEND_INLINE : 0, remote, remoteKey);
        scatter(index, local, bytes, localKey);
    }

    /** Fills a request with a WRITE of nothing that uses up a receive of the peer, which gets {@code number}. */
    public void ring(int index, int number, long remote, int remoteKey) {
        fill(index, VerbsCodes.IBV_WR_RDMA_WRITE_WITH_IMM, 0, remote, remoteKey);
        requests.set(ValueLayout.JAVA_INT, index * BYTES + LISTED, 0);
        requests.set(ValueLayout.JAVA_INT, index * BYTES + IMMEDIATE, Integer.reverseBytes(number)); // network order
    }

    /** Fills a request with a WRITE of nothing, which completes when those before it have been carried out. */
    public void nothing(int index, long remote, int remoteKey) {
        fill(index, VerbsCodes.IBV_WR_RDMA_WRITE, 0, remote, remoteKey);
        requests.set(ValueLayout.JAVA_INT, index * BYTES + LISTED, 0);
    }

    /** Fills a request with a READ. */
    public void read(int index, long local, int bytes, int localKey, long remote, int remoteKey) {
        fill(index, VerbsCodes.IBV_WR_RDMA_READ, 0, remote, remoteKey);
        scatter(index, local, bytes, localKey);
    }

    private void fill(int index, int opcode, int flags, long remote, int remoteKey) {
        long at = index * BYTES;
        requests.set(ValueLayout.JAVA_LONG, at + ID, 0);
        requests.set(ValueLayout.JAVA_LONG, at + NEXT, 0);
        requests.set(ValueLayout.JAVA_INT, at + OPCODE, opcode);
        requests.set(ValueLayout.JAVA_INT, at + FLAGS, flags);
        requests.set(ValueLayout.JAVA_LONG, at + REMOTE, remote);
        requests.set(ValueLayout.JAVA_INT, at + REMOTE_KEY, remoteKey);
    }

    private void scatter(int index, long local, int bytes, int localKey) {
        requests.set(ValueLayout.JAVA_INT, index * BYTES + LISTED, 1);
        long at = index * SGE_BYTES;
        entries.set(ValueLayout.JAVA_LONG, at, local);
        entries.set(ValueLayout.JAVA_INT, at + SGE_LENGTH, bytes);
        entries.set(ValueLayout.JAVA_INT, at + SGE_KEY, localKey);
    }

    /** Has the request complete, with this number. */
    public void signal(int index, long id) {
        long at = index * BYTES;
        requests.set(ValueLayout.JAVA_LONG, at + ID, id);
        int flags = requests.get(ValueLayout.JAVA_INT, at + FLAGS);
        requests.set(ValueLayout.JAVA_INT, at + FLAGS, flags | VerbsCodes.IBV_SEND_SIGNALED);
    }

    /** Puts the request that follows behind this one. */
    public void chain(int index) {
        if (index + 1 >= capacity) {
            throw new IndexOutOfBoundsException("request " + (index + 1) + " of " + capacity);
        }
        requests.set(ValueLayout.JAVA_LONG, index * BYTES + NEXT, requests.address() + (index + 1) * BYTES);
    }

    /** A receive for WRITEs of nothing with immediate data ({@code struct ibv_recv_wr}): it needs no memory. */
    public static MemorySegment receive() {
        return Arena.ofAuto().allocate(VerbsLayouts.IBV_RECV_WR);
    }
}
