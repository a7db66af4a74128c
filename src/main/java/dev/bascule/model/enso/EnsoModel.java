package dev.bascule.model.enso;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.DmaAccess;
import dev.bascule.nic.enso.EnsoFormats;
import java.util.Arrays;

/**
 * A whole Ensō NIC: registers and DMA on one side, Ethernet frames on the other, steering, time stamps and rate limiter
 * between. It does nothing by itself: {@link #work} advances it, time comes from the {@link CycleClock}, so a run with
 * a virtual clock is reproducible.
 * <p>
 * Exact: everything that does not depend on clock cycles inside the hardware. Given a clock: rate limiter, round robin,
 * time stamps. Not modelled: latencies, and the order of TX completions against received data when both are pending.
 * <p>
 * Not thread-safe: one thread calls all methods, except those of {@link #metrics()}.
 */
public final class EnsoModel {
    private static final int FRAME_BYTES = EnsoFormats.MAX_PACKET_FLITS * EnsoFormats.FLIT_BYTES;

    private final CycleClock clock;
    private final FlowTable flows = new FlowTable();
    private final FlowDirector director = new FlowDirector();
    private final Timestamper timestamper = new Timestamper();
    private final RateLimiter limiter = new RateLimiter();
    private final FlowKey key = new FlowKey();
    private final EnsoMetrics metrics = new EnsoMetrics();
    private final Egress egress;
    private final PcieBlock block;
    private final Configurator configurator;
    private final byte[] frame = new byte[FRAME_BYTES];
    private long patienceCycles;
    private long changedCycle;

    /**
     * A device as after loading the bitstream.
     *
     * @param dma its way to host memory; accesses are at most 512 bytes
     * @param board what the board tool has set
     * @param clock its cycles; a virtual one makes runs reproducible
     * @param wire takes the frames it sends
     */
    public EnsoModel(DmaAccess dma, EnsoBoard board, CycleClock clock, WireSink wire) {
        this(dma, board, clock, wire, EnsoObserver.NONE);
    }

    /** A device as after loading the bitstream, watched by {@code observer}. */
    public EnsoModel(DmaAccess dma, EnsoBoard board, CycleClock clock, WireSink wire, EnsoObserver observer) {
        this(new DmaHostPort(dma, observer), board, clock, wire);
    }

    EnsoModel(HostPort host, EnsoBoard board, CycleClock clock, WireSink wire) {
        this.clock = clock;
        egress = new Egress(limiter, timestamper, clock, wire);
        configurator = new Configurator(flows, director, timestamper, limiter, clock, metrics);
        block = new PcieBlock(host, board, egress, entry -> {
            configurator.config(entry);
            changed();
        }, metrics);
    }

    /** A register store of 1 to 8 bytes into BAR2; any offset. */
    public void write(long offset, int widthBytes, long value) {
        block.write(offset, widthBytes, value);
    }

    /** A register load of 1 to 8 bytes from BAR2; any offset. */
    public long read(long offset, int widthBytes) {
        return block.read(offset, widthBytes);
    }

    /** A frame arrives from the wire, without FCS. The array is not kept. */
    public void receive(byte[] bytes, int offset, int lengthBytes) {
        arrive(bytes, offset, lengthBytes, false);
    }

    /**
     * As {@link #receive}, but only if nothing would lose the frame or its notification now: a pipe is bound, and its
     * buffer and its notification ring have room. A frame that would be dropped in any case, because of its length or
     * because other flows are bound and its own is not (see {@link #patience}), is taken and counted as dropped. A frame
     * that is taken is in host memory when this returns.
     *
     * @return false if it should be offered again later
     */
    public boolean offer(byte[] bytes, int offset, int lengthBytes) {
        return arrive(bytes, offset, lengthBytes, true);
    }

