package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.DmaAccess;
import dev.bascule.model.Losses;
import dev.bascule.model.parts.PhcClock;
import dev.bascule.model.parts.PhcRate;
import dev.bascule.model.parts.PhcReadings;
import dev.bascule.model.parts.PhcTime;
import dev.bascule.model.parts.PortDevice;
import dev.bascule.model.parts.SpacedInterrupts;
import dev.bascule.model.replay.Action;
import dev.bascule.model.replay.ObservedHost;
import dev.bascule.model.replay.PortReplay;
import dev.bascule.ring.Clock;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The device: BAR0 on one side, host memory, interrupts and wires on the other.
 * <p>
 * Thread rule: one thread at a time. After construction it allocates nothing unless observed, except in commands.
 */
final class CndmDevice extends PortDevice implements PortReplay.Device {
    private static final int INTERRUPT_MICROS = 10;
    private static final int CLOCK_BYTES = 0x40;

    final ObservedHost host;
    final PhcClock clock;
    private final Clock time;
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
     * @param time monotonic time, drives the clock and what is spaced or takes cycles
     * @param board its controller, null for none
     * @param observer sees everything that it does, or null
     */
    CndmDevice(CndmConfig config, DmaAccess memory, IntConsumer interruptSink, Wires wires, Clock time,
            @Nullable CndmBoard board, @Nullable Consumer<Action> observer) {
        host = new ObservedHost(memory, observer);
        this.wires = wires;
        this.time = time;
        timed = config.timing() == ModelTiming.RTL;
        clock = new PhcClock(time, PhcRate.OF_4_NANOS, config.timing());
        readings = new PhcReadings(clock.time());
        interrupts = new SpacedInterrupts(INTERRUPTS, time, (vector, heldBack) -> {
            host.interrupt(vector, heldBack);
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

    @Override
    public int read32(int offset) {
        if (offset >= MAILBOX && offset < PORTS) {
            return mailbox.read(offset);
        }
        return offset >= CLOCK && offset < CLOCK + CLOCK_BYTES ? readings.read(offset - CLOCK) : 0;
    }

    /** Less than a word is a word, except in the mailbox [RTL]. */
    @Override
    public void write32(int at, int word, int mask) {
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

    @Override
    public void receive(int port, byte[] data, int offset, int lengthBytes) {
        ports[port].receive(data, offset, lengthBytes);
    }

    @Override
    public boolean fits(int port, int lengthBytes) {
        return ports[port].fits(lengthBytes);
    }

    @Override
    public boolean hasRoom(int port, int lengthBytes) {
        return ports[port].hasRoom(lengthBytes);
    }

    @Override
    public int work(int budget) {
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

    @Override
    public boolean isWaitingForTime() {
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
        return timed ? time.nanoTime() + (long) cycles * CndmCycles.NANOS : 0;
    }

    boolean isOver(long due) {
        return !timed || time.nanoTime() - due >= 0;
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

    @Override
    public void reset() {
        for (CndmPort port : ports) {
            port.reset();
        }
        mailbox.reset();
        clock.reset();
        readings.reset();
        interrupts.reset();
    }
}
