package dev.bascule.app.enso;

import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Losses;
import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.EnsoDevice;
import dev.bascule.nic.enso.EnsoConfig;
import dev.bascule.nic.enso.EnsoNic;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/**
 * An Ensō model whose wire, 100 Gbit/s Ethernet, ends in a simulated device under test, in virtual time: each frame takes
 * its time on the wire, waits in a queue of limited length, is served at a limited rate and comes back after a delay. The same run gives the same figures.
 */
public final class SimulatedLink implements AutoCloseable {
    private static final int STEP_CYCLES = 256;
    private static final int WORK = 1 << 16;
    private static final double CYCLES_PER_SECOND = 200e6;
    private static final double LINE_BYTES_PER_SECOND = 100e9 / 8;
    /** Check sequence, preamble and the gap between frames. */
    private static final int FRAME_OVERHEAD_BYTES = 24;

    private record Frame(byte[] bytes, long dueCycle) {}

    private final ArrayDeque<Frame> underway = new ArrayDeque<>();
    private final EnsoDevice model;
    private final LoopbackDevice backing;
    private final EnsoNic nic;
    private final double cyclesPerPacket;
    private final int queuePackets;
    private final long delayCycles;
    private double wireStart = Double.NaN;
    private double wireFreeAt;
    private long left;
    private double freeAt;
    private long cycle;
    private long dropped;

    /**
     * @param packetsPerSecond what the device under test can do
     * @param queuePackets packets that can wait in it
     * @param delayNanos from leaving it to arriving at the card
     */
    public SimulatedLink(double packetsPerSecond, int queuePackets, long delayNanos) {
        cyclesPerPacket = CYCLES_PER_SECOND / packetsPerSecond;
        this.queuePackets = queuePackets;
        delayCycles = delayNanos / 5;
        EnsoConfig config = EnsoConfig.ofRings(32768, 4096);
        model = new EnsoDevice(new EnsoBoard(config.pipeRingFlits(), config.notificationRingEntries(),
                config.inflightEntries(), false), () -> cycle, this::leave);
        backing = LoopbackDevice.open(model);
        nic = EnsoNic.open(backing, config, work -> advance());
    }

    private void leave(byte[] frame, int lengthBytes, long at) {
        double onWire = Math.max(at, wireFreeAt);
        wireStart = left++ == 0 ? onWire : wireStart;
        wireFreeAt = onWire + cyclesOnWire(lengthBytes);
        double start = Math.max(wireFreeAt, freeAt);
        if ((start - wireFreeAt) / cyclesPerPacket > queuePackets) {
            dropped++;
            return;
        }
        freeAt = start + cyclesPerPacket;
        underway.add(new Frame(Arrays.copyOf(frame, lengthBytes), (long) freeAt + delayCycles));
    }

    private static double cyclesOnWire(double lengthBytes) {
        return (lengthBytes + FRAME_OVERHEAD_BYTES) / LINE_BYTES_PER_SECOND * CYCLES_PER_SECOND;
    }

    /** The share of one flit per cycle at which {@code frames}, sent in turn, fill 100 Gbit/s Ethernet; at most 1. */
    public static double lineShare(List<byte[]> frames) {
        double flits = frames.stream().mapToInt(frame -> (frame.length + 63) / 64).sum();
        double cycles = frames.stream().mapToDouble(frame -> cyclesOnWire(frame.length)).sum();
        return Math.min(1, flits / cycles);
    }

    /** Frames per second on the wire, from the first to the last that left the card. */
    public double packetsPerSecond() {
        return left / (wireFreeAt - wireStart) * CYCLES_PER_SECOND;
    }

    /** Lets some time pass. */
    public void advance() {
        cycle += STEP_CYCLES;
        model.work(WORK);
        for (Frame next = underway.peek(); next != null && next.dueCycle <= cycle; next = underway.peek()) {
            underway.remove();
            cycleOf(next);
        }
    }

    /** Frames arrive in the cycle they are due, not when the step ends. */
    private void cycleOf(Frame frame) {
        long now = cycle;
        cycle = frame.dueCycle;
        model.receive(frame.bytes, 0, frame.bytes.length);
        cycle = now;
    }

    /** Runs a generator to its end, until nothing is under way. */
    public EnsoGenerator run(List<byte[]> frames, int pipes, long packets, double share) {
        EnsoGenerator generator = new EnsoGenerator(nic, frames, pipes, packets);
        generator.rate(share);
        int quiet = 0;
        while (quiet < 8) {
            int moved = generator.step();
            advance();
            quiet = moved == 0 && generator.isDone() && underway.isEmpty() ? quiet + 1 : 0;
        }
        generator.close();
        return generator;
    }

    /** Packets lost so far: in the device under test, and on their way into the card. */
    public Losses losses() {
        return Losses.NONE.plus("device under test", "no room", dropped).plus(model.metrics().losses());
    }

    /** Virtual seconds so far. */
    public double seconds() {
        return cycle / CYCLES_PER_SECOND;
    }

    @Override
    public void close() {
        nic.close();
        backing.close();
    }
}