    private boolean arrive(byte[] bytes, int offset, int lengthBytes, boolean refuse) {
        if (lengthBytes <= 0) {
            return true;
        }
        if (lengthBytes > FRAME_BYTES) {
            metrics.count(EnsoCounter.RX_DROPPED_JUMBO);
            return true;
        }
        System.arraycopy(bytes, offset, frame, 0, lengthBytes);
        Arrays.fill(frame, lengthBytes, Math.max(lengthBytes, EnsoFormats.FLIT_BYTES), (byte) 0);
        long cycle = clock.cycles();
        timestamper.receive(frame, cycle);
        int found = lookUp();
        int pipe = director.pipe(found, key.hash(0), cycle);
        if (refuse && waits(pipe, lengthBytes, cycle)) {
            return false;
        }
        if (found == FlowTable.MISS) {
            metrics.count(EnsoCounter.RX_NO_FLOW);
        }
        if (pipe == FlowDirector.DROP) {
            metrics.count(EnsoCounter.RX_DROPPED_NO_FLOW);
        } else {
            block.packet(pipe, frame, 0, lengthBytes);
        }
        return true;
    }

    private boolean waits(int pipe, int lengthBytes, long cycle) {
        boolean patient = cycle - changedCycle < patienceCycles;
        if (pipe == FlowDirector.DROP) {
            return patient || !flows.hasBound() && !director.hasFallback();
        }
        return !block.hasRoom(pipe, lengthBytes) && (patient || patienceCycles == 0 || block.hasBuffer(pipe));
    }

    /** Does up to {@code limit} units of work (one TX entry fetched or one flit sent each); returns how many. */
    public int work(int limit) {
        block.answerHeadUpdates();
        int done = 0;
        while (done < limit && block.step()) {
            done++;
        }
        return done;
    }

    /** The cycle in which a flit held back by the rate limiter may leave; {@link Long#MAX_VALUE} if none waits. */
    public long nextWorkCycle() {
        return egress.nextWorkCycle();
    }

    /** Sets when it answers: see {@link ModelTiming}; at once, unless said. */
    public void timing(ModelTiming timing) {
        if (timing == ModelTiming.RTL) {
            block.answerInTime(clock);
        }
    }

    /** Changes the board settings. */
    public void board(EnsoBoard board) {
        block.board(board);
    }

    /** The board tool's software reset: the engines restart; registers, flows and configuration stay. */
    public void resetEngines() {
        block.resetEngines();
        egress.reset();
    }

    /** Resets everything, as loading the bitstream does. */
    public void reload() {
        block.reload();
        egress.reset();
        flows.clear();
        director.reset();
        timestamper.configure(false, 0);
        limiter.configure(false, 0, 0, clock.cycles());
    }

    /**
     * Whether the RX engine has stopped for good, as the hardware's does when a packet of two or more flits meets a pipe
     * or a notification buffer without address. Only a reset starts it again.
     */
    public boolean rxStopped() {
        return block.rxStopped();
    }

    /**
     * From now on drops packets that meet no address, whatever their length, instead of stopping the RX engine. Hardware
     * does not do this; programs that close their pipes under traffic need it.
     */
    public void forgiveMissingAddresses() {
        block.forgiveMissingAddresses();
    }

    /**
     * Sets how long an offered frame waits for a pipe, or for its pipe's buffer, after flows or fallback pipes last
     * changed; then it is dropped and counted, as a frame given to {@link #receive} is at once. With 0, the initial
     * value, a frame without a pipe does not wait and one without a buffer waits forever.
     */
    public void patience(long cycles) {
        patienceCycles = cycles;
        changed();
    }

    /** Restarts the time of {@link #patience}, because a program that will take the frames may be starting. */
    public void changed() {
        changedCycle = clock.cycles();
    }

    /** Takes buffer and flows from a pipe whose owner has gone. */
    public void vacatePipe(int pipe) {
        block.vacatePipe(pipe);
        flows.release(pipe);
        changed();
    }

    /** Takes the addresses of both rings from a notification buffer whose owner has gone. */
    public void vacateBuffer(int buffer) {
        block.vacateBuffer(buffer);
    }

    /** Sets the number of fallback pipes that packets without a flow go to; 0 for none. */
    public void fallbackPipes(int count, boolean roundRobin) {
        director.configure(count, Math.max(0, Integer.highestOneBit(count) - 1), roundRobin, clock.cycles());
        changed();
    }

    /** Counters of the device; readable from any thread. */
    public EnsoMetrics metrics() {
        return metrics;
    }

    private int lookUp() {
        key.parse(frame);
        return flows.lookup(key.sourceIp, key.sourcePort, key.destinationIp, key.destinationPort);
    }
}
