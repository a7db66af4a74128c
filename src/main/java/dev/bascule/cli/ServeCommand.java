package dev.bascule.cli;

import dev.bascule.config.HardwareConfigs;
import dev.bascule.config.ModelTiming;
import dev.bascule.device.DeviceModel;
import dev.bascule.ffi.OwnThread;
import dev.bascule.json.Json;
import dev.bascule.model.Losses;
import dev.bascule.model.cndm.CndmCard;
import dev.bascule.model.cndm.CndmConfig;
import dev.bascule.model.cndm.proto.ProtoCard;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.enso.EnsoCard;
import dev.bascule.model.smartnic.CoresServer;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicModel;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.model.virtio.VirtioCard;
import dev.bascule.registry.Durations;
import dev.bascule.run.Delivery;
import dev.bascule.run.Errors;
import dev.bascule.run.Interruption;
import dev.bascule.run.Misuse;
import dev.bascule.run.Summary;
import dev.bascule.vfiouser.ServerEvent;
import dev.bascule.vfiouser.VfioUserServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves a device model to virtual machines and to drivers of other processes. */
@Command(name = "serve", mixinStandardHelpOptions = true, description = {
        "Serves a simulated device at a UNIX socket by the vfio-user protocol: to QEMU 10.1 or newer, to libvfio-user "
                + "clients, and to Bascule's own drivers.",
        "One client at a time. Ends with Ctrl-C, and removes the socket. Then says how many frames came and went, how "
                + "many were lost, at which port, queue or pipe, and why; the exit status is 1 if any was." }, footer = {
                        "", "Wires, one for each port:",
                        "  loop          what is sent comes back", "  open          nothing is plugged in",
                        "  cross         to the next port of this device that says so",
                        "  cross:SOCKET  to a port of another process that names the same socket",
                        "  pcap:IN,OUT   frames of IN arrive as they were recorded; what is sent goes to OUT (pcap, pcapng)",
                        "  tap:NAME      to a TAP interface of this machine's kernel",
                        "  fabric:GRAPH  into a streaming fabric ('bascule fabric --help'); what its card sends comes back",
                        "Ports without --wire are crossed in pairs; one left over loops back.", "", "Examples:",
                        "  bascule serve --device corundum --socket /tmp/nic0",
                        "  bascule serve --device cndm --socket /tmp/nic0 --profile lite",
                        "  bascule serve --device corundum --ports 1 --socket /tmp/nic1 --wire cross:/tmp/cable",
                        "  bascule serve --device smartnic --socket /tmp/nic0 --cores /tmp/nic0.cores",
                        "  bascule serve --device enso --socket /tmp/enso --wire pcap:in.pcap,out.pcapng",
                        "  bascule serve --device enso --socket /tmp/enso --wire pcap:in.pcap --pace recorded --once",
                        "  sudo bascule serve --device enso --programs /mnt/huge/enso --wire tap:enso0" })
final class ServeCommand extends CommandBase {
    private static final long FLUSH_MILLIS = 500;
    private static final long CONSOLE_MILLIS = 50;

    /** One of two ways to the device. */
    static final class Where {
        @Option(names = "--socket", paramLabel = "PATH", description = "where clients connect by vfio-user")
        private @Nullable Path socket;

        @Option(names = "--programs", paramLabel = "PREFIX", description = "enso: instead, for programs of the upstream library built with its software back end that use this huge-page prefix (theirs is /mnt/huge/enso); needs root")
        private @Nullable Path programs;
    }

    @OneOf({ "cndm", "corundum", "enso", "smartnic", "virtio" })
    @Option(names = "--device", required = true, paramLabel = "NAME", description = "cndm, corundum, enso, smartnic or virtio")
    private String device = "";

    @ArgGroup(multiplicity = "1")
    @SuppressWarnings("NullAway.Init")
    private Where where;

    @Option(names = "--config", paramLabel = "NAME", description = "cndm, corundum, enso: configuration whose timing the model has (loopback-rtl: the cycles of the compiled design); default: it answers at once")
    private @Nullable String config;

    @Mixin
    private CorundumDesign design = new CorundumDesign();

    @Option(names = "--console", paramLabel = "FILE", description = "enso: the board's settings are those that are written to this file, and a reset clears them, as on the board ("
            + BoardConsole.SYNTAX + "); default: the usual ones, which a reset leaves")
    private @Nullable Path console;

