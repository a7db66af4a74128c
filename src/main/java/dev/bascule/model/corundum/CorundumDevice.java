package dev.bascule.model.corundum;

import dev.bascule.device.DmaAccess;
import dev.bascule.model.Losses;
import dev.bascule.model.parts.PhcTime;
import dev.bascule.nic.corundum.MqnicRegisters;
import dev.bascule.ring.Clock;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The device: BAR0 on one side, host memory, interrupts and wire on the other. Register accesses take effect at once;
 * packets move when {@link #work} is called. Nothing that a driver or the wire does makes it throw or loop forever.
 * <p>
 * Thread rule: one thread at a time. After construction and the first packets it allocates nothing.
 */
public final class CorundumDevice {
    private final CorundumConfig config;
    private final Layout layout;
    private final Dma dma;
    private final Statistics statistics;
    private final InterruptLimiter interrupts;
    private final CorundumInterface[] interfaces;
    private final int interfaceMask;
    private final PhcTime time;
    private final Cycles cycles;
    private long arrivals;

    /**
     * @param memory host memory
     * @param interruptSink gets interrupt vectors
     * @param wire gets transmitted frames
     * @param clock monotonic time, drives the PTP clock and the interrupt windows
     * @param observer sees everything the device does, or null
     */
    public CorundumDevice(CorundumConfig config, DmaAccess memory, IntConsumer interruptSink, Wire wire,
            Clock clock, @Nullable CorundumObserver observer) {
        this.config = config;
        layout = new Layout(config);
        interfaceMask = layout.stride() - 1;
        statistics = new Statistics(clock, config.msix(), this::lost);
        FrameCause cause = new FrameCause();
        dma = new Dma(memory, config.addressMask(), statistics, cause, observer);
        interrupts = new InterruptLimiter(1 << config.interruptIndexBits(), clock, interruptSink, cause, observer);
        CsrWindow csr = new CsrWindow(config, layout, statistics, interrupts, clock);
        time = csr.time();
        cycles = new Cycles(config.timing(), clock);
        interfaces = new CorundumInterface[config.interfaces()];
        for (int i = 0; i < interfaces.length; i++) {
            interfaces[i] = new CorundumInterface(config, layout, i, csr, dma, interrupts, time, wire,
                    cycles);
        }
    }

    /** Configuration that the device was built with. */
    CorundumConfig config() {
        return config;
    }

    /** Reads up to 8 bytes of BAR0 at any offset, zero-extended; outside it reads 0. */
    public long read(long offset, int widthBytes) {
        if (widthBytes == 4 && (offset & 3) == 0) {
            return read32(offset) & 0xFFFFFFFFL;
        }
        long value = 0;
        long word = -1;
        int data = 0;
        for (int i = 0; i < widthBytes && i < 8; i++) {
            long at = offset + i;
            if ((at & ~3L) != word || i == 0) {
                word = at & ~3L;
                data = read32(word);
            }
            value |= (data >>> (at & 3) * 8 & 0xFFL) << i * 8;
        }
        return value;
    }

    private int read32(long offset) {
        if (offset < 0 || offset >= MqnicRegisters.BAR0_BYTES) {
            return 0;
        }
        statistics.register(true);
        return interfaces[(int) offset >> layout.interfaceShift].read((int) offset & interfaceMask);
    }

    /** Writes up to 8 bytes of BAR0 at any offset, each word touched once and with its byte lanes. */
    public void write(long offset, int widthBytes, long value) {
        if (widthBytes == 4 && (offset & 3) == 0) {
            write32(offset, (int) value, RegisterWindow.ALL_LANES);
            return;
        }
        int i = 0;
        while (i < widthBytes && i < 8) {
            long word = offset + i & ~3L;
            int data = 0;
            int lanes = 0;
            for (; i < widthBytes && i < 8 && (offset + i & ~3L) == word; i++) {
                int lane = (int) (offset + i & 3);
                data |= (int) (value >>> i * 8 & 0xFF) << lane * 8;
                lanes |= 1 << lane;
            }
            write32(word, data, lanes);
        }
    }

    private void write32(long offset, int value, int lanes) {
        if (offset >= 0 && offset < MqnicRegisters.BAR0_BYTES) {
            statistics.register(false);
            interfaces[(int) offset >> layout.interfaceShift].write((int) offset & interfaceMask, value, lanes);
        }
    }

    /**
     * A frame arrives, without FCS; it is copied.
     *
     * @param port counted over all interfaces
     * @return false if there was no room, or it is longer than any FIFO, or empty
     */
    public boolean receive(int port, byte[] data, int offset, int lengthBytes) {
        if (isNoFrame(lengthBytes)) {
            interfaces[port / config.ports()].refuse(port % config.ports());
            return false;
        }
        return interfaces[port / config.ports()].receive(port % config.ports(), data, offset, lengthBytes, arrivals++);
    }

    private boolean isNoFrame(int lengthBytes) {
        return lengthBytes <= 0 || lengthBytes > config.rxFifoBytes();
    }

    /** Whether a frame that arrives now reaches host memory; also true for one that never can. */
    boolean hasRoom(int port, byte[] data, int offset, int lengthBytes) {
        return isNoFrame(lengthBytes) || interfaces[port / config.ports()].hasRoom(port % config.ports(), data, offset,
                lengthBytes);
    }

    /** Received frames lost since reset, by place; the hardware's statistics block has no counter for them. */
    Losses losses() {
        Losses losses = Losses.NONE;
        for (int i = 0; i < interfaces.length; i++) {
            losses = losses.plus(interfaces[i].losses(interfaces.length == 1 ? "" : "interface " + i + " "));
        }
        return losses;
    }

    /**
     * Lets packets move until there is nothing to do or about {@code budget} steps were taken.
     *
     * @return steps taken, 0 when idle
     */
    public int work(int budget) {
        interrupts.poll();
        int done = 0;
        int round;
        do {
            round = 0;
            cycles.look();
            time.update(); // once for all packets of a round: reading the clock costs as much as moving one
            for (CorundumInterface one : interfaces) {
                round += one.step();
            }
            done += round;
        } while (round != 0 && done < budget);
        return done;
    }

    /** Whether an interrupt waits for its window to end, or a packet for its cycles: {@link #work} must be called again. */
    public boolean isWaitingForTime() {
        return interrupts.isWaiting() || isBusy();
    }

    /** Whether packets are on their way and go on by themselves, after some cycles. */
    boolean isBusy() {
        if (!cycles.counted()) {
            return false;
        }
        for (CorundumInterface one : interfaces) {
            if (one.isBusy()) {
                return true;
            }
        }
        return false;
    }

    /** Plugs or unplugs a port's cable, as its status registers show it. */
    public void setLinkUp(int port, boolean up) {
        interfaces[port / config.ports()].setLinkUp(port % config.ports(), up);
    }

    /** Makes a port's MAC withhold, or release, the reports that transmit completions wait for. */
    public void setHoldTransmitReports(int port, boolean hold) {
        interfaces[port / config.ports()].setHoldReports(port % config.ports(), hold);
    }

    /**
     * Sets the order of transmit queues that became active while their scheduler was off. Hardware leaves open where the
     * rotation starts; a replay says where it did. Other queues keep their place.
     */
    public void arrangeBacklog(int[] queues) {
        for (CorundumInterface one : interfaces) {
            one.arrange(queues);
        }
    }

    /** DMA accesses that host memory refused. */
    long dmaFaults() {
        return dma.faults();
    }

    /** Frames, completions and events lost since reset, for whatever reason. */
    long dropped() {
        long sum = 0;
        for (Statistics.Loss what : Statistics.Loss.values()) {
            sum += lost(what);
        }
        return sum;
    }

    private long lost(Statistics.Loss what) {
        long sum = 0;
        for (CorundumInterface one : interfaces) {
            sum += one.lost(what);
        }
        return sum;
    }

    /** Whether a packet without any byte stopped the transmit path of an interface, as it stops the hardware's. */
    boolean isTransmitWedged() {
        boolean wedged = false;
        for (CorundumInterface one : interfaces) {
            wedged |= one.isTransmitWedged();
        }
        return wedged;
    }

    /**
     * The design's reset: registers, clock and everything on its way as after power-on. What lies in RAM stays, as the RTL
     * gives it a content at power-on and no reset: the state of all queues, and the receive queue table. The cables stay.
     */
    void reset() {
        for (CorundumInterface one : interfaces) {
            one.reset();
        }
    }
}
