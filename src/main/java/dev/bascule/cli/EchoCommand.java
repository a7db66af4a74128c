package dev.bascule.cli;

import dev.bascule.app.Mirror;
import dev.bascule.app.Probe;
import dev.bascule.model.WireEnd;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.registry.Durations;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Answers every packet with itself. */
@Command(name = "echo", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Sends every packet back to where it came from: stations, addresses and UDP ports change places, a ping becomes "
                + "its reply. Ends with --duration, --count or Ctrl-C.",
        "On the loopback card a station behind the port sends." }, footer = { "", "Examples:",
                "  bascule echo --count 100000", "  bascule echo --rate 1000 --duration 5s", "",
                "Says how many frames were sent, came and were lost, and where; the exit status is 1 if any was." })
final class EchoCommand extends CommandBase {
    @Mixin
    private CardOption card = new CardOption();

    @Option(names = "--port", defaultValue = "0", paramLabel = "N", description = "port of the card; default ${DEFAULT-VALUE}")
    private int port;

    @Option(names = "--count", paramLabel = "N", description = "end after so many packets")
    private long count;

    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time")
    private String duration = "0s";

    @Option(names = "--rate", paramLabel = "N", description = "loopback: packets per second; default: as many as come back")
    private long rate;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        TrafficWire station = new TrafficWire(Probe.frame(64), rate, count, null);
        List<WireEnd> wires = port == 0 ? List.of(station, WireEnd.OPEN) : List.of(WireEnd.OPEN, station);
        try (NicAdapter adapter = Nics.open(card.open(wires))) {
            Nic nic = adapter.openPort(port, NicOptions.DEFAULTS.withRingEntries(1024));
            nic.start();
            station.start();
            ProcessorLoop loop = new ProcessorLoop(nic.rxQueue(0), nic.txQueue(0), new Mirror(), 32);
            try (Running running = new Running(Durations.parseNanos(duration), adapter::check,
                    () -> "echoed %,d packets".formatted(loop.processed()))) {
                running.until(() -> count != 0 && (loop.processed() >= count || station.isSilent()), loop::run);
                Summary summary = new Summary().put("card", card.label());
                Delivery delivery;
                if (card.isLoopback()) {
                    delivery = Delivery.afterAll(station, station::returned,
                            () -> card.losses().plus(Delivery.byProgram(loop.noRoom())), loop::run);
                    summary.put("sent to the port", delivery.sent()).put("came back", delivery.received());
                } else {
                    delivery = Delivery.ofProgram(loop.processed(), loop.noRoom());
                }
                delivery.describe(summary);
                summary.put("packets", loop.processed())
                        .put("dropped, no room", loop.noRoom()).put("seconds", running.seconds())
                        .put("packets per second", loop.processed() / running.seconds())
                        .print(out(), json);
                return running.status(delivery.status());
            }
        }
    }
}
