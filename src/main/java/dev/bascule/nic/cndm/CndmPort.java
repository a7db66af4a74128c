package dev.bascule.nic.cndm;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.InterruptKind;
import dev.bascule.ffi.Patience;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.RingCard;
import dev.bascule.nic.TimestampUnit;
import dev.bascule.ring.Clock;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A port: one queue each way, since no more than the last created one carries traffic. Received frames interrupt by
 * the vector of the port's number, straight from the completion queue, without an event queue between.
 */
final class CndmPort implements RingCard {
    private static final int MIN_LOG_ENTRIES = 3;
    private static final int MAX_LOG_ENTRIES = 13;
    /** Frames that were to be sent get so long to be sent before a stop. */
    private static final long SEND_NANOS = 100_000_000L;
    /** A frame that the card has begun is a matter of microseconds, of a simulated one of milliseconds. */
    private static final long FRAME_NANOS = 2_000_000_000L;
    private static final long NAP_NANOS = 20_000;

    private final DeviceBacking backing;
    private final CndmCard card;
    private final int number;
    private final CndmRing receiving;
    private final CndmRing sending;
    private boolean created;

    CndmPort(DeviceBacking backing, CndmCard card, CndmCommands commands, int number, NicOptions options) {
        this.backing = backing;
        this.card = card;
        this.number = number;
        int wished = Integer.SIZE - Integer.numberOfLeadingZeros(options.ringEntries() - 1);
        int logEntries = Math.clamp(wished, MIN_LOG_ENTRIES, MAX_LOG_ENTRIES);
        receiving = new CndmRing(commands, backing.addressSpace(), number, false, logEntries, stamps(options));
        sending = new CndmRing(commands, backing.addressSpace(), number, true, logEntries, stamps(options));
    }

    private @Nullable TimestampUnit stamps(NicOptions options) {
        return options.timestamps()
                ? new TimestampUnit(card, Clock.system(), CndmRegisters.STAMP_SECONDS_BITS)
                : null;
    }

    @Override
    public CndmRing ring(boolean sends) {
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
    public boolean stampsFrames() {
        return true;
    }

    @Override
    public Optional<MacAddress> macAddress() {
        return card.address(number);
    }

    @Override
    public void start(boolean interrupts) {
        created = true;
        receiving.create(number);
        sending.create(number);
    }

    /**
     * Drains, then destroys: a frame in flight would write to buffers that are given away, and its completion into a
     * queue that has the number next.
     */
    @Override
    public void stop() {
        if (!created) {
            return;
        }
        created = false;
        try {
            await(SEND_NANOS, sending::isDone);
            sending.destroyQueue();
            receiving.destroyQueue();
            boolean drained = await(FRAME_NANOS, () -> sending.inFlight() == 0 && receiving.inFlight() == 0);
            sending.destroyCompletions();
            receiving.destroyCompletions();
            if (!drained) {
                throw new DeviceException("stop port " + number, backing.info().toString(),
                        "a frame that the card has begun does not end", "reset the card and open it again");
            }
        } catch (DeviceRemovedException gone) {
            // it reaches no memory any more
        }
    }

    private boolean await(long nanos, BooleanSupplier condition) {
        Patience patience = new Patience(nanos, backing::nanoTime, () -> 0);
        while (!condition.getAsBoolean()) {
            if (patience.isOver()) {
                return false;
            }
            LockSupport.parkNanos(NAP_NANOS);
        }
        return true;
    }

    @Override
    public void check() {
        card.check();
    }
}
