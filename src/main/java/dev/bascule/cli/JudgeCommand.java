package dev.bascule.cli;

import dev.bascule.app.judge.Judge;
import dev.bascule.app.judge.JudgePlan;
import dev.bascule.app.judge.Victim;
import dev.bascule.config.ModelTiming;
import dev.bascule.device.DeviceModel;
import dev.bascule.ffi.NearestWord;
import dev.bascule.host.AgentProcess;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.Nics;
import dev.bascule.registry.Durations;
import dev.bascule.run.Errors;
import dev.bascule.run.HeldDevice;
import dev.bascule.run.Interruption;
import dev.bascule.run.JvmFlags;
import dev.bascule.run.Misuse;
import dev.bascule.run.Progress;
import dev.bascule.vfiouser.VfioUserDevice;
import dev.bascule.vfiouser.VfioUserServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** An acceptance test of a network card. */
@Command(name = "judge", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "An acceptance test of a network card through its driver: frames of all kinds with every byte compared, every "
                + "offload that the card names, stops, closes and kills under load, frames that are too long, rings that "
                + "run dry, the clock. Says of each part whether it passed, failed or does not apply, and shows the first "
                + "difference with what led to it.",
        "What one port sends has to come back: to the same port (a plug that loops), to another port of the card "
                + "(found by itself, or --far-port), or to a card at the other end (--peer). Nobody else should send there.",
        "--device takes models, too: cndm, cndm-lite, cndm-proto, corundum (also: loopback), corundum-december-2023, enso, virtio, "
                + "each with one port that loops back." }, footer = { "", "Examples:", "  bascule judge --list",
                        "  bascule judge --device corundum --queues 4",
                        "  bascule judge --device corundum --only frames,restart --config loopback-rtl",
                        "  bascule judge --device enso --config loopback-rtl --slow 100",
                        "  bascule judge --device /tmp/nic0 --frames 1000000 --json",
                        "  bascule judge --device /tmp/nic0 --peer /tmp/nic1",
                        "  bascule judge --device /tmp/nic0 --restart-command './sim --socket /tmp/nic0'",
                        "  sudo bascule judge --device 0000:65:00.0 --queues 16", "",
                        "Exit status: 0 all parts passed or do not apply, 1 something failed, 2 wrong usage." })
final class JudgeCommand extends CommandBase {
    @Mixin
    private CardSetup setup = new CardSetup();

    @Option(names = "--peer", paramLabel = "DEVICE", description = "the card at the other end of the cable: a socket or a PCI address")
    private @Nullable String peer;

    @Range("0..")
    @Option(names = "--port", defaultValue = "0", paramLabel = "N", description = "port that sends; default ${DEFAULT-VALUE}")
    private int port;

    @Range("0..")
    @Option(names = "--far-port", defaultValue = "-1", paramLabel = "N", description = "port that receives, of the peer if there is one; default: the one where frames arrive, port 0 of a peer")
    private int farPort = -1;

    @Range("1..1024")
    @Option(names = "--queues", defaultValue = "1", paramLabel = "N", description = "queues of each port; default ${DEFAULT-VALUE}")
    private int queues = 1;

    @Option(names = "--list", description = "list the parts and what they ask")
    private boolean list;

    @Option(names = "--only", split = ",", paramLabel = "PART", description = "only these parts")
    private List<String> only = new ArrayList<>();

    @Option(names = "--skip", split = ",", paramLabel = "PART", description = "all but these parts")
    private List<String> skip = new ArrayList<>();

    @Range("1..2147483647")
    @Option(names = "--frames", defaultValue = "50000", paramLabel = "N", description = "frames of the long run; default ${DEFAULT-VALUE}")
    private long frames = 50_000;

    @Range("1..")
    @Option(names = "--rounds", defaultValue = "20", paramLabel = "N", description = "stops and starts; of openings a fifth; default ${DEFAULT-VALUE}")
    private int rounds = 20;

    @Range("1ns..")
    @Option(names = "--patience", defaultValue = "2s", paramLabel = "TIME", description = "time without a frame after which what is missing is lost; more for a slow simulation; default ${DEFAULT-VALUE}")
    private String patience = "2s";

    @Option(names = "--seed", paramLabel = "N", description = "of all frames, to repeat a run; default: a new one, which is said")
    private @Nullable Long seed;

    @Option(names = "--restart-command", paramLabel = "COMMAND", description = "starts the server at --device's socket; the test starts it, kills it under load and starts it again")
    private @Nullable String restart;

