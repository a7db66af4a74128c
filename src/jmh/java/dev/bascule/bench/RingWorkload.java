package dev.bascule.bench;

import dev.bascule.ring.SlotRing;
import java.util.ArrayList;
import java.util.List;

/**
 * The queue of 64-byte messages with in-slot sequence at one batch size: in Java, in C as the same calls on the same
 * objects, and in C as two loops with all state in registers.
 * <p>
 * What the C forms cost a message, ns, medians of windows of 1 ms in which both threads had their cores, several
 * processes (AMD EPYC of family 26, 2 virtual CPUs that the host moves, gcc -O3 -march=native, capacity 1024, any pace):
 *
 * <pre>
 *                                      batch 32            batch 8       batch 1
 *                                      near      far       near   far    near   far
 *   calls on ring objects              2.9       9.8       2.8    9.9    3.9    10.4
 *   loops                              2.8       13        2.1    10.9   2.2    11.6
 *   calls, published per message       2.9       13 to 15         12     3.9    10.4
 *   loops, first word of a batch last  2.8       10.4             10.7   2.3    11.6
 *   calls, ring in a huge page         2.9       9.8              9.9    4.0    10.5
 *   calls, ring 64 bytes off a page    2.9       9.9              9.8    4.1    10.3
 *   calls, ends share a line           4.0       10.2             10.3   6.9    26
 *   calls, 256 slots                   3.6       11.9             11.9   4.6    14.9
 *   calls, 64 slots                    11 to 15  46 to 55         54     18     57 to 82
 * </pre>
 *
 * An earlier run gave calls 39 ns where loops took 8.6. The layout of this ring is not the cause: no placement, pace or
 * form of it comes near, nor does it matter which CPU has the receiver. What does is a side without a core. Of 1,520
 * windows of calls and loops at batch 1, 8 and 32 beside other load, the 1,151 in which neither thread had waited for its
 * CPU (by {@code schedstat}) took 2 to 21 ns; of the 369 in which one had, 302 took over 20 ns, the median was 90 and the
 * longest 9,500. A median over the few windows of a short run can be one of those. They are left out since
 * ({@link PairRunner}). A ring so small that sender and receiver work on the same lines costs as much, too.
 */
record RingWorkload(int batch) implements Workload {
    static final int CAPACITY = 1024;
    private static final int[] JAVA_PAUSES = { 0, 1, 16 };

    @Override
    public String name() {
        return "ring-" + batch;
    }

    @Override
    public List<Variant> variants(Twins twins) {
        List<Variant> variants = new ArrayList<>(java(batch));
        long arg = (long) CAPACITY << 32 | batch;
        long bytes = SlotRing.sizeBytes(CAPACITY);
        variants.addAll(twins.variants("c", "ring_receive", arg, "ring_send", arg, bytes + 4096));
        variants.addAll(twins.variants("c loop", "slot_receive", arg, "slot_send", arg, bytes));
        return variants;
    }

    static List<Variant> java(int batch) {
        List<Variant> variants = new ArrayList<>();
        for (int pauses : JAVA_PAUSES) {
            RingSides ring = new RingSides(CAPACITY, batch, pauses);
            variants.add(
                    new Variant("java", pauses == 0 ? "tight" : pauses + " pauses", ring.receiver(), ring.sender()));
        }
        return variants;
    }
}
