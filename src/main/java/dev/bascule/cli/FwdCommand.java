package dev.bascule.cli;

import dev.bascule.app.Forwarder;
import dev.bascule.app.Probe;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.registry.Durations;
import dev.bascule.run.Delivery;
import dev.bascule.run.Lanes;
import dev.bascule.run.Running;
import dev.bascule.run.Summary;
import dev.bascule.run.TrafficWire;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Forwards on layer 2 between two ports of a card. */
@Command(name = "fwd", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Forwards every packet from one port of a card to the other, both ways, without a copy, and counts. Ends "
                + "with --duration, --count or Ctrl-C.",
        "On the loopback card a generator behind port 0 sends the frames, and they come out at port 1." }, footer = {
                "", "Examples:", "  bascule fwd --count 1000000", "  bascule fwd --rate 100000 --duration 10s --json",
                "  bascule fwd --size 1518 --burst 64 --count 100000",
                "  sudo bascule fwd --device 0000:65:00.0 --queues 4 --cores 4-7", "",
                "Says how many frames were sent, came out and were lost, and where; the exit status is 1 if any was." })
final class FwdCommand extends CommandBase {
    @Mixin
    private CardSetup setup = new CardSetup();

    @Mixin
    private QueueOptions queues = new QueueOptions();

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
        CardOption card = setup.card();
        TrafficWire far = new TrafficWire(Probe.frame(size), 1, 1, null);
        TrafficWire near = new TrafficWire(TrafficWire.flows(size, queues.count()), rate, count, far);
        WireEnd quiet = new WireEnd() {
            @Override
            public boolean transmit(byte[] data, int offset, int lengthBytes) {
                return far.transmit(data, offset, lengthBytes);
            }

            @Override
            public int poll(FrameSink sink, int budget) {
                return 0;
            }
        };
        try (NicAdapter adapter = setup.open(List.of(near, quiet))) {
            NicOptions options = NicOptions.DEFAULTS.withRingEntries(1024).withQueues(queues.count(), queues.count());
            Nic left = adapter.openPort(0, options);
            Nic right = adapter.ports() > 1 ? adapter.openPort(1, options) : left;
            right.start();
            left.start();
            List<Nic> ports = left == right ? List.of(left) : List.of(left, right);
            setup.link().await(ports);
            List<Forwarder> forwarders = IntStream.range(0, queues.count())
                    .mapToObj(queue -> new Forwarder(left, right, queue, burst)).toList();
            LongSupplier noRoom = () -> forwarders.stream().mapToLong(Forwarder::noRoom).sum();
            Supplier<Losses> losses = () -> card.losses().plus(Delivery.byProgram(noRoom.getAsLong()))
                    .plus(Delivery.byPorts(ports, card.isLoopback()));
            try (Lanes lanes = new Lanes(
                    forwarders.stream().map(one -> new Lanes.Lane(one::run, one::packets)).toList(),
                    queues.cores(card.node()));
                    Running running = new Running(Durations.parseNanos(duration), () -> setup.check(adapter),
                            () -> "forwarded %,d packets".formatted(lanes.packets()))) {
                lanes.start();
                near.start();
                running.until(() -> count != 0 && (lanes.packets() >= count || near.isSilent()), lanes::run);
                double seconds = running.seconds();
                Summary summary = new Summary().put("card", card.label());
                if (card.isLoopback()) {
                    Delivery.afterAll(near, far::returned, losses, lanes::run);
                }
                lanes.close();
                Delivery delivery = card.isLoopback()
                        ? new Delivery(near.sent(), far.returned(), losses.get())
                        : Delivery.ofProgram(lanes.packets(), losses.get().plus(Delivery.unsent(ports)));
                if (card.isLoopback()) {
                    summary.put("sent to the ports", delivery.sent()).put("came out", delivery.received());
                }
                delivery.describe(summary);
                cost(summary, lanes.packets(), noRoom.getAsLong(), left, right, seconds);
                queues.describe(summary, lanes, seconds,
                        ports.stream().<Map<String, Long>>map(Nic::statistics).toList());
                summary.print(out(), json);
                return running.status(delivery.status());
            }
        }
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
