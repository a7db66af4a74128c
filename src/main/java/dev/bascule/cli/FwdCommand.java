package dev.bascule.cli;

import dev.bascule.app.ForwardMode;
import dev.bascule.app.Forwarder;
import dev.bascule.app.Probe;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.Refusal;
import dev.bascule.registry.Durations;
import dev.bascule.run.Delivery;
import dev.bascule.run.Lanes;
import dev.bascule.run.Misuse;
import dev.bascule.run.Running;
import dev.bascule.run.Summary;
import dev.bascule.run.TrafficWire;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Forwards between two ports of a card. */
@Command(name = "fwd", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Forwards every packet from one port of a card to the other, both ways, without a copy, and counts. Ends "
                + "with --duration, --count or Ctrl-C.",
        "On the loopback card a generator behind port 0 sends the frames, and they come out at port 1.",
        "--mode says what is done with each, by testpmd's names: io, as it came; mac, from the port's station "
                + "to --peer; "
                + "macswap, its stations change places; csum, as mac with checksums worked out anew; icmpecho, pings "
                + "and ARP requests are answered where they came from; rxonly, nothing is sent; noisy, as it "
                + "came after "
                + "--noisy-accesses to other memory. What a port sends by itself is pktgen's." }, footer = {
                        "", "Examples:", "  bascule fwd --count 1000000",
                        "  bascule fwd --rate 100000 --duration 10s --json",
                        "  bascule fwd --size 1518 --burst 64 --count 100000",
                        "  bascule fwd --mode macswap --count 100000",
                        "  bascule fwd --mode icmpecho --rate 1000 --duration 2s",
                        "  bascule fwd --mode noisy --noisy-memory 32 --noisy-accesses 8 --count 50000",
                        "  sudo bascule fwd --device 0000:65:00.0 --queues 4 --cores 4-7", "",
                        "Says how many frames were sent, came out and were lost, and where; the exit status is "
                                + "1 if any was." })
final class FwdCommand extends CommandBase {
    private static final long RATE_WITHOUT_ANSWERS = 20_000;
    /** Station of a port that has none. */
    private static final MacAddress UNNAMED = MacAddress.parse("02:00:00:00:00:02");

    @Mixin
    private CardSetup setup = new CardSetup();

    @Mixin
    private QueueOptions queues = new QueueOptions();

    @OneOf({ "io", "mac", "macswap", "csum", "icmpecho", "rxonly", "noisy" })
    @Option(names = "--mode", defaultValue = "io", paramLabel = "NAME", description = "what is done with each "
            + "frame, as above; default ${DEFAULT-VALUE}")
    private String mode = "io";

    @Option(names = "--peer", split = ",", paramLabel = "ADDRESS", description = "mac, csum: station behind "
            + "each port; default 02:00:00:00:00:00,02:00:00:00:00:01")
    private List<String> peers = List.of("02:00:00:00:00:00", "02:00:00:00:00:01");

    @Range("1..1024")
    @Option(names = "--noisy-memory", defaultValue = "64", paramLabel = "MIB", description = "noisy: memory of "
            + "each queue and direction, MiB; default ${DEFAULT-VALUE}")
    private int noisyMemory = 64;

    @Range("0..65536")
    @Option(names = "--noisy-accesses", defaultValue = "16", paramLabel = "N", description = "noisy: words of "
            + "it read and written for each frame; default ${DEFAULT-VALUE}")
    private int noisyAccesses = 16;

    @Range("0..")
    @Option(names = "--count", paramLabel = "N", description = "end after so many packets")
    private long count;

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time")
    private String duration = "0s";

    @Range("1..65535")
    @Option(names = "--burst", defaultValue = "32", paramLabel = "N", description = "most packets at a time; default ${DEFAULT-VALUE}")
    private int burst = 32;

    @Range("0..")
    @Option(names = "--rate", paramLabel = "N", description = "loopback: packets per second; default: as many as come through")
    private long rate;

