package dev.bascule.cli;

import dev.bascule.app.Generator;
import dev.bascule.app.Pace;
import dev.bascule.app.Probe;
import dev.bascule.app.Receiver;
import dev.bascule.host.TimeHistogram;
import dev.bascule.nic.Nic;
import dev.bascule.ring.Clock;
import dev.bascule.run.Drain;
import dev.bascule.run.Lanes;
import dev.bascule.run.WaitingPace;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Both sides of {@code pktgen}, a generator and a receiver for each queue. Probes leave by all queues, in flows of their
 * own, so that they also come back to all; the frames of a file leave by the first one, in their order.
 */
final class PktgenLoad {
    private static final int FLOWS_PER_QUEUE = 16;

    private final List<Side> sides = new ArrayList<>();
    private volatile boolean stopped;

    /** One queue pair; of its thread, but for what is published. */
    private static final class Side {
        private final Receiver receiver;
        private final Generator generator;
        private final TimeHistogram latency;
        private final boolean sends;
        private volatile long sent;
        private volatile long received;

        Side(Receiver receiver, Generator generator, TimeHistogram latency, boolean sends) {
            this.receiver = receiver;
            this.generator = generator;
            this.latency = latency;
            this.sends = sends;
        }

        private int run(boolean sending) {
            int done = receiver.run();
            received = receiver.received();
            if (sends && sending && !generator.isDone()) {
                done += generator.run();
                sent = generator.sent();
            }
            return done;
        }
    }

    /**
     * @param rate packets per second of all queues together, 0 for as fast as possible
     * @param window most frames on their way of each queue, 0 for no limit
     */
    PktgenLoad(Nic nic, FrameSource.Load load, long rate, int queues, int burst, int window) {
        int senders = load.probes() ? queues : 1;
        for (int i = 0; i < queues; i++) {
            TimeHistogram latency = TimeHistogram.single();
            Receiver receiver = new Receiver(nic.rxQueue(i), burst, Clock.system(), latency::record);
            Pace pace = senders > 1 ? Pace.rate(share(rate, senders, i)) : load.pace();
            if (window != 0) {
                int own = i;
                pace = new WaitingPace(pace, window, () -> received() - (sent() - sides.get(own).sent),
                        new Drain(nic::nanoTime));
            }
            Generator generator = new Generator(nic.txQueue(i), frames(load, i, senders), pace,
                    share(load.limit(), senders, i), load.probes(), burst, Clock.system());
            sides.add(new Side(receiver, generator, latency, i < senders && (load.limit() == 0 || i < load.limit())));
        }
    }

    /**
     * The frames as they are; with several senders those of each in flows of its own. Of a mix, whose frames are of many
     * flows as it is, a sender gets one flow of every {@code senders}, so that the frames change flows one by one.
     */
    static List<byte[]> frames(FrameSource.Load load, int sender, int senders) {
        if (senders == 1) {
            return load.frames();
        }
        if (load.mixed()) {
            return load.frames().stream()
                    .map(frame -> Probe.frame(frame.length, own(Probe.flow(frame), sender, senders)))
                    .toList();
        }
        List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < FLOWS_PER_QUEUE; i++) {
            int flow = (sender * FLOWS_PER_QUEUE + i) % Probe.MOST_FLOWS;
            load.frames().forEach(frame -> frames.add(Probe.frame(frame.length, flow)));
        }
        return frames;
    }

    private static int own(int flow, int sender, int senders) {
        int own = flow - flow % senders + sender;
        return (own < Probe.MOST_FLOWS ? own : own - senders) % Probe.MOST_FLOWS;
    }

    /** Parts that differ by one at most; 0, for no limit, stays 0. */
    private static long share(long all, int senders, int sender) {
        return all == 0 ? 0 : Math.max(1, all / senders + (sender < all % senders ? 1 : 0));
    }

    List<Lanes.Lane> lanes() {
        return sides.stream().map(side -> new Lanes.Lane(() -> side.run(!stopped), side.receiver::received)).toList();
    }

    /** The pace begins now. */
    void restart() {
        sides.forEach(side -> side.generator.restart());
    }

    /** Sends no more; what is on its way still comes. */
    void stop() {
        stopped = true;
    }

    /** Whether all that was to be sent is; an estimate while threads are at work. */
    boolean isDone() {
        for (Side side : sides) {
            if (side.sends && !side.generator.isDone()) {
                return false;
            }
        }
        return true;
    }

    long sent() {
        return sum(side -> side.sent);
    }

    long received() {
        return sum(side -> side.received);
    }

    long bytes() {
        return sum(side -> side.generator.bytes());
    }

    long outOfOrder() {
        return sum(side -> side.receiver.outOfOrder());
    }

    private long sum(ToLongFunction<Side> figure) {
        return sides.stream().mapToLong(figure).sum();
    }

    /** Of all queues together, once nothing runs any more. */
    TimeHistogram latency() {
        TimeHistogram all = TimeHistogram.single();
        sides.forEach(side -> all.add(side.latency));
        return all;
    }
}
