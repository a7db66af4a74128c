package dev.bascule.lauberhorn;

/**
 * The first word of a control line, and the word that stands for a load of one.
 *
 * <pre>
 * bits  63..56 kind   55..48 epoch   47..32 owner   31..0 number
 * </pre>
 *
 * The number counts the loads of an endpoint from 1; load n is of line n mod 2, and is answered by fill n. The owner is
 * the process that the endpoint belongs to, 0 for the kernel. The epoch changes whenever an endpoint is given away, so
 * that nothing of a former life is ever taken for an answer.
 */
public final class LineHead {
    /** To the CPU: nothing came within the bound; load the other line. */
    public static final int TRY_AGAIN = 1;
    /** To the CPU: a request; the line has code pointer, data pointer and arguments. */
    public static final int REQUEST = 2;
    /** To the CPU: give the core back to the kernel. */
    public static final int YIELD_NOW = 3;
    /** To the kernel: this core leaves RPC work. */
    public static final int RETIRE = 4;
    /**
     * To the kernel: let this core run the thread that word 2 names: life of its endpoint 32, thread 32. The kernel may see
     * it when the process of that life is gone, and another has its number: it then lets nobody run.
     */
    public static final int DISPATCH = 5;
    /** To the CPU: the answer to a nested call. */
    public static final int ANSWER = 6;
    /** To the CPU: a line to write a call into; the call before is on its way. */
    public static final int READY = 7;
    /** To the NIC: the result of the request of the same number. */
    public static final int REPLY = 8;
    /** To the NIC: the handler failed; there is no result. */
    public static final int FAILED = 9;
    /** To the NIC: a nested call. */
    public static final int CALL = 10;
    /** In both lines: the endpoint begins a new life. */
    public static final int RESET = 11;
    /** The word that stands for a load. */
    public static final int LOAD = 12;

    /** Epochs lie in 1 to this. */
    public static final int LAST_EPOCH = 0xff;
    /** Owners lie in 0 to this. */
    public static final int LAST_OWNER = 0xffff;

    private static final long LOW32 = 0xffff_ffffL;

    private LineHead() {}

    /** A head. */
    public static long of(int kind, int epoch, int owner, int number) {
        return (long) kind << 56 | (long) epoch << 48 | (long) owner << 32 | number & LOW32;
    }

    /** {@link #TRY_AGAIN} to {@link #LOAD}, or nothing known. */
    public static int kind(long head) {
        return (int) (head >>> 56);
    }

    /** Life of the endpoint. */
    public static int epoch(long head) {
        return (int) (head >>> 48) & LAST_EPOCH;
    }

    /** Process, or 0. */
    public static int owner(long head) {
        return (int) (head >>> 32) & LAST_OWNER;
    }

    /** Of the load. */
    public static int number(long head) {
        return (int) head;
    }

    /** Whether only the NIC writes such a head: a thread of a former life may write the others at any time. */
    static boolean isFromNic(long head) {
        int kind = kind(head);
        return kind >= TRY_AGAIN && kind <= READY || kind == RESET;
    }

    /** A head with another kind and nothing else changed. */
    public static long withKind(long head, int kind) {
        return head & ~(0xffL << 56) | (long) kind << 56;
    }

    /** The epoch after this one; never 0. */
    public static int nextEpoch(int epoch) {
        return epoch >= LAST_EPOCH ? 1 : epoch + 1;
    }

    /** In words, for messages and traces. */
    public static String toString(long head) {
        String kind = switch (kind(head)) {
            case TRY_AGAIN -> "TRYAGAIN";
            case REQUEST -> "REQUEST";
            case YIELD_NOW -> "YIELDNOW";
            case RETIRE -> "RETIRE";
            case DISPATCH -> "DISPATCH";
            case ANSWER -> "ANSWER";
            case READY -> "READY";
            case REPLY -> "REPLY";
            case FAILED -> "FAILED";
            case CALL -> "CALL";
            case RESET -> "RESET";
            case LOAD -> "LOAD";
            default -> "kind " + kind(head);
        };
        return kind + " " + (number(head) & LOW32) + " of process " + owner(head) + ", epoch " + epoch(head);
    }
}
