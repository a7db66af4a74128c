package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.DmaAccess;
import dev.bascule.model.Losses;
import dev.bascule.model.parts.PhcClock;
import dev.bascule.model.parts.PhcRate;
import dev.bascule.model.parts.PhcReadings;
import dev.bascule.model.parts.PhcTime;
import dev.bascule.model.parts.SpacedInterrupts;
import dev.bascule.model.replay.Action;
import dev.bascule.model.replay.Action.Kind;
import dev.bascule.ring.Clock;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The device: BAR0 on one side, host memory, interrupts and wires on the other. Register accesses take effect at once;
 * frames move when {@link #work} is called. Nothing that a driver or a wire does makes it throw or loop forever.
 * <p>
 * Thread rule: one thread at a time. After construction it allocates nothing unless observed, except in commands.
 */
final class CndmDevice {
    private static final int INTERRUPT_MICROS = 10;
    private static final int CLOCK_BYTES = 0x40;

    /** Wires that the ports are plugged into. */
    @FunctionalInterface
    interface Wires {
        /** A frame leaves; the bytes are valid during the call only. */
        void transmit(int port, byte[] data, int lengthBytes);
    }

    final DmaAccess memory;
    final @Nullable Consumer<Action> observer;
    final PhcClock clock;
    /** Number of the frame that the device works for now, 0 for a register write; for the observer. */
    long cause;
    private long lastCause;
    private final Clock host;
    private final boolean timed;
    private final Wires wires;
    private final CndmPort[] ports;
    private final CndmMailbox mailbox;
    private final PhcReadings readings;
    private final SpacedInterrupts interrupts;

    /**
     * Makes it as after power-on.
     *
     * @param memory host memory
     * @param interruptSink gets interrupt vectors
     * @param host monotonic time, drives the clock and what is spaced or takes cycles
     * @param board its controller, null for none
     * @param observer sees everything that it does, or null
     */
    CndmDevice(CndmConfig config, DmaAccess memory, IntConsumer interruptSink, Wires wires, Clock host,
            @Nullable CndmBoard board, @Nullable Consumer<Action> observer) {
        this.memory = memory;
        this.wires = wires;
        this.host = host;
        this.observer = observer;
        timed = config.timing() == ModelTiming.RTL;
        clock = new PhcClock(host, PhcRate.OF_4_NANOS, config.timing());
        readings = new PhcReadings(clock.time());
        interrupts = new SpacedInterrupts(INTERRUPTS, host, (vector, heldBack) -> {
            if (observer != null) {
                observer.accept(
                        new Action(Kind.INTERRUPT, vector, 0, 0, Action.NO_DATA, heldBack ? 0 : cause));
            }
            interruptSink.accept(vector);
        });
        interrupts.setIntervalMicros(INTERRUPT_MICROS);
        ports = IntStream.range(0, config.ports()).mapToObj(port -> new CndmPort(this, port))
                .toArray(CndmPort[]::new);
        mailbox = new CndmMailbox(config, this, board);
    }

    /** Port of this number; null if there is none. */
    @Nullable
    CndmPort port(int number) {
        return number >= 0 && number < ports.length ? ports[number] : null;
    }

    /** Reads BAR0, zero-extended. More than a word at once is refused, and so reads as all ones. */
    long read(long offset, int widthBytes) {
        if (widthBytes > Integer.BYTES) {
            return -1;
        }
        int shift = (int) (offset & 3) * Byte.SIZE;
        return (read32((int) offset & ~3) & 0xFFFF_FFFFL) >>> shift & (1L << widthBytes * Byte.SIZE) - 1;
    }

    private int read32(int offset) {
        if (offset >= MAILBOX && offset < PORTS) {
            return mailbox.read(offset);
        }
        return offset >= CLOCK && offset < CLOCK + CLOCK_BYTES ? readings.read(offset - CLOCK) : 0;
    }

    /** Writes BAR0. More than a word at once is dropped; less is a word, except in the mailbox [RTL]. */
    void write(long offset, int widthBytes, long value) {
        if (widthBytes > Integer.BYTES) {
            return;
        }
        int shift = (int) (offset & 3) * Byte.SIZE;
        int mask = (int) ((1L << widthBytes * Byte.SIZE) - 1 << shift);
        int word = (int) (value << shift) & mask;
        int at = (int) offset & ~3;
        if (at == MAILBOX_CONTROL) {
            if ((word & 1) != 0) {
                mailbox.start();
            }
        } else if (at >= MAILBOX && at < PORTS) {
            mailbox.write(at, word, mask);
        } else if (at >= PORTS) {
            CndmPort port = port((at - PORTS) / PORT_STRIDE);
            if (port != null) {
                port.doorbell(at & PORT_STRIDE - 1, word);
            }
        }
    }

    /**
     * A frame arrives, without FCS; it is copied. One that the MAC marks as bad is not handed over.
     *
     * @return whether there was room
     */
    boolean receive(int port, byte[] data, int offset, int lengthBytes) {
        return ports[port].receive(data, offset, lengthBytes);
    }

    /** Whether there is room in front of the port for a frame. */
    boolean fits(int port, int lengthBytes) {
        return ports[port].fits(lengthBytes);
    }

    /** Whether a frame that arrives now reaches host memory; also true for one that never can. */
    boolean hasRoom(int port, int lengthBytes) {
        return ports[port].hasRoom(lengthBytes);
    }

    /**
     * Lets frames move until there is nothing to do or about {@code budget} steps were taken.
     *
     * @return steps taken, 0 when idle
     */
    int work(int budget) {
        interrupts.poll();
        int done = 0;
        int round;
        do {
            round = 0;
            for (CndmPort port : ports) {
                round += port.transmit() + port.store();
            }
            done += round;
        } while (round != 0 && done < budget);
        return done;
    }

    /**
     * Whether {@link #work} must be called again though it did nothing: a frame or an interrupt waits for its time.
     */
    boolean isWaitingForTime() {
        return interrupts.isWaiting() || isBusy();
    }

    /** Whether frames are on their way and go on by themselves. */
    boolean isBusy() {
        boolean busy = false;
        for (CndmPort port : ports) {
            busy |= port.isBusy();
        }
        return busy;
    }

    // ---- for ports

    PhcTime time() {
        return clock.time();
    }

    /** Time after so many cycles; now, if they are not counted. */
    long in(int cycles) {
        return timed ? host.nanoTime() + (long) cycles * CndmCycles.NANOS : 0;
    }

    boolean isOver(long due) {
        return !timed || host.nanoTime() - due >= 0;
    }

    long nextCause() {
        cause = ++lastCause;
        return cause;
    }

    void observe(Action action) {
        if (observer != null) {
            observer.accept(action);
        }
    }

    void interrupt(int vector) {
        interrupts.raise(vector);
    }

    void transmitted(int port, byte[] data, int lengthBytes) {
        wires.transmit(port, data, lengthBytes);
    }

    // ---- the rest

    Losses losses() {
        Losses losses = Losses.NONE;
        for (CndmPort port : ports) {
            losses = losses.plus(port.losses());
        }
        return losses;
    }

    void reset() {
        for (CndmPort port : ports) {
            port.reset();
        }
        mailbox.reset();
        clock.reset();
        readings.reset();
        interrupts.reset();
    }
}