    @Range("58..9214")
    @Option(names = "--size", defaultValue = "64", paramLabel = "BYTES", description = "loopback: length of frames; default ${DEFAULT-VALUE}")
    private int size = 64;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        ForwardMode chosen = ForwardMode.valueOf(mode.toUpperCase(Locale.ROOT));
        List<MacAddress> to = peers();
        CardOption card = setup.card();
        TrafficWire far = new TrafficWire(Probe.frame(size), 1, 1, null);
        TrafficWire near = near(chosen, far);
        try (NicAdapter adapter = setup.open(List.of(near, quiet(far)))) {
            NicOptions options = NicOptions.DEFAULTS.withRingEntries(1024).withQueues(queues.count(), queues.count());
            Nic left = adapter.openPort(0, options);
            Nic right = adapter.ports() > 1 ? adapter.openPort(1, options) : left;
            right.start();
            left.start();
            List<Nic> ports = left == right ? List.of(left) : List.of(left, right);
            setup.link().await(ports);
            List<Way> ways = IntStream.range(0, queues.count())
                    .mapToObj(queue -> way(chosen, to, left, right, queue)).toList();
            LongSupplier noRoom = () -> ways.stream().mapToLong(way -> way.noRoom.getAsLong()).sum();
            LongSupplier dropped = () -> ways.stream().mapToLong(way -> way.dropped.getAsLong()).sum();
            Supplier<Losses> losses = () -> card.losses().plus(Delivery.byProgram(noRoom.getAsLong()))
                    .plus("program", Refusal.TOO_SHORT.text(), chosen.isWhole() ? dropped.getAsLong() : 0)
                    .plus(Delivery.byPorts(ports, card.isLoopback()));
            try (Lanes lanes = new Lanes(ways.stream().map(one -> new Lanes.Lane(one.run, one.packets)).toList(),
                    queues.cores(card.node()));
                    Running running = new Running(Durations.parseNanos(duration), () -> setup.check(adapter),
                            () -> "forwarded %,d packets".formatted(lanes.packets()))) {
                lanes.start();
                near.start();
                running.until(() -> count != 0 && (lanes.packets() >= count || near.isSilent()), lanes::run);
                double seconds = running.seconds();
                LongSupplier out = chosen == ForwardMode.RXONLY
                        ? lanes::packets
                        : (chosen.answers() ? near : far)::returned;
                if (card.isLoopback()) {
                    Delivery.afterAll(near, out, losses, lanes::run);
                }
                lanes.close();
                Delivery delivery = card.isLoopback()
                        ? new Delivery(near.sent(), out.getAsLong(), losses.get())
                        : Delivery.ofProgram(lanes.packets(), losses.get().plus(Delivery.unsent(ports)));
                Summary summary = summary(chosen, delivery, dropped.getAsLong());
                cost(summary, lanes.packets(), noRoom.getAsLong(), left, right, seconds);
                queues.describe(summary, lanes, seconds,
                        ports.stream().<Map<String, Long>>map(Nic::statistics).toList());
                summary.print(out(), json);
                return running.status(delivery.status());
            }
        }
    }

    private Summary summary(ForwardMode chosen, Delivery delivery, long dropped) {
        Summary summary = new Summary().put("card", setup.card().label()).put("mode", mode);
        if (setup.card().isLoopback()) {
            summary.put("sent to the ports", delivery.sent())
                    .put(chosen == ForwardMode.RXONLY ? "came in" : "came out", delivery.received());
        }
        delivery.describe(summary);
        return chosen.isWhole() ? summary : summary.put("not sent, by the mode", dropped);
    }

    /** A wire at whose end a station counts and sends nothing. */
    private static WireEnd quiet(TrafficWire far) {
        return new WireEnd() {
            @Override
            public boolean transmit(byte[] data, int offset, int lengthBytes) {
                return far.transmit(data, offset, lengthBytes);
            }

            @Override
            public int poll(FrameSink sink, int budget) {
                return 0;
            }
        };
    }

    private List<MacAddress> peers() {
        if (peers.size() > 2) {
            throw new Misuse("--peer " + String.join(",", peers) + ": one for each of two ports");
        }
        return peers.stream().map(peer -> Misuse.reading("--peer", () -> MacAddress.parse(peer))).toList();
    }

    /** The station that sends: what the mode is for, and at a rate if nothing comes back. */
    private TrafficWire near(ForwardMode chosen, TrafficWire far) {
        if (chosen.answers()) {
            return new TrafficWire(TrafficWire.pings(size, queues.count()), rate, count, null);
        }
        long pace = rate == 0 && chosen == ForwardMode.RXONLY ? RATE_WITHOUT_ANSWERS : rate;
        return new TrafficWire(TrafficWire.flows(size, queues.count()), pace, count, far);
    }

    /** Work on the frames of one queue of both ports. */
    private record Way(IntSupplier run, LongSupplier packets, LongSupplier noRoom, LongSupplier dropped) {}

    private Way way(ForwardMode chosen, List<MacAddress> to, Nic left, Nic right, int queue) {
        if (chosen == ForwardMode.IO) {
            Forwarder forwarder = new Forwarder(left, right, queue, burst);
            return new Way(forwarder::run, forwarder::packets, forwarder::noRoom, () -> 0);
        }
        boolean answers = chosen.answers();
        ProcessorLoop one = loop(chosen, left, answers ? left : right, queue, place(to, answers ? left : right, 1));
        if (left == right) {
            return new Way(one::run, one::processed, one::noRoom, one::dropped);
        }
        ProcessorLoop two = loop(chosen, right, answers ? right : left, queue, place(to, answers ? right : left, 0));
        return new Way(() -> one.run() + two.run(), () -> one.processed() + two.processed(),
                () -> one.noRoom() + two.noRoom(), () -> one.dropped() + two.dropped());
    }

    private ProcessorLoop loop(ForwardMode chosen, Nic from, Nic out, int queue, ForwardMode.Place place) {
        return new ProcessorLoop(from.rxQueue(queue), out.txQueue(queue), chosen.processor(place), burst);
    }

    private ForwardMode.Place place(List<MacAddress> to, Nic out, int number) {
        return new ForwardMode.Place(out.macAddress().orElse(UNNAMED), to.get(Math.min(number, to.size() - 1)),
                (long) noisyMemory << 20, noisyAccesses);
    }

    private static void cost(Summary summary, long forwarded, long noRoom, Nic left, Nic right, double seconds) {
        double packets = Math.max(1, forwarded);
        Map<String, Long> one = left.statistics();
        Map<String, Long> two = left == right ? Map.of() : right.statistics();
        long frames = sum("rx_bytes", one, two) + sum("tx_bytes", one, two);
        long moved = one.getOrDefault("device_dma_read_bytes", 0L) + one.getOrDefault("device_dma_write_bytes", 0L);
        long transactions = one.getOrDefault("device_dma_reads", 0L) + one.getOrDefault("device_dma_writes", 0L);
        summary.put("packets in", forwarded).put("packets out", sum("tx_packets", one, two))
                .put("dropped, no room", noRoom)
                .put("errors", sum("rx_errors", one, two) + sum("tx_errors", one, two)).put("seconds", seconds)
                .put("packets per second", forwarded / seconds);
        summary.putRegisterWrites(forwarded, List.of(one, two));
        summary.put("DMA transactions per packet", transactions == 0 ? Double.NaN : transactions / packets)
                .put("metadata bytes per packet", moved == 0 ? Double.NaN : (moved - frames) / packets);
    }

    private static long sum(String name, Map<String, Long> one, Map<String, Long> two) {
        return one.getOrDefault(name, 0L) + two.getOrDefault(name, 0L);
    }
}
