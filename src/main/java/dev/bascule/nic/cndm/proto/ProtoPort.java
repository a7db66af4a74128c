package dev.bascule.nic.cndm.proto;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Patience;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.RingCard;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A port: a ring of frames to send and one of buffers to receive into, and the order in which they start and stop. */
final class ProtoPort {
    private static final int LEAST_ENTRIES = 8;
    private static final int MOST_ENTRIES = 8192;
    /** Frames that were to be sent get so long before a stop. */
    private static final long SEND_NANOS = 100_000_000L;
    /** A frame that the card has begun takes it microseconds. */
    private static final long FRAME_NANOS = 2_000_000L;
    private static final long NAP_NANOS = 20_000;

    private final DeviceBacking backing;
    private final Registers registers;
    private final int number;
    private final int base;

    /** @param base offset of the port's registers */
    ProtoPort(DeviceBacking backing, int number, int base) {
        this.backing = backing;
        registers = backing.registers(0);
        this.number = number;
        this.base = base;
    }

    /** Rings of the length that the options wish, rounded up to a power of two. */
    RingCard open(NicOptions options) {
        int wished = Math.clamp(options.ringEntries(), LEAST_ENTRIES, MOST_ENTRIES);
        int log = Integer.SIZE - Integer.numberOfLeadingZeros(wished - 1);
        return new Open(new ProtoRing(backing, base, false, log), new ProtoRing(backing, base, true, log));
    }

    /**
     * Ends all DMA: no new frame begins, the one that was begun each way gets time to end, and only then its completion
     * queue goes. The card does not tell when it has ended.
     */
    void halt() {
        registers.write32(base + ProtoRegisters.SEND, 0);
        registers.write32(base + ProtoRegisters.RECEIVE, 0);
        registers.read32(ProtoRegisters.PORTS); // pushes the writes before it
        await(FRAME_NANOS, () -> false);
        registers.write32(base + ProtoRegisters.SEND + ProtoRegisters.COMPLETIONS, 0);
        registers.write32(base + ProtoRegisters.RECEIVE + ProtoRegisters.COMPLETIONS, 0);
        registers.read32(ProtoRegisters.PORTS);
    }

    private void await(long nanos, BooleanSupplier condition) {
        Patience patience = new Patience(nanos, backing::nanoTime, () -> 0);
        while (!condition.getAsBoolean() && !patience.isOver()) {
            LockSupport.parkNanos(NAP_NANOS);
        }
    }

    void check() {
        if (registers.read32(ProtoRegisters.PORTS) == -1) {
            throw new DeviceRemovedException("look at the card", backing.info().toString());
        }
    }

    /** The port with its rings. */
    private final class Open implements RingCard {
        private final ProtoRing receiving;
        private final ProtoRing sending;

        Open(ProtoRing receiving, ProtoRing sending) {
            this.receiving = receiving;
            this.sending = sending;
        }

        @Override
        public ProtoRing ring(boolean sends) {
            return sends ? sending : receiving;
        }

        @Override
        public InterruptKind interruptKind() {
            return InterruptKind.MSI;
        }

        @Override
        public int vector() {
            return number;
        }

        @Override
        public void start(boolean interrupts) {
            receiving.start();
            sending.start();
        }

        @Override
        public void stop() {
            await(SEND_NANOS, sending::isDone);
            halt();
        }

        @Override
        public void check() {
            ProtoPort.this.check();
        }
    }
}
