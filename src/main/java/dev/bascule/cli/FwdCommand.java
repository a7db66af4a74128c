package dev.bascule.cli;

import dev.bascule.app.Forwarder;
import dev.bascule.app.Probe;
import dev.bascule.model.WireEnd;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.registry.Durations;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Forwards on layer 2 between two ports of a card. */
@Command(name = "fwd", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Forwards every packet from one port of a card to the other, both ways, without a copy, and counts. Ends "
                + "with --duration, --count or Ctrl-C.",
        "On the loopback card a generator behind port 0 sends the frames, and they come out at port 1." }, footer = {
                "", "Examples:", "  bascule fwd --count 1000000", "  bascule fwd --rate 100000 --duration 10s --json",
                "  bascule fwd --size 1518 --burst 64 --count 100000", "",
                "Says how many frames were sent, came out and were lost, and where; the exit status is 1 if any was." })
final class FwdCommand extends CommandBase {
    @Mixin
    private CardOption card = new CardOption();

    @Option(names = "--count", paramLabel = "N", description = "end after so many packets")
    private long count;

    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time")
    private String duration = "0s";

    @Option(names = "--burst", defaultValue = "32", paramLabel = "N", description = "most packets at a time; default ${DEFAULT-VALUE}")
    private int burst = 32;

    @Option(names = "--rate", paramLabel = "N", description = "loopback: packets per second; default: as many as come through")
    private long rate;

    @Option(names = "--size", defaultValue = "64", paramLabel = "BYTES", description = "loopback: length of frames; default ${DEFAULT-VALUE}")
    private int size = 64;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        TrafficWire far = new TrafficWire(Probe.frame(size), 1, 1, null);
        TrafficWire near = new TrafficWire(Probe.frame(size), rate, count, far);
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
        try (NicAdapter adapter = Nics.open(card.open(List.of(near, quiet)))) {
            NicOptions options = NicOptions.DEFAULTS.withRingEntries(1024);
            Nic left = adapter.openPort(0, options);
            Nic right = adapter.ports() > 1 ? adapter.openPort(1, options) : left;
            right.start();
            left.start();
            near.start();
            Forwarder forwarder = new Forwarder(left, right, burst);
            try (Running running = new Running(Durations.parseNanos(duration), adapter::check,
                    () -> "forwarded %,d packets".formatted(forwarder.packets()))) {
                running.until(() -> count != 0 && (forwarder.packets() >= count || near.isSilent()), forwarder::run);
                double seconds = running.seconds();
                Summary summary = new Summary().put("card", card.label());
                Delivery delivery;
                if (card.isLoopback()) {
                    delivery = Delivery.afterAll(near, far::returned,
                            () -> card.losses().plus(Delivery.byProgram(forwarder.noRoom())), forwarder::run);
                    summary.put("sent to the ports", delivery.sent()).put("came out", delivery.received());
                } else {
                    delivery = Delivery.ofProgram(forwarder.packets(), forwarder.noRoom());
                }
                delivery.describe(summary);
                cost(summary, forwarder, left, right, seconds).print(out(), json);
                return running.status(delivery.status());
            }
        }
    }

    private static Summary cost(Summary summary, Forwarder forwarder, Nic left, Nic right,
            double seconds) {
        double packets = Math.max(1, forwarder.packets());
        Map<String, Long> one = left.statistics();
        Map<String, Long> two = left == right ? Map.of() : right.statistics();
        long doorbells = sum("rx_doorbells", one, two) + sum("tx_doorbells", one, two);
        long frames = sum("rx_bytes", one, two) + sum("tx_bytes", one, two);
        long moved = one.getOrDefault("device_dma_read_bytes", 0L) + one.getOrDefault("device_dma_write_bytes", 0L);
        long transactions = one.getOrDefault("device_dma_reads", 0L) + one.getOrDefault("device_dma_writes", 0L);
        return summary.put("packets in", forwarder.packets())
                .put("packets out", sum("tx_packets", one, two)).put("dropped, no room", forwarder.noRoom())
                .put("errors", sum("rx_errors", one, two) + sum("tx_errors", one, two)).put("seconds", seconds)
                .put("packets per second", forwarder.packets() / seconds)
                .put("MMIO writes per packet", doorbells / packets)
                .put("DMA transactions per packet", transactions == 0 ? Double.NaN : transactions / packets)
                .put("metadata bytes per packet", moved == 0 ? Double.NaN : (moved - frames) / packets);
    }

    private static long sum(String name, Map<String, Long> one, Map<String, Long> two) {
        return one.getOrDefault(name, 0L) + two.getOrDefault(name, 0L);
    }
}
