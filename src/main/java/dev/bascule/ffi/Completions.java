package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Room for completions that one thread polls ({@code struct ibv_wc}). Allocation-free after construction. */
public final class Completions {
    private static final long BYTES = VerbsLayouts.IBV_WC.byteSize();
    private static final long ID = VerbsLayouts.offset(VerbsLayouts.IBV_WC, "wr_id");
    private static final long STATUS = VerbsLayouts.offset(VerbsLayouts.IBV_WC, "status");
    private static final long OPCODE = VerbsLayouts.offset(VerbsLayouts.IBV_WC, "opcode");
    private static final long VENDOR = VerbsLayouts.offset(VerbsLayouts.IBV_WC, "vendor_err");
    private static final long IMMEDIATE = VerbsLayouts.offset(VerbsLayouts.IBV_WC, "imm_data");
    private static final String[] STATUSES = { "success", "local length error", "local QP operation error",
            "local EE context operation error", "local protection error", "flushed", "memory window bind error",
            "bad response", "local access error", "remote refused the request", "remote access error",
            "remote operation error", "no answer from the peer (transport retries used up)",
            "the peer takes no more (RNR retries used up)" };

    private final MemorySegment completions;
    private final int capacity;

    /** Room for so many. */
    public Completions(int capacity) {
        this.capacity = capacity;
        completions = Arena.ofAuto().allocate(capacity * BYTES, 8);
    }

    /** Completions that fit. */
    public int capacity() {
        return capacity;
    }

    /** Address of the first, for {@link Verbs#poll}; keep this object reachable meanwhile. */
    public long address() {
        return completions.address();
    }

    /** Number of the request. */
    public long id(int index) {
        return completions.get(ValueLayout.JAVA_LONG, index * BYTES + ID);
    }

    /** 0: it was carried out. */
    public int status(int index) {
        return completions.get(ValueLayout.JAVA_INT, index * BYTES + STATUS);
    }

    /** Code of the operation that completed, such as {@link VerbsCodes#IBV_WC_RECV_RDMA_WITH_IMM}. */
    public int opcode(int index) {
        return completions.get(ValueLayout.JAVA_INT, index * BYTES + OPCODE);
    }

    /** The number that came with a WRITE. */
    public int immediate(int index) {
        return Integer.reverseBytes(completions.get(ValueLayout.JAVA_INT, index * BYTES + IMMEDIATE));
    }

    /** A status for people: text and numbers. */
    public String reason(int index) {
        int status = status(index);
        String text = status >= 0 && status < STATUSES.length ? STATUSES[status] : "error";
        int vendor = completions.get(ValueLayout.JAVA_INT, index * BYTES + VENDOR);
        return text + " (completion status " + status + (vendor == 0 ? "" : ", vendor " + vendor) + ")";
    }
}
