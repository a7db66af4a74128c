package dev.bascule.nic.enso;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceInfo;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.DeviceException;
import dev.bascule.memory.Numa;
import dev.bascule.nic.Flow;
import dev.bascule.ring.IdleStrategy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * An Ensō NIC: pipes instead of descriptors. The device keeps its queue state when drivers restart, so opening it first
 * stops every pipe that an earlier owner left behind, before the device may use the bus.
 * <p>
 * How the driver avoids the device's known hazards: a pipe's address is set by one 64-bit store; a pipe is opened by the
 * store that zeroes both its pointers, which is a head update, so nothing that was dropped before delays the first
 * notification; its address is never cleared, and it is made full before its memory is freed, so that the RX engine
 * cannot stop; notification rings cannot overflow; a fallback pipe is open before packets are steered to it; a flow is
 * unbound before its pipe closes.
 * <p>
 * Thread rule: thread-safe, control path. Errors: {@link DeviceException} with step, object and remedy. Source: Ensō,
 * OSDI'23, and its public RTL.
 */
public final class EnsoNic implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(EnsoNic.class.getName());

    /** A head update is answered after 55 cycles of the card, a load after 10 [RTL]. */
    private static final int LOADS_PER_ANSWER = 8;

    private final DeviceBacking backing;
    private final EnsoConfig config;
    private final IdleStrategy idle;
    private final PipeRegisters lanes;
    private final PipeIds ids = new PipeIds();
    private final FlowPlaces flows = new FlowPlaces();
    private final BitSet fallback = new BitSet();
    private final List<EnsoGroup> groups = new ArrayList<>();
    private final NotificationBuffer controlBuffer;
    private final Control control;
    private int fallbackPipes;
    private boolean roundRobin;
    private boolean closed;

    private EnsoNic(DeviceBacking backing, EnsoConfig config, IdleStrategy idle) {
        this.backing = backing;
        this.config = config;
        this.idle = idle;
        lanes = new PipeRegisters(backing);
        quiesce();
        backing.setBusMaster(true);
        try (Numa.Near near = near()) {
            controlBuffer = new NotificationBuffer(backing.addressSpace(), lanes, ids.takeBuffer(), config);
        }
        control = new Control(controlBuffer, idle);
    }

    /** Opens the device; its waits spin and then park. */
    public static EnsoNic open(DeviceBacking backing, EnsoConfig config) {
        return open(backing, config, IdleStrategy.spinThenPark(1000, 50_000));
    }

    /**
     * Opens the device: no pipes, no time stamps, no rate limit. The backing stays the caller's.
     *
     * @param idle how the control path waits; called with 0 while there is nothing new
     */
    public static EnsoNic open(DeviceBacking backing, EnsoConfig config, IdleStrategy idle) {
        DeviceInfo info = backing.info();
        if (info.vendorId() != EnsoRegisters.VENDOR_ID || info.classCode() >>> 8 != EnsoRegisters.CLASS_CODE
                && info.classCode() != EnsoRegisters.CLASS_CODE) {
            throw new DeviceFormatException("open", info.toString(), "not an Ensō NIC (vendor 1172, Ethernet)",
                    "name the right device; bascule devices lists them");
        }
        EnsoNic nic = new EnsoNic(backing, config, idle);
        try {
            nic.start();
            return nic;
        } catch (RuntimeException e) {
            nic.close();
            throw e;
        }
    }

    /** A group of pipes for one thread, with its own notification buffer. */
    public synchronized EnsoGroup openGroup() {
        requireOpen();
        int buffer = ids.takeBuffer();
        try (Numa.Near near = near()) {
            EnsoGroup group = new EnsoGroup(this,
                    new NotificationBuffer(backing.addressSpace(), lanes, buffer, config));
            groups.add(group);
            return group;
        } catch (RuntimeException e) {
            ids.giveBuffer(buffer);
            throw e;
        }
    }

    /** Stamps packets with the time they leave, and replaces the stamp of those that arrive by the round trip's cycles. */
    public synchronized void timeStamping(boolean on) {
        timeStamping(on, EnsoFormats.DEFAULT_TIMESTAMP_OFFSET);
    }

    /** Stamps packets as {@link #timeStamping(boolean)} does, in four bytes at {@code offset}, 0 to 60, of each. */
    public synchronized void timeStamping(boolean on, int offset) {
        requireOpen();
        if (offset < 0 || offset > EnsoFormats.FLIT_BYTES - EnsoFormats.TIMESTAMP_BYTES) {
            throw new IllegalArgumentException("time stamp at byte " + offset + "; it can be at 0 to 60");
        }
        control.timeStamping(on, offset);
    }

    /**
     * Sends at most {@code flits} flits of 64 bytes in every {@code cycles} cycles of 5 ns, in a burst at the start of
     * each, over all pipes.
     */
    public synchronized void rateLimit(int flits, int cycles) {
        requireOpen();
        if (flits < 1 || flits > 65535 || cycles < flits || cycles > 65535) {
            throw new IllegalArgumentException(
                    "rate of " + flits + " flits in " + cycles + " cycles; 1 <= flits <= cycles <= 65535");
        }
        control.rateLimit(true, flits, cycles);
    }

    /** Sends as fast as the wire takes it. */
    public synchronized void noRateLimit() {
        requireOpen();
        control.rateLimit(false, 0, 0);
    }

    /** Whether packets that match no flow go to the fallback pipes in turn, instead of by their hash. */
    public synchronized void roundRobin(boolean on) {
        requireOpen();
        control.fallback(fallbackPipes, on);
        roundRobin = on;
    }

    /** The setting of {@link #roundRobin(boolean)}. */
    public synchronized boolean roundRobin() {
        return roundRobin;
    }

    /**
     * Fallback pipes in use: those open from pipe 0 on without a gap; the device spreads packets over a power of two of
     * them.
     */
    public synchronized int fallbackPipes() {
        return fallbackPipes;
    }

    /** {@link DeviceRemovedException} if the device does not answer. One register load. */
    public void check() {
        check("check");
    }

    private void check(String step) {
        if (lanes.load32(EnsoRegisters.notificationPage(0) + EnsoRegisters.TX_TAIL) == -1) {
            throw new DeviceRemovedException(step, backing.info().toString());
        }
    }

    /** Name for people. */
    public String name() {
        return backing.info().toString();
    }

    /** Closes groups and pipes, stops the device's use of the bus, frees the memory. The backing stays open. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        for (EnsoGroup group : List.copyOf(groups)) {
            try {
                group.close();
            } catch (DeviceException e) {
                LOG.log(System.Logger.Level.WARNING, "closed without the device''s help: {0}", e.getMessage());
            }
        }
        closed = true;
        backing.setBusMaster(false);
        groups.forEach(EnsoGroup::release);
        controlBuffer.close();
    }

    IdleStrategy idle() {
        return idle;
    }

    synchronized int takePipe(boolean isFallback) {
        return isFallback ? ids.takeFallback() : ids.takePipe();
    }

    synchronized PipeMemory memory(String name, boolean sends) {
        try (Numa.Near near = near()) {
            return PipeMemory.allocate(backing.addressSpace(), name, config.pipeBytes(), config.hugepages(), sends);
        }
    }

    private Numa.Near near() {
        return new Numa().near(backing.info().numaNode());
    }

    /** Opens a pipe that was plugged or never used; the last store is the one that makes it take packets. */
    synchronized void enable(int pipe, long iova, int buffer, boolean isFallback) {
        long page = EnsoRegisters.pipePage(pipe);
        if (lanes.load64(page + EnsoRegisters.RX_ADDRESS_LOW) == 0) {
            plug(pipe, 0);
        }
        lanes.store64(page + EnsoRegisters.RX_ADDRESS_LOW, iova | buffer);
        lanes.store64(page + EnsoRegisters.RX_TAIL, PipeRegisters.pointers(0, 0));
        if (isFallback) {
            fallback.set(pipe);
            applyFallback();
        }
    }

    /** Makes a pipe full, so that it takes nothing; it answers with a notification of {@code tail}. */
    void plug(int pipe, int tail) {
        lanes.store64(EnsoRegisters.pipePage(pipe) + EnsoRegisters.RX_TAIL, PipeRegisters.pointers(tail, tail + 1));
    }

    synchronized void unsteer(int pipe, List<Flow> bound) {
        if (fallback.get(pipe)) {
            fallback.clear(pipe);
            applyFallback();
        }
        for (Flow flow : bound) {
            control.flow(flow, Control.NO_PIPE);
        }
    }

    synchronized void bind(Flow flow, int pipe) {
        requireOpen();
        if (!flows.take(flow)) {
            throw new DeviceException("bind " + flow, "enso", "the four places of its hash are taken by other flows "
                    + "and the device would lose it", "bind another flow, or use a fallback pipe");
        }
        control.flow(flow, pipe);
    }

    synchronized void gone(EnsoGroup group, int buffer) {
        groups.remove(group);
        ids.giveBuffer(buffer);
    }

    synchronized void givePipe(int pipe) {
        ids.givePipe(pipe);
    }

    private void applyFallback() {
        int open = fallback.nextClearBit(0);
        if (open != fallbackPipes) {
            control.fallback(open, roundRobin);
            fallbackPipes = open;
        }
    }

    /** Bus mastering is off: what this makes old pipes say goes nowhere. */
    /** Nanoseconds by which waits for the device count. */
    long nanoTime() {
        return backing.nanoTime();
    }

    private void quiesce() {
        backing.setBusMaster(false);
        for (int pipe = 0; pipe < EnsoRegisters.PIPES; pipe++) {
            long address = lanes.load64(EnsoRegisters.pipePage(pipe) + EnsoRegisters.RX_ADDRESS_LOW);
            if (address == -1) {
                throw new DeviceRemovedException("open", backing.info().toString());
            }
            if (address != 0) {
                plug(pipe, 0);
            }
        }
        outlastAnswers();
    }

    /** Waits until all head updates are answered, in cycles of the card and whatever the way to it. */
    private void outlastAnswers() {
        for (int load = 0; load < LOADS_PER_ANSWER; load++) {
            check("open");
        }
    }

    private void start() {
        plug(PipeIds.NOWHERE, 0);
        outlastAnswers(); // this one may take a slot and leave it empty, for there is no address
        lanes.store64(EnsoRegisters.pipePage(PipeIds.NOWHERE) + EnsoRegisters.RX_ADDRESS_LOW,
                controlBuffer.iova() | controlBuffer.id);
        controlBuffer.restart();
        plug(PipeIds.NOWHERE, 0);
        controlBuffer.awaitTail(0, idle); // or it falls into the check of the ring [RTL]
        new RingCheck(lanes, controlBuffer, idle).run();
        control.fallback(0, false);
        control.timeStamping(false, EnsoFormats.DEFAULT_TIMESTAMP_OFFSET);
        control.rateLimit(false, 0, 0);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the Ensō NIC is closed");
        }
    }
}
