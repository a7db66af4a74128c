package dev.bascule.cli;

import dev.bascule.app.Pace;
import dev.bascule.host.TimeHistogram;
import dev.bascule.model.Cables;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.registry.Durations;
import dev.bascule.report.HistogramBar;
import dev.bascule.report.Percentiles;
import dev.bascule.run.Delivery;
import dev.bascule.run.Drain;
import dev.bascule.run.Errors;
import dev.bascule.run.Failure;
import dev.bascule.run.Lanes;
import dev.bascule.run.Misuse;
import dev.bascule.run.Running;
import dev.bascule.run.Summary;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sends packets and measures what comes back. */
@Command(name = "pktgen", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Sends packets from a port of a card, at a rate or as fast as it takes them, and measures what comes "
                + "back: loss, order, latency. Or replays a capture file. Ends with --duration, --count or Ctrl-C.",
        "The loopback card's port has a plug that sends everything back." }, footer = { "", "Examples:",
                "  bascule pktgen --count 1000000",
                "  bascule pktgen --rate 50000 --size 64,512,1518 --duration 5s",
                "  bascule pktgen --rate 20000 --duration 2s --json",
                "  bascule pktgen --mix router --rate 50000 --count 100000",
                "  bascule pktgen --pcap trace.pcapng --speed 1",
                "  bascule pktgen --pcap trace.pcapng --speed 1 --pace recorded",
                "  bascule pktgen --pcap trace.pcap --loop 100 --rate 50000",
                "  sudo bascule pktgen --device 0000:65:00.0 --queues 4 --duration 10s",
                "  bascule pktgen --search throughput --size 64,1518 --duration 200ms",
                "  bascule pktgen --search loss --rate 200000 --duration 500ms",
                "  bascule pktgen --enso --search --size 64", "",
                "Says how many frames were sent, came back and were lost, and where; the exit status is 1 if any was. Frames of a file that the card does not send are left out and named, and do not count as sent." })
final class PktgenCommand extends CommandBase {
    /** Frames on their way when they wait for room: fewer than a ring holds. */
    private static final int WINDOW = 256;
    private static final String NO_LOOP = "what it is plugged into sends none back. A card that bascule serve serves has"
            + " its ports crossed in pairs: serve it with --wire loop. A real port needs a plug that loops, or a"
            + " neighbour that answers, as bascule echo does";
    private static final int ROUNDING_BYTES = 8;
    private static final long TRIAL_NANOS = 2_000_000_000;
    /** Check sequence, preamble and the gap between frames. */
    private static final int AROUND_FRAME_BYTES = 24;

    @Mixin
    private CardSetup setup = new CardSetup();

    @Mixin
    private QueueOptions queues = new QueueOptions();

    @Mixin
    private PortOption port = new PortOption();

    @Range("0..")
    @Option(names = "--rate", paramLabel = "N", description = "packets per second; default: as fast as possible")
    private long rate;

    @Mixin
    private FrameSource source = new FrameSource();

    @Range("0..")
    @Option(names = "--count", paramLabel = "N", description = "packets to send")
    private long count;

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time")
    private String duration = "0s";

    @Range("1..65535")
    @Option(names = "--burst", defaultValue = "32", paramLabel = "N", description = "most packets at a time; default ${DEFAULT-VALUE}")
    private int burst = 32;

    @Mixin
    private PktgenSearch search = new PktgenSearch();

