package dev.bascule.study.cli;

import dev.bascule.cli.CommandBase;
import dev.bascule.run.Errors;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.cli.Range;
import dev.bascule.run.Summary;
import dev.bascule.config.FabricConfig;
import dev.bascule.config.FabricConfigs;
import dev.bascule.model.wire.CaptureReader;
import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.model.wire.CapturedFrame;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.fabric.StreamLimits;
import dev.bascule.study.fabric.graph.FabricSetup;
import dev.bascule.study.nagare.FabricResult;
import dev.bascule.study.nagare.FabricRun;
import dev.bascule.study.nagare.HostRun;
import dev.bascule.study.nagare.SealedFrames;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Frames through devices that push to each other over a programmable switch. */
@Command(name = "fabric", mixinStandardHelpOptions = true, description = {
        "Runs frames of a capture file through a graph of devices that push streams to each other over a programmable "
                + "PCIe switch (Nagare): real bytes in virtual time.",
        "A graph is a YAML file; hw-configs/fabric has some." }, subcommands = { FabricCommand.Run.class,
                FabricCommand.Check.class, FabricCommand.Frames.class }, footer = { "", "Examples:",
                        "  bascule fabric frames hw-configs/fabric/private-inference.yaml --count 1000 --out images.pcap",
                        "  bascule fabric run hw-configs/fabric/private-inference.yaml --in images.pcap --out answers.pcap",
                        "  bascule fabric check hw-configs/fabric/private-inference.yaml" })
final class FabricCommand extends CommandBase {
    @Override
    public Integer call() {
        spec().commandLine().usage(out());
        return 0;
    }

    private static FabricConfig graph(Path file) {
        return FabricConfigs.read(file);
    }

    private static @Nullable Path directory(@Nullable Path stores) {
        if (stores != null && !Files.isDirectory(stores)) {
            throw new Failure("--stores " + stores + ": no such directory; mkdir " + stores);
        }
        return stores;
    }

    /** The switch and its links. */
    static final class SwitchOption {
        private static final int MOST_GBITS = 1_000_000;

        @Range("0..64")
        @Option(names = "--stages", defaultValue = "10", paramLabel = "N", description = "match and action stages of the switch, ten cycles at 3 GHz each; default ${DEFAULT-VALUE}")
        private int stages = 10;

        @Option(names = "--link", defaultValue = "gen3x16", paramLabel = "LINK", description = "gen3x16, none (no limit, as in the proposal's sums), or Gbit/s; default ${DEFAULT-VALUE}")
        private String link = "gen3x16";

        @Range("0..1000000000")
        @Option(names = "--one-way", defaultValue = "379", paramLabel = "NS", description = "one way through the switch; default ${DEFAULT-VALUE} (the proposal, section 4.3)")
        private double oneWay = 379;

        FabricCosts costs() {
            FabricCosts base = FabricCosts.PROPOSAL;
            return new FabricCosts(Math.round(oneWay * 1_000), stages, base.cyclesPerStage(), base.clockGhz(),
                    bytesPerSecond(), base.headerBytes(), base.maxPayloadBytes());
        }

        private double bytesPerSecond() {
            if (link.equals("gen3x16")) {
                return FabricCosts.GEN3_X16;
            }
            double gbits = link.equals("none") ? 0 : gbits();
            return gbits * 1e9 / 8;
        }

        private double gbits() {
            double gbits = Double.NaN;
            try {
                gbits = Double.parseDouble(link);
            } catch (NumberFormatException e) {
                // as one that is out of range
            }
            if (!(gbits > 0 && gbits <= MOST_GBITS)) {
                throw new Misuse("--link " + link + ": gen3x16, none, or Gbit/s above 0, up to " + MOST_GBITS);
            }
            return gbits;
        }
    }

    /** Runs a graph. */
    @Command(name = "run", mixinStandardHelpOptions = true, sortOptions = false, description = {
            "Runs the frames of a capture file through a graph: a stream for each flow. A frame waits at the card until its "
                    + "stream has credit, so none is lost for want of room.",
            "Says what was transferred between whom, counted by the fabric, and what that took in virtual time." }, footer = {
                    "", "Examples:",
                    "  bascule fabric run graph.yaml --in in.pcap --out out.pcap",
                    "  bascule fabric run graph.yaml --in in.pcap --cpu --link none   # 9 round trips an item in the chain",
                    "", "Exit status 1: a frame did not come to its graph's end, for another reason than the graph." })
    static final class Run extends CommandBase {
        @Parameters(paramLabel = "GRAPH", description = "the graph, a YAML file")
        private Path file = Path.of("");

        @Option(names = "--in", required = true, paramLabel = "FILE", description = "frames, pcap or pcapng")
        private Path in = Path.of("");

        @Option(names = "--out", paramLabel = "FILE", description = "what the cards send, pcapng (pcap if its name ends so), with virtual times")
        private @Nullable Path out;

        @Option(names = "--stores", paramLabel = "DIR", description = "where the graph's stores make their files; none may be there yet")
        private @Nullable Path stores;

        @Option(names = "--cpu", description = "the same devices behind descriptor rings, the CPU in the middle; for a graph that is one chain")
        private boolean cpu;

        @Range("1..32767")
        @Option(names = "--window", defaultValue = "32", paramLabel = "N", description = "items of a stream in the fabric at a time; default ${DEFAULT-VALUE}")
        private int window = 32;

