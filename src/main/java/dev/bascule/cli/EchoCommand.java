package dev.bascule.cli;

import dev.bascule.app.Mirror;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.registry.Durations;
import dev.bascule.run.Delivery;
import dev.bascule.run.Lanes;
import dev.bascule.run.Running;
import dev.bascule.run.Summary;
import dev.bascule.run.TrafficWire;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Answers every packet with itself. */
@Command(name = "echo", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Sends every packet back to where it came from: stations, addresses and UDP ports change places, a ping becomes "
                + "its reply. Ends with --duration, --count or Ctrl-C.",
        "On the loopback card a station behind the port sends." }, footer = { "", "Examples:",
                "  bascule echo --count 100000", "  bascule echo --rate 1000 --duration 5s",
                "  sudo bascule echo --device 0000:65:00.0 --queues 8 --cores 8-15", "",
                "Says how many frames were sent, came and were lost, and where; the exit status is 1 if any was." })
final class EchoCommand extends CommandBase {
    @Mixin
    private CardSetup setup = new CardSetup();

    @Mixin
    private QueueOptions queues = new QueueOptions();

    @Mixin
    private PortOption port = new PortOption();

    @Range("0..")
    @Option(names = "--count", paramLabel = "N", description = "end after so many packets")
    private long count;

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time")
    private String duration = "0s";

    @Range("0..")
    @Option(names = "--rate", paramLabel = "N", description = "loopback: packets per second; default: as many as come back")
    private long rate;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        CardOption card = setup.card();
        TrafficWire station = new TrafficWire(TrafficWire.flows(64, queues.count()), rate, count, null);
        List<WireEnd> wires = port.number() == 0 ? List.of(station, WireEnd.OPEN) : List.of(WireEnd.OPEN, station);
        try (NicAdapter adapter = setup.open(wires)) {
            Nic nic = adapter.openPort(port.of(adapter),
                    NicOptions.DEFAULTS.withRingEntries(1024).withQueues(queues.count(),
                            queues.count()));
            nic.start();
            setup.link().await(List.of(nic));
            List<ProcessorLoop> loops = IntStream.range(0, queues.count())
                    .mapToObj(queue -> new ProcessorLoop(nic.rxQueue(queue), nic.txQueue(queue), new Mirror(), 32))
                    .toList();
            LongSupplier noRoom = () -> loops.stream().mapToLong(ProcessorLoop::noRoom).sum();
            Supplier<Losses> losses = () -> card.losses().plus(Delivery.byLoops(loops))
                    .plus(Delivery.byPorts(List.of(nic), card.isLoopback()));
            try (Lanes lanes = new Lanes(loops.stream().map(one -> new Lanes.Lane(one::run, one::processed)).toList(),
                    queues.cores(card.node()));
                    Running running = new Running(Durations.parseNanos(duration), () -> setup.check(adapter),
                            () -> "echoed %,d packets".formatted(lanes.packets()))) {
                lanes.start();
                station.start();
                running.until(() -> count != 0 && (lanes.packets() >= count || station.isSilent()), lanes::run);
                double seconds = running.seconds();
                Summary summary = new Summary().put("card", card.label());
                if (card.isLoopback()) {
                    Delivery.afterAll(station, station::returned, losses, lanes::run);
                }
                lanes.close();
                Delivery delivery = card.isLoopback()
                        ? new Delivery(station.sent(), station.returned(), losses.get())
                        : Delivery.ofProgram(lanes.packets(), losses.get().plus(Delivery.unsent(List.of(nic))));
                if (card.isLoopback()) {
                    summary.put("sent to the port", delivery.sent()).put("came back", delivery.received());
                }
                delivery.describe(summary);
                summary.put("packets", lanes.packets()).put("dropped, no room", noRoom.getAsLong())
                        .put("seconds", seconds).put("packets per second", lanes.packets() / seconds);
                queues.describe(summary, lanes, seconds, List.of(nic.statistics()));
                summary.print(out(), json);
                return running.status(delivery.status());
            }
        }
    }
}
