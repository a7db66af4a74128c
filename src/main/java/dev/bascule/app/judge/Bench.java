package dev.bascule.app.judge;

import dev.bascule.device.DeviceException;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicCapabilities;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Tools of the parts: the card, opened anew for each, its far end, and what its driver takes. One thread. */
final class Bench {
    /** Rings long enough for the window, short enough that one port's memory is a few MiB. */
    static final int RING = 256;
    /** An ordinary frame with a tag. */
    static final int ORDINARY = 1518;
    private static final int LONGEST = 9600;
    private static final int SOME = 5_000;
    private static final int SAMPLES = 4;
    private static final long LOOK_NANOS = 500_000_000;
    private static final long SAY_NANOS = 2_000_000_000;
    private static final MacAddress STATION = MacAddress.parse("02:00:00:00:00:02");

    private final JudgePlan plan;
    private final History history = new History();
    private int farPort;
    private List<FrameKind> kinds = List.of();
    private List<FrameKind> refused = List.of();
    private NicCapabilities near = new NicCapabilities(1, 1, ORDINARY, 1, false, false, false, false, false, false);
    private NicCapabilities far = near;
    private MacAddress station = STATION;
    private int life;
    private int ordinary = ORDINARY;
    private String part = "";
    private long nextSay;

    Bench(JudgePlan plan) {
        this.plan = plan;
        this.farPort = plan.farPort();
    }

    JudgePlan plan() {
        return plan;
    }

    History history() {
        return history;
    }

    NicCapabilities near() {
        return near;
    }

    NicCapabilities far() {
        return far;
    }

    int farPort() {
        return farPort;
    }

    List<FrameKind> kinds() {
        return kinds;
    }

    List<FrameKind> refused() {
        return refused;
    }

    /** Longest frame that both ends name, of those that are tried. */
    int longest() {
        return Math.min(LONGEST, Math.min(near.maxFrameBytes(), far.maxFrameBytes()));
    }

    /** Longest frame that passes when nothing longer is asked for. */
    int ordinary() {
        return ordinary;
    }

    /** Frames of a part that asks for no more. */
    int some() {
        return (int) Math.min(SOME, plan.frames());
    }

    private static int ordinary(Link link) {
        return Math.min(ORDINARY, Math.min(link.near().maxFrameBytes(), link.far().maxFrameBytes()));
    }

    String patience() {
        return "%.1f s".formatted(plan.patienceNanos() / 1e9);
    }

    void begin(String name) {
        part = name;
        nextSay = System.nanoTime() + SAY_NANOS;
        history.clear();
    }

    /** Ends the test if the user wants that; says how far it is every two seconds. */
    void checkStop(@Nullable Traffic traffic) {
        if (plan.isStopped().getAsBoolean()) {
            throw new CancellationException("interrupted");
        }
        long now = System.nanoTime();
        if (now - nextSay >= 0) {
            nextSay = now + SAY_NANOS;
            plan.progress().accept(part + (traffic == null
                    ? ""
                    : ": sent %,d, received %,d".formatted(traffic.sent(), traffic.received())));
        }
    }

    NicOptions options(int queues) {
        return NicOptions.DEFAULTS.withQueues(queues, queues).withRingEntries(RING);
    }

    /** Opens both ends alike and starts them. */
    Link open(NicOptions options) {
        return open(options, options);
    }

    Link open(NicOptions nearOptions, NicOptions farOptions) {
        history.note("open, " + nearOptions.rxQueues() + " queues, longest frame " + nearOptions.maxFrameBytes()
                + (farOptions.equals(nearOptions) ? "" : ", at the far end " + farOptions.maxFrameBytes()));
        Link link = Link.open(plan, farPort, nearOptions, farOptions);
        try {
            link.start(plan);
            return link;
        } catch (RuntimeException e) {
            link.close();
            throw e;
        }
    }

    /** Traffic of all kinds that the driver takes. */
    Traffic traffic(Link link, int longestBytes) {
        return traffic(link, frames(kinds, 60, longestBytes, 0));
    }

    Traffic traffic(Link link, Frames frames) {
        return new Traffic(this, link, frames, ++life);
    }

    Frames frames(List<FrameKind> some, int shortest, int longestBytes, int flows) {
        return new Frames(plan.seed(), some, shortest, longestBytes, station, flows);
    }

    /** Finds the far end and what both cards can do; a {@link Fault} if nothing comes back anywhere. */
    void explore() {
        begin("far end");
        if (farPort < 0) {
            farPort = plan.peer() != null ? 0 : findFarPort();
        }
        try (Link link = open(options(plan.queues()))) {
            ordinary = ordinary(link);
            near = link.near().capabilities();
            far = link.far().capabilities();
            station = link.far().macAddress().filter(MacAddress::isStation).orElse(STATION);
            sort(link);
        }
    }

    /** Tries the port itself first, then the others of the card. */
    private int findFarPort() {
        int ports = plan.port() + 1;
        String reason = "";
        for (int turn = 0; turn < ports; turn++) {
            int candidate = turn == 0 ? plan.port() : turn <= plan.port() ? turn - 1 : turn;
            try (Link link = Link.open(plan, candidate, options(plan.queues()), options(plan.queues()))) {
                ports = link.card().ports();
                link.start(plan);
                if (answers(link)) {
                    return candidate;
                }
            } catch (DeviceException down) {
                reason = " (" + down.getMessage() + ")";
            }
        }
        throw new Fault("what port " + plan.port() + " sends arrives neither there nor at another of the card's "
                + ports
                + " ports" + reason + "; plug a loop, cable two ports, or name the card at the other end: --peer");
    }

    private boolean answers(Link link) {
        Traffic probe = traffic(link, frames(List.of(FrameKind.UDP), 60, ordinary(link), 0));
        probe.send(8);
        probe.drain(Math.max(LOOK_NANOS, plan.patienceNanos() / 4));
        return probe.received() > 0;
    }

    /** Kinds that the driver takes: some cards send only what they can tell the length of. */
    private void sort(Link link) {
        List<FrameKind> taken = new ArrayList<>();
        List<FrameKind> others = new ArrayList<>();
        for (FrameKind kind : FrameKind.values()) {
            (isTaken(link.near(), kind) ? taken : others).add(kind);
        }
        if (taken.isEmpty()) {
            throw new Fault("the driver takes no frame of any kind");
        }
        kinds = List.copyOf(taken);
        refused = List.copyOf(others);
    }

    private boolean isTaken(Nic nic, FrameKind kind) {
        Frames frames = frames(List.of(kind), 60, ordinary, 0);
        byte[] bytes = new byte[ordinary];
        PacketBatch batch = new PacketBatch(1);
        TxQueue queue = nic.txQueue(0);
        int written = 0;
        ++life;
        for (int i = 0; i < SAMPLES; i++) {
            if (queue.allocate(batch, 1) == 0) {
                throw new Fault("the driver has no buffer for the " + (i + 1) + ". frame");
            }
            int length = frames.write(life, i, bytes);
            MemorySegment.copy(bytes, 0, batch.memory().segment(), ValueLayout.JAVA_BYTE, batch.offset(0), length);
            batch.setLength(0, length);
            written += queue.write(batch);
            batch.release();
            queue.commit();
        }
        return written == SAMPLES;
    }
}