        @Range("1..16777216")
        @Option(names = "--streams", defaultValue = "1024", paramLabel = "N", description = "most streams at a time; default ${DEFAULT-VALUE}")
        private int streams = 1024;

        @Mixin
        private SwitchOption link = new SwitchOption();

        @Option(names = "--json", description = "print one JSON document")
        private boolean json;

        @Override
        public Integer call() throws IOException {
            FabricConfig config = graph(file);
            try (CaptureReader frames = CaptureReader.open(in); Sent sent = new Sent(out)) {
                FabricRun.Frames source = () -> whole(frames.next());
                FabricResult result = cpu ? withCpu(config, source, sent) : withStreams(config, source, sent);
                PrintWriter text = beside(out);
                text.print(json ? result.json().pretty() : result.text());
                text.flush();
                return result.isWhole() ? 0 : Errors.FAILED;
            }
        }

        private byte @Nullable [] whole(@Nullable CapturedFrame frame) {
            if (frame != null && frame.isCut()) {
                throw new Failure(in + " holds frames that the capture has cut; capture whole ones: tcpdump -s 0");
            }
            return frame == null ? null : frame.data();
        }

        private FabricResult withStreams(FabricConfig config, FabricRun.Frames source, Sent sent) throws IOException {
            StreamLimits limits = limits();
            try (FabricRun run = new FabricRun(config, link.costs(), limits, directory(stores), sent)) {
                sent.clock = () -> run.setup().fabric().time().now();
                return run.run(source);
            }
        }

        private StreamLimits limits() {
            return new StreamLimits(streams, window, StreamLimits.DEFAULT.itemBytes());
        }

        private FabricResult withCpu(FabricConfig config, FabricRun.Frames source, Sent sent) throws IOException {
            try (HostRun run = new HostRun(config, link.costs(), directory(stores), sent)) {
                sent.clock = run::nowPs;
                return run.run(source);
            }
        }
    }

    /** Writes what cards send. */
    private static final class Sent implements BiConsumer<String, byte[]>, AutoCloseable {
        private final @Nullable CaptureWriter writer;
        private LongSupplier clock = () -> 0;

        Sent(@Nullable Path file) throws IOException {
            writer = file == null ? null : CaptureWriter.create(file, List.of("fabric"));
        }

        @Override
        public void accept(String card, byte[] frame) {
            try {
                if (writer != null) {
                    writer.write(clock.getAsLong() / 1_000, 0, frame, 0, frame.length);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            if (writer != null) {
                writer.close();
            }
        }
    }

    /** Checks and shows a graph. */
    @Command(name = "check", mixinStandardHelpOptions = true, sortOptions = false, description = {
            "Checks a graph and prints the tables that it becomes in the switch and the files that its stores would write, or what is wrong with it, each with its line." }, footer = {
                    "", "Example:", "  bascule fabric check graph.yaml" })
    static final class Check extends CommandBase {
        @Parameters(paramLabel = "GRAPH", description = "the graph, a YAML file")
        private Path file = Path.of("");

        @Option(names = "--stores", paramLabel = "DIR", description = "as for 'run': says of the files there, too")
        private @Nullable Path stores;

        @Mixin
        private SwitchOption link = new SwitchOption();

        @Override
        public Integer call() throws IOException {
            FabricConfig config = graph(file);
            Path directory = directory(stores);
            try (FabricSetup setup = new FabricSetup(config, link.costs(), StreamLimits.DEFAULT,
                    directory == null ? Path.of("DIR") : directory, false, (card, frame) -> {})) {
                out().print(setup.program().dump());
                setup.files()
                        .forEach(written -> out().println("with --stores " + (directory == null ? "DIR" : directory)
                                + ", 'run' writes the new file " + written));
                out().flush();
                return 0;
            }
        }
    }

    /** Makes frames for trying a graph. */
    @Command(name = "frames", mixinStandardHelpOptions = true, sortOptions = false, description = {
            "Writes frames that a graph's source expects: UDP datagrams with random payload as long as its inference device "
                    + "takes, sealed with its key." }, footer = { "", "Example:",
                            "  bascule fabric frames graph.yaml --count 1000 --flows 16 --out in.pcap" })
    static final class Frames extends CommandBase {
        @Parameters(paramLabel = "GRAPH", description = "the graph, a YAML file")
        private Path file = Path.of("");

        @Option(names = "--out", required = true, paramLabel = "FILE", description = "file to write")
        private Path out = Path.of("");

        @Range("1..")
        @Option(names = "--count", defaultValue = "1000", paramLabel = "N", description = "frames; default ${DEFAULT-VALUE}")
        private long count = 1000;

        @Range("1..")
        @Option(names = "--flows", defaultValue = "16", paramLabel = "N", description = "different clients; default ${DEFAULT-VALUE}")
        private int flows = 16;

        @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "decides everything; default ${DEFAULT-VALUE}")
        private long seed = 1;

        @Override
        public Integer call() throws IOException {
            SealedFrames frames = new SealedFrames(graph(file), flows, seed);
            try (CaptureWriter writer = CaptureWriter.create(out, List.of("fabric"))) {
                for (long i = 0; i < count; i++) {
                    byte[] frame = frames.next();
                    writer.write(i * 1_000, 0, frame, 0, frame.length);
                }
            }
            new Summary().put("file", out.toString()).put("frames", count).print(out(), false);
            return 0;
        }
    }
}