    @Range("1..")
    @Option(names = "--slow", defaultValue = "1", paramLabel = "N", description = "the clock of the model that --device names runs N times slower, as a design in a simulator does, so that the driver is quicker than the card; with --config loopback-rtl; default ${DEFAULT-VALUE}")
    private int slowness = 1;

    @Option(names = "--until-killed", hidden = true, description = "only drive the card, until this process is killed")
    private boolean untilKilled;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    private volatile boolean stop;

    @Override
    public Integer call() throws IOException {
        if (list) {
            Judge.parts().forEach((name, question) -> out().printf("%-14s  %s%n", name, question));
            return 0;
        }
        check();
        setup.requireNoTelemetry("a judged card is opened and closed again and again");
        try (Interruption interruption = new Interruption(() -> stop = true)) {
            Optional<DeviceModel> model = JudgedModel.of(setup.card().device(), setup.timing(), slowness);
            return interruption.status(model.isPresent() ? judgeModel(model.get()) : judgeDevice());
        }
    }

    private int judgeDevice() {
        String device = setup.card().device();
        try (JudgedServer server = restart == null ? null : new JudgedServer(restart, Path.of(device))) {
            if (server != null) {
                server.start();
            }
            return judge(setup.card().label(), device, () -> setup.open(List.of()), server);
        }
    }

    private int judgeModel(DeviceModel model) throws IOException {
        Path folder = Files.createTempDirectory("bascule-judge");
        Path socket = folder.resolve("card");
        try (VfioUserServer server = VfioUserServer.serve(model, socket, event -> {})) {
            return judge("simulated: model " + setup.card().device(), server.path().toString(),
                    () -> Nics.open(VfioUserDevice.open(server.path())), null);
        } finally {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(folder);
        }
    }

    private void check() {
        Set<String> unknown = new LinkedHashSet<>(only);
        unknown.addAll(skip);
        unknown.removeAll(Judge.parts().keySet());
        if (!unknown.isEmpty()) {
            throw new Misuse(NearestWord.none("part", unknown.iterator().next(), Judge.parts().keySet()));
        }
        if (setup.card().isDpdk()) {
            throw new Misuse(
                    "--device " + setup.card().device() + ": a card is opened again and again here, which DPDK cannot");
        }
        boolean isModel = JudgedModel.NAMES.contains(setup.card().device()) || setup.card().isLoopback();
        if (slowness > 1 && !(isModel && setup.timing() == ModelTiming.RTL)) {
            throw new Misuse("--slow is for a model with the timing of its RTL: --config loopback-rtl");
        }
        if (restart != null && (setup.card().isAddress() || isModel)) {
            throw new Misuse("--restart-command is for a server at a socket; name it: --device SOCKET");
        }
    }

    private int judge(String label, String device, Supplier<NicAdapter> card, @Nullable JudgedServer server) {
        long chosen = seed != null ? seed : new SplittableRandom().nextInt(Integer.MAX_VALUE);
        Progress progress = new Progress(System.err);
        String far = peer;
        JudgePlan plan = new JudgePlan(card,
                far == null ? null : () -> Nics.open(HeldDevice.OPENER.open(far, Set.of())), port,
                farPort, queues, chosen, frames, rounds, Durations.parseNanos(patience), setup.link()::await,
                found -> new ProcessBuilder(driver(device, found)), server, untilKilled ? text -> {} : progress::say,
                () -> stop);
        if (untilKilled) {
            Thread.ofPlatform().daemon().name("bascule-killer").start(this::awaitEndOfInput);
            Victim.drive(plan, System.out, () -> stop);
            return 0;
        }
        return judge(new JudgeReport(out(), json, label, typed(), chosen), plan);
    }

    private int judge(JudgeReport report, JudgePlan plan) {
        report.begin();
        boolean whole = true;
        try {
            new Judge(plan).run(name -> (only.isEmpty() || only.contains(name)) && !skip.contains(name), report::add);
        } catch (CancellationException interrupted) {
            whole = false;
        }
        report.end(whole);
        return report.hasFailed() ? Errors.FAILED : 0;
    }

    /** The command line of a process that drives the card as this one does. */
    private List<String> driver(String device, int found) {
        List<String> words = new ArrayList<>(List.of("judge", "--until-killed", "--device", device, "--port",
                Integer.toString(port), "--far-port", Integer.toString(found), "--queues", Integer.toString(queues)));
        if (peer != null) {
            words.addAll(List.of("--peer", peer));
        }
        return AgentProcess.ownCommand(JvmFlags.forAgent(), words);
    }

    /** The process that was to kill this one is gone when the pipe from it ends. */
    private void awaitEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                // it says nothing
            }
        } catch (IOException e) {
            // as its end
        }
        stop = true;
    }
}
