package dev.bascule.bench;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.app.Forwarder;
import dev.bascule.device.DeviceModel;
import dev.bascule.model.WireEnd;
import dev.bascule.model.cndm.CndmBenchModel;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Forwarding of 64-byte packets by one thread, in bursts of 32: the Java driver, and C that does the same. The card
 * is the model, with a station at the far end of its wire, or one that completes at once and is the same C function for
 * both; that thread lets it move frames whenever the driver finds none. The other thread does nothing. Beside the
 * burst stands how many registers each writes for a packet.
 */
final class CndmWorkload implements Workload {
    private static final int BURST = 32;
    /** Packets the peer completes in a call, so that the call from Java to it does not count. */
    private static final int AT_ONCE = 256;
    private static final int RING = 512;
    private static final int LOG_RING = 9;
    private static final long C_BYTES = 8 << 20;
    private static final long COUNTED = 1 << 16;

    private final boolean onModel;

    /** @param onModel whether the card is the model */
    CndmWorkload(boolean onModel) {
        this.onModel = onModel;
    }

    @Override
    public String name() {
        return onModel ? "cndm-model" : "cndm-rings";
    }

    @Override
    public List<Variant> variants(Twins twins) {
        List<Variant> variants = new ArrayList<>();
        if (twins.available()) {
            variants.add(java(twins));
            variants.add(c(twins));
        }
        return variants;
    }

    private Variant java(Twins twins) {
        CndmBenchModel model = new CndmBenchModel(onModel ? new FarStation() : WireEnd.OPEN);
        CndmPeer card = new CndmPeer(model.registers(), onModel);
        Nic nic = Nics.open(card).openPort(0, NicOptions.DEFAULTS.withRingEntries(RING));
        nic.start();
        Side peer = twins.side("cndm_peer", card.state(RING, LOG_RING + 1), 0, 0);
        Forwarder forwarder = new Forwarder(nic, nic, BURST);
        Runnable others = onModel ? model::work : () -> peer.run(0, AT_ONCE);
        return variant("java", card::writes, (start, count) -> {
            long done = 0;
            while (done < count) {
                int got = forwarder.run();
                done += got;
                if (got == 0) {
                    others.run();
                }
            }
            return done;
        });
    }

    private Variant c(Twins twins) {
        CndmBenchModel model = new CndmBenchModel(onModel ? new FarStation() : WireEnd.OPEN);
        MemorySegment memory = Arena.global().allocate(C_BYTES, 4096);
        long write = onModel ? doorbell(model).address() : 0;
        Side ring = twins.side("cndm_ring", memory, write, 0);
        create(model.registers(), COMPLETION_QUEUE, BIT_31, LOG_RING + 1, ring.run(0, 0));
        create(model.registers(), RECEIVE_QUEUE, 0, LOG_RING, ring.run(1, 0));
        create(model.registers(), COMPLETION_QUEUE, BIT_31, LOG_RING + 1, ring.run(2, 0));
        create(model.registers(), SEND_QUEUE, 1, LOG_RING, ring.run(3, 0));
        Side writes = twins.side("cndm_writes", memory, 0, 0);
        return variant("c", () -> writes.run(0, 0), twins.side("cndm_forward", memory, 0, 0));
    }

    private static void create(DeviceModel card, int kind, int boundTo, int logEntries, long address) {
        int[] words = { CREATE + KIND_STEP * kind << 16, 0, 0, 0, boundTo, 0, logEntries, 0, (int) address,
                (int) (address >>> 32) };
        for (int i = 0; i < words.length; i++) {
            card.write(0, MAILBOX + 4L * i, 4, words[i]);
        }
        card.write(0, MAILBOX_CONTROL, 4, 1);
    }

    /** C function that writes a register of the model, or at offset 0, where there is none, lets it move frames. */
    private static MemorySegment doorbell(CndmBenchModel model) {
        try {
            return Linker.nativeLinker().upcallStub(
                    MethodHandles.lookup().findStatic(CndmWorkload.class, "write",
                            MethodType.methodType(void.class, CndmBenchModel.class, int.class, int.class))
                            .bindTo(model),
                    FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT), Arena.global());
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static void write(CndmBenchModel model, int offset, int value) {
        if (offset == 0) {
            model.work();
        } else {
            model.registers().write(0, offset, 4, value);
        }
    }

    private static Variant variant(String group, LongSupplier writes, Side driver) {
        Side bursts = (start, count) -> {
            long whole = (count + BURST - 1) / BURST * BURST;
            if (driver.run(start, whole) < whole) {
                throw new IllegalStateException("a burst was not forwarded");
            }
            return count;
        };
        bursts.run(0, COUNTED);
        long before = writes.getAsLong();
        bursts.run(0, COUNTED);
        double each = (writes.getAsLong() - before) / (double) COUNTED;
        return new Variant(group, String.format(Locale.ROOT, "burst, %.3f MMIO writes a packet", each), bursts,
                (start, count) -> count);
    }
}