    @Option(names = "--cores", paramLabel = "PATH", description = "smartnic: where agents, as the card's own cores, connect: a socket")
    private @Nullable Path cores;

    @Option(names = "--wire", paramLabel = "WIRE", description = "for the next port: " + WirePlan.SYNTAX)
    private List<String> wires = List.of();

    @Range("0s..")
    @Option(names = "--replay-after", defaultValue = "0s", paramLabel = "TIME", description = "pcap wires: time from a client's coming to the first frame (a Corundum loses what comes before it has a link, see --link-delay); default ${DEFAULT-VALUE}")
    private String replayAfter = "0s";

    @OneOf({ "lossless", "recorded" })
    @Option(names = "--pace", defaultValue = FrameSource.LOSSLESS, paramLabel = "PACE", description = "pcap wires: lossless, a frame waits until the device has room, or recorded, then it is lost; default ${DEFAULT-VALUE}")
    private String pace = FrameSource.LOSSLESS;

    @Option(names = "--once", description = "end when the first client has left")
    private boolean once;

    @Option(names = "--json", description = "print each event as a JSON document in a line of its own")
    private boolean json;

    private final CountDownLatch end = new CountDownLatch(1);
    private final WirePlan plan = new WirePlan();
    private volatile long replayAt;
    private @Nullable BoardConsole board;
    private boolean lost;

    @Override
    public Integer call() throws Exception {
        long replayNanos = Durations.parseNanos(replayAfter);
        plan.lossless(pace.equals(FrameSource.LOSSLESS));
        Path prefix = where.programs;
        try (Interruption interruption = new Interruption(end::countDown)) {
            if (prefix != null) {
                servePrograms(prefix, replayNanos);
            } else {
                serveSocket(replayNanos);
            }
            return interruption.status(lost ? Errors.FAILED : 0);
        }
    }

    private void serveSocket(long replayNanos) throws Exception {
        DeviceModel model = model();
        VfioUserServer server;
        try {
            server = VfioUserServer.serve(model, socket(), event -> handle(event, replayNanos));
        } catch (RuntimeException e) {
            model.close();
            throw e;
        }
        try {
            try (server; CoresServer _ = serveCores(model)) {
                watch();
            }
        } finally {
            switch (model) {
                case SmartNicModel card -> print("ended", card.refusedDma() + " DMA accesses of the card were refused");
                case CndmCard cndm -> conclude(cndm.losses(), Losses.NONE);
                case ProtoCard proto -> conclude(proto.losses(), Losses.NONE);
                case CorundumModel corundum -> conclude(corundum.losses(), Losses.NONE);
                case EnsoCard enso -> conclude(enso.losses(), enso.unannounced());
                case VirtioCard virtio -> conclude(virtio.losses(), Losses.NONE);
                default -> { // it has no wires
                }
            }
        }
    }

    private @Nullable CoresServer serveCores(DeviceModel model) {
        Path path = cores;
        if (path == null) {
            return null;
        }
        if (model instanceof SmartNicModel card) {
            return CoresServer.listen(card, path, text -> print("cores", text));
        }
        throw new Misuse("--cores is for --device smartnic; the cores of a " + device + " run no agents");
    }

    /** Says what became of the frames. */
    private void conclude(Losses losses, Losses unannounced) {
        Summary summary = new Summary();
        plan.describe(summary);
        Delivery.describe(summary, losses.total(), losses);
        if (!unannounced.isEmpty()) {
            summary.put("not announced", unannounced.total()).put("not announced where", unannounced);
        }
        lost = !losses.isEmpty() || !unannounced.isEmpty();
        if (json) {
            line(summary.into(Json.object().put("event", "ended")).toString());
        } else {
            summary.print(out(), false);
        }
    }

    private Path socket() {
        return Objects.requireNonNull(where.socket);
    }

