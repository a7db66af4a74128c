package dev.bascule.nic.lesson;

import static dev.bascule.nic.QueueCounters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Registers;
import dev.bascule.nic.LinkState;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicCapabilities;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxQueue;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Drives a lesson card, whose registers and rings {@code native/cosim/example/nic.v} describes at its top. */
public final class LessonNic implements Nic {
    static final int BUFFER_BYTES = 2048;
    private static final int MAGIC = 0x424e4943;
    private static final int CONTROL = 0x08;
    private static final int ENABLE = 1;
    private static final int IDLE = 2;
    private static final int FAULT = 4;
    private static final int RX_BLOCK = 0x100;
    private static final int TX_BLOCK = 0x200;
    private static final String[] COUNTERS = { "tx_frames", "rx_frames", "rx_dry", "rx_too_long", "dma_refused" };
    private static final int FIRST_COUNTER = 0x10;
    private static final long STOP_NANOS = 5_000_000_000L;

    private final DeviceBacking backing;
    private final Registers registers;
    private final boolean interrupts;
    private final LessonRing rxRing;
    private final LessonRing txRing;
    private final LessonRxQueue rx;
    private final LessonTxQueue tx;
    private @Nullable Interrupt interrupt;
    private int longestFrame;
    private boolean started;
    private boolean closed;

    LessonNic(DeviceBacking backing, NicOptions options) {
        this.backing = backing;
        this.registers = backing.registers(0);
        check();
        this.interrupts = options.interrupts();
        this.longestFrame = Math.min(options.maxFrameBytes(), BUFFER_BYTES);
        int entries = Integer.highestOneBit(Math.clamp(options.ringEntries(), 2, 4096));
        String name = backing.info().toString();
        rxRing = new LessonRing(name + " rx", backing.addressSpace(), registers, RX_BLOCK, entries, 2 * entries);
        txRing = new LessonRing(name + " tx", backing.addressSpace(), registers, TX_BLOCK, entries, 2 * entries);
        rx = new LessonRxQueue(rxRing, backing);
        tx = new LessonTxQueue(txRing);
    }

    @Override
    public String name() {
        return "lesson " + backing.info();
    }

    @Override
    public NicCapabilities capabilities() {
        return new NicCapabilities(1, 1, BUFFER_BYTES, 1, false, false, false, false, false, true);
    }

    @Override
    public int rxQueues() {
        return 1;
    }

    @Override
    public int txQueues() {
        return 1;
    }

    @Override
    public RxQueue rxQueue(int index) {
        Objects.checkIndex(index, 1);
        return rx;
    }

    @Override
    public TxQueue txQueue(int index) {
        Objects.checkIndex(index, 1);
        return tx;
    }

    @Override
    public void start() {
        if (started) {
            return;
        }
        backing.setBusMaster(true);
        rxRing.start();
        txRing.start();
        interrupt = interrupts ? backing.openInterrupt(InterruptKind.MSIX, 0, null) : null;
        registers.write32(CONTROL, ENABLE);
        rx.start(longestFrame, interrupt);
        tx.longestFrame = longestFrame;
        started = true;
    }

    /** The card finishes what it has begun; only then buffers come back. */
    @Override
    public void stop() {
        if (!started) {
            return;
        }
        started = false;
        registers.write32(CONTROL, 0);
        long deadline = backing.nanoTime() + STOP_NANOS;
        while ((registers.read32(CONTROL) & IDLE) == 0 && backing.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
        }
        try {
            backing.setBusMaster(false); // whatever it does, it reaches no memory now
        } finally {
            rxRing.stop();
            txRing.stop();
            if (interrupt != null) {
                interrupt.close();
            }
        }
    }

    @Override
    public LinkState link() {
        return LinkState.of((registers.read32(CONTROL) & ENABLE) != 0);
    }

    @Override
    public void check() {
        if (registers.read32(0) != MAGIC) {
            throw new DeviceRemovedException("look at the card", name());
        }
        if ((registers.read32(CONTROL) & FAULT) != 0) {
            throw new DeviceException("look at the card", name(), "memory of a ring was refused to it",
                    "stop and start it");
        }
    }

    @Override
    public int maxFrameBytes() {
        return longestFrame;
    }

    /** Takes effect for sending at once, for receiving with the next start. */
    @Override
    public void setMaxFrameBytes(int lengthBytes) {
        if (lengthBytes < 60 || lengthBytes > BUFFER_BYTES) {
            throw new IllegalArgumentException("frames of " + lengthBytes + " bytes; 60 to " + BUFFER_BYTES);
        }
        longestFrame = lengthBytes;
        tx.longestFrame = lengthBytes;
    }

    @Override
    public SortedMap<String, Long> statistics() {
        SortedMap<String, Long> all = new TreeMap<>();
        for (String part : new String[] { "", "_queue_0" }) {
            rxRing.counters.addTo(all, "rx" + part);
            txRing.counters.addTo(all, "tx" + part);
            tx.refused().addTo(all, "tx" + part);
        }
        for (int i = 0; i < COUNTERS.length; i++) {
            all.put("device_" + COUNTERS[i], Integer.toUnsignedLong(registers.read32(FIRST_COUNTER + 4L * i)));
        }
        return all;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            stop();
        } finally {
            rxRing.close();
            txRing.close();
        }
    }
}