    @Mixin
    private EnsoPktgen enso = new EnsoPktgen();

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (enso.chosen()) {
            return enso.run(source, count, rate, search, json, out());
        }
        long limitNanos = Durations.parseNanos(duration);
        FrameSource.Load wanted = source.load(rate, count, limitNanos != 0);
        if (!wanted.note().isEmpty()) {
            err().println("bascule: " + wanted.note());
            err().flush();
        }
        CardOption card = setup.card();
        try (NicAdapter adapter = setup.open(List.of(Cables.loopback(), WireEnd.OPEN))) {
            Nic nic = adapter.openPort(port.of(adapter), NicOptions.DEFAULTS.withRingEntries(1024)
                    .withQueues(queues.count(), queues.count())
                    .withMaxFrameBytes(Math.max(NicOptions.DEFAULTS.maxFrameBytes(), wanted.longestBytes())));
            if (wanted.probes() && wanted.longestBytes() > nic.maxFrameBytes()) {
                throw new Failure(
                        nic.name() + " sends frames of up to " + nic.maxFrameBytes() + " bytes; the longest here"
                                + " has " + wanted.longestBytes());
            }
            nic.start();
            setup.link().await(List.of(nic));
            if (search.isChosen()) {
                int status = search.run(source.sizes(), rate, tester(adapter, nic, wanted, limitNanos),
                        new Summary().put("card", setup.card().label()), json, out());
                if (status == Errors.FAILED) {
                    noLoop(nic);
                }
                return status;
            }
            FrameSource.Load load = source.sendable(wanted, nic.txQueue(0), rate, count, limitNanos != 0);
            boolean waits = card.isLoopback() && (source.pcap() != null || rate == 0);
            int window = source.isLossless(waits) ? window(load.longestBytes()) : 0;
            PktgenLoad sides = new PktgenLoad(nic, load, rate, queues.count(), burst, window);
            return fly(adapter, nic, sides, limitNanos, (lanes, running, delivery) -> {
                Summary summary = summary(load, sides, delivery, running.seconds());
                summary.putRegisterWrites(delivery.sent(), List.of(nic.statistics()));
                queues.describe(summary, lanes, running.seconds(), List.of(nic.statistics()));
                summary.print(out(), json);
                if (delivery.sent() > 0 && delivery.received() == 0) {
                    noLoop(nic);
                }
                if (!json && load.probes()) {
                    histogram(sides.latency(), out());
                }
                return running.status(delivery.status());
            });
        }
    }

    private void noLoop(Nic nic) {
        err().println("bascule: no frame came back to " + nic.name() + ": " + NO_LOOP);
        err().flush();
    }

    /** Use that is made of what came of a flight, before its threads' account is gone. */
    private interface Landing<T> {
        T land(Lanes lanes, Running running, Delivery delivery);
    }

    /** Sends until all is sent or it is time, and waits for what is on its way. */
    private <T> T fly(NicAdapter adapter, Nic nic, PktgenLoad sides, long limitNanos, Landing<T> landing) {
        CardOption card = setup.card();
        Supplier<Losses> losses = () -> card.losses().plus(Delivery.byPorts(List.of(nic), card.isLoopback()));
        long before = losses.get().total();
        try (Lanes lanes = new Lanes(sides.lanes(), queues.cores(card.node()));
                Running running = new Running(limitNanos, () -> setup.check(adapter),
                        () -> "sent %,d, received %,d".formatted(sides.sent(), sides.received()))) {
            sides.restart();
            lanes.start();
            running.until(sides::isDone, lanes::run);
            sides.stop();
            new Drain(nic::nanoTime).until(sides::sent,
                    () -> sides.received() + losses.get().total() - before, lanes::run);
            lanes.close();
            return landing.land(lanes, running, new Delivery(sides.sent(), sides.received(), losses.get()));
        }
    }

    private PktgenSearch.Tester tester(NicAdapter adapter, Nic nic, FrameSource.Load wanted, long limitNanos) {
        if (!wanted.probes() || wanted.mixed()) {
            throw new Misuse("--search tests each --size by itself: leave --mix and --pcap out");
        }
        if (count != 0 || source.isPaced()) {
            throw new Misuse("--search says itself how many frames go and how: leave --count and --pace out;"
                    + " --duration is that of a trial");
        }
        long nanos = limitNanos == 0 ? TRIAL_NANOS : limitNanos;
        return new PktgenSearch.Tester() {
            @Override
            public PktgenSearch.Trial run(List<byte[]> frames, long trialRate, long frameCount, boolean waits) {
                FrameSource.Load load = new FrameSource.Load(frames, Pace.rate(trialRate), frameCount, true, false,
                        Losses.NONE, "");
                PktgenLoad sides = new PktgenLoad(nic, load, trialRate, queues.count(), burst,
                        waits ? window(load.longestBytes()) : 0);
                return fly(adapter, nic, sides, frameCount == 0 ? nanos : 0, (_, running, delivery) -> {
                    if (running.isInterrupted()) {
                        throw new CancellationException();
                    }
                    return new PktgenSearch.Trial(delivery.sent(),
                            Math.max(0, delivery.sent() - delivery.received()), running.seconds(), sides.latency());
                });
            }

            @Override
            public long linkRate(int lengthBytes) {
                return nic.link().bitsPerSecond() / Byte.SIZE / (lengthBytes + AROUND_FRAME_BYTES);
            }
        };
    }

    /** Frames on their way that fit wherever they may have to wait. */
    private static int window(int longestBytes) {
        int fit = CorundumConfig.builder().build().rxFifoBytes() / (longestBytes + ROUNDING_BYTES);
        return Math.clamp(fit, 1, WINDOW);
    }

    private Summary summary(FrameSource.Load load, PktgenLoad sides, Delivery delivery, double seconds) {
        Summary summary = new Summary().put("card", setup.card().label());
        if (!load.probes()) {
            summary.put("file", String.valueOf(source.pcap())).put("frames", load.frames().size())
                    .put("frames left out", load.leftOut().total());
            if (!load.leftOut().isEmpty()) {
                summary.put("left out why", load.leftOut());
            }
        }
        summary.put("packets sent", delivery.sent()).put("packets received", delivery.received());
        delivery.describe(summary).put("seconds", seconds)
                .put("packets per second", sides.sent() / seconds)
                .put("megabits per second", sides.bytes() * 8 / seconds / 1e6);
        if (load.probes()) {
            Percentiles times = Percentiles.of(sides.latency());
            summary.put("out of order", sides.outOfOrder()).put("latency p50, us", times.p50())
                    .put("latency p99, us", times.p99()).put("latency p99.9, us", times.p999())
                    .put("latency max, us", times.max());
        }
        return summary;
    }

    private static void histogram(TimeHistogram latency, PrintWriter out) {
        List<HistogramBar> bars = HistogramBar.of(latency, 3);
        long most = bars.stream().mapToLong(HistogramBar::count).max().orElse(1);
        for (HistogramBar bar : bars) {
            out.printf(Locale.ROOT, "%10.1f us  %s %,d%n", bar.fromMicros(),
                    "#".repeat((int) Math.ceil(40.0 * bar.count() / Math.max(1, most))), bar.count());
        }
        out.flush();
    }
}
