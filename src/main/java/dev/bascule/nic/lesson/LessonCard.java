package dev.bascule.nic.lesson;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Patience;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.RingCard;
import java.util.Map;

/** A lesson card, whose registers {@code native/cosim/example/nic.v} describes at its top. */
final class LessonCard implements RingCard {
    private static final int MAGIC = 0x424e4943;
    private static final int CONTROL = 0x08;
    private static final int ENABLE = 1;
    private static final int IDLE = 2;
    private static final int FAULT = 4;
    private static final String[] COUNTERS = { "tx_frames", "rx_frames", "rx_dry", "rx_too_long", "dma_refused" };
    private static final long STOP_NANOS = 5_000_000_000L;

    private final DeviceBacking backing;
    private final Registers registers;
    private final LessonRing receiveRing;
    private final LessonRing sendRing;

    LessonCard(DeviceBacking backing, NicOptions options) {
        this.backing = backing;
        registers = backing.registers(0);
        check();
        int entries = Integer.highestOneBit(Math.clamp(options.ringEntries(), 2, 4096));
        receiveRing = new LessonRing(backing, 0x100, entries);
        sendRing = new LessonRing(backing, 0x200, entries);
    }

    @Override
    public LessonRing ring(boolean sends) {
        return sends ? sendRing : receiveRing;
    }

    @Override
    public void start(boolean interrupts) {
        receiveRing.start();
        sendRing.start();
        registers.write32(CONTROL, ENABLE);
    }

    /** The card finishes what it has begun; only then buffers come back. */
    @Override
    public void stop() {
        registers.write32(CONTROL, 0);
        Patience patience = new Patience(STOP_NANOS, backing::nanoTime, () -> 0);
        while ((registers.read32(CONTROL) & IDLE) == 0 && !patience.isOver()) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void check() {
        if (registers.read32(0) != MAGIC) {
            throw new DeviceRemovedException("look at the card", backing.info().toString());
        }
        if ((registers.read32(CONTROL) & FAULT) != 0) {
            throw new DeviceException("look at the card", backing.info().toString(),
                    "memory of a ring was refused to it", "stop and start it");
        }
    }

    @Override
    public void addCounters(Map<String, Long> statistics) {
        for (int i = 0; i < COUNTERS.length; i++) {
            statistics.put("device_" + COUNTERS[i], Integer.toUnsignedLong(registers.read32(0x10 + 4 * i)));
        }
    }
}
