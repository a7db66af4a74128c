package dev.bascule.bench;

import dev.bascule.ring.SlotRing;
import java.util.ArrayList;
import java.util.List;

/**
 * The queue of 64-byte messages with in-slot sequence at one batch size: in Java, in C as the same calls on the same
 * objects, and in C as two loops with all state in registers.
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