    private void servePrograms(Path prefix, long replayNanos) throws Exception {
        if (!device.equals("enso")) {
            throw new Misuse("--programs is for --device enso; a " + device + " is served at a --socket");
        }
        try (EnsoPrograms programs = new EnsoPrograms(prefix, plan.plug(wires, 1).getFirst())) {
            line(json
                    ? Json.object().put("event", "listening").put("device", device).put("programs", prefix.toString())
                            .put("simulated", true).toString()
                    : "Serving a simulated enso to programs with the huge-page prefix " + prefix + ". Ctrl-C ends it.");
            Thread flusher = OwnThread.of("bascule-flush", this::flushUntilEnd);
            flusher.start();
            try {
                programs.run(() -> end.getCount() == 0, count -> programsChanged(count, replayNanos));
                end.countDown();
                flusher.join();
                plan.flush();
            } finally {
                conclude(programs.losses(), programs.unannounced());
            }
        }
    }

    private void programsChanged(int count, long replayNanos) {
        line(json
                ? Json.object().put("event", "programs").put("threads", count).toString()
                : count == 1 ? "1 thread of a program connected" : count + " threads of programs connected");
        if (count > 0 && replayAt == 0) {
            replayAt = Math.max(1, System.nanoTime() + replayNanos);
        } else if (count == 0 && once) {
            end.countDown();
        }
    }

    private void flushUntilEnd() {
        try {
            watch();
        } catch (IOException e) {
            line("capture file: " + e.getMessage());
            end.countDown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch() throws InterruptedException, IOException {
        while (!end.await(board == null ? FLUSH_MILLIS : CONSOLE_MILLIS, TimeUnit.MILLISECONDS)) {
            String said = board == null ? "" : board.look();
            if (!said.isEmpty()) {
                print("console", said);
            }
            long at = replayAt;
            if (at != 0 && System.nanoTime() - at >= 0) {
                plan.startReplay();
            }
            plan.flush();
            plan.longWaits().forEach(text -> print("waiting", text));
            if (plan.hasPlayed()) {
                print("played", "all frames of the files have arrived");
            }
        }
    }

    private ModelTiming timing() {
        String named = config;
        return named == null ? ModelTiming.IMMEDIATE : HardwareConfigs.load(named).timing();
    }

    private DeviceModel model() throws IOException {
        return switch (device) {
            case "cndm" -> {
                if (design.isProto()) {
                    yield new ProtoCard(plan.plug(wires, design.protoPorts(timing())));
                }
                CndmConfig built = design.buildCndm(timing());
                yield new CndmCard(built, plan.plug(wires, built.ports()));
            }
            case "corundum" -> {
                CorundumConfig built = design.build(timing());
                yield new CorundumModel(built, List.copyOf(plan.plug(wires, built.allPorts())), true);
            }
            case "enso" -> {
                EnsoCard card = new EnsoCard(plan.plug(wires, 1).getFirst(), timing());
                board = console == null ? null : new BoardConsole(console, card.device());
                yield card;
            }
            case "virtio" -> new VirtioCard(plan.plug(wires, 1).getFirst());
            case "smartnic" -> {
                plan.plug(wires, 0);
                yield new SmartNicModel(SmartNicRegion.inProcess(SmartNicConfig.DEFAULT));
            }
            default -> throw new AssertionError(device);
        };
    }

    private void handle(ServerEvent event, long replayNanos) {
        switch (event.kind()) {
            case LISTENING -> introduce();
            case CONNECTED -> {
                if (replayAt == 0) {
                    replayAt = Math.max(1, System.nanoTime() + replayNanos);
                }
                print(event);
            }
            case DISCONNECTED -> {
                print(event);
                if (once) {
                    end.countDown();
                }
            }
            default -> print(event);
        }
    }

    private void introduce() {
        if (json) {
            line(Json.object().put("event", "listening").put("device", device).put("socket", socket().toString())
                    .put("simulated", true).put("qemu", Json.texts(QemuOptions.of(socket()))).toString());
            return;
        }
        line("Serving a simulated " + device + " at " + socket() + ". With QEMU 10.1 or newer:");
        line("");
        line("  qemu-system-x86_64 " + QemuOptions.shell(socket()));
        line("");
        line("Ctrl-C ends it.");
    }

    private void print(ServerEvent event) {
        print(event.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '), event.text());
    }

    private void print(String event, String text) {
        line(json ? Json.object().put("event", event).put("text", text).toString() : event + ": " + text);
    }

    private void line(String text) {
        PrintWriter out = out();
        out.println(text);
        out.flush();
    }
}
