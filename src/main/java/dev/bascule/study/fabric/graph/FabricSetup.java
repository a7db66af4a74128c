package dev.bascule.study.fabric.graph;

import dev.bascule.config.ConfigProblem;
import dev.bascule.config.FabricConfig;
import dev.bascule.config.FabricConfig.Device;
import dev.bascule.study.fabric.Accelerator;
import dev.bascule.study.fabric.AesGcm;
import dev.bascule.study.fabric.Fabric;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.fabric.FileStore;
import dev.bascule.study.fabric.FrameSender;
import dev.bascule.study.fabric.Port;
import dev.bascule.study.fabric.Program;
import dev.bascule.study.fabric.QuantisedNet;
import dev.bascule.study.fabric.StreamLimits;
import dev.bascule.study.fabric.WorkTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A fabric with the devices of a configuration plugged in, and its graph compiled. One thread. Closes what it opened. */
public final class FabricSetup implements AutoCloseable {
    private static final List<String> COMMON = List.of("interface", "lanes", "input", "fixed-ns", "gbps");
    private static final int HOST_BYTES = 64 << 20;

    private final FabricConfig config;
    private final Fabric fabric;
    private final @Nullable Path folder;
    private final List<ConfigProblem> problems = new ArrayList<>();
    private final Map<String, Port> ports = new LinkedHashMap<>();
    private final List<FileStore> stores = new ArrayList<>();
    private final Set<Path> files = new LinkedHashSet<>();
    private final Program program;

    /**
     * Builds it.
     *
     * @param folder where stores make their files, which must not be there; null: a graph with stores is refused
     * @param isRing whether every device takes commands from a ring, whatever the configuration says: as devices are today
     * @param wire takes what a card sends: the card's name and the frame
     * @throws GraphException with every problem of the graph
     */
    public FabricSetup(FabricConfig config, FabricCosts costs, StreamLimits limits, @Nullable Path folder,
            boolean isRing,
            BiConsumer<String, byte[]> wire) {
        this.config = config;
        this.folder = folder;
        fabric = new Fabric(costs, HOST_BYTES, limits);
        Map<String, DeviceAction> actions = GraphCheck.actions(config, problems);
        config.devices().forEach((name, device) -> plug(name, device, isRing, wire));
        if (!problems.isEmpty()) {
            problems.sort(Comparator.comparingInt(ConfigProblem::line).thenComparingInt(ConfigProblem::column));
            throw new GraphException(problems);
        }
        config.denied().forEach(pair -> fabric.access().deny(port(pair.from()), port(pair.to())));
        int stages = isRing ? FabricCosts.PROPOSAL.stages() : costs.stages(); // no stage is used with the CPU in the middle
        program = GraphCompiler.compile(config, actions, this::port, stages, problems);
    }

    private void plug(String name, Device device, boolean isRing, BiConsumer<String, byte[]> wire) {
        Settings settings = new Settings(config, device.place(), "device '" + name + "'", device.settings(), problems);
        switch (device.kind()) {
            case "host" -> {
                settings.only(List.of());
                ports.put(name, fabric.host());
            }
            case "nic" -> {
                settings.only(List.of("gbps", "input"));
                Accelerator sender = new FrameSender(frame -> wire.accept(name, frame), settings.rate("gbps") * 1e9);
                ports.put(name, isRing
                        ? fabric.plugRing(name, sender, 16)
                        : fabric.plug(name, sender, input(settings), 1));
            }
            case "crypto" -> {
                settings.only(with("keys", "salt"));
                List<byte[]> keys = settings.keys("keys");
                accelerator(name, new AesGcm(keys, (int) settings.number("salt", 0, 0, 0xffff_ffffL), time(settings)),
                        settings, isRing);
            }
            case "inference" -> {
                settings.only(with("inputs", "units", "classes", "seed"));
                accelerator(name, QuantisedNet.ofSeed(settings.number("seed", 1, 0, Long.MAX_VALUE),
                        (int) settings.number("inputs", 784, 1, 1 << 16), (int) settings.number("units", 32, 1, 4096),
                        (int) settings.number("classes", 10, 1, 256), time(settings)), settings, isRing);
            }
            case "store" -> {
                settings.only(with("file"));
                FileStore store = new FileStore(file(settings), time(settings));
                stores.add(store);
                accelerator(name, store, settings, isRing);
            }
            default -> problems.add(config.problem(device.place(), "device '" + name + "': no kind '" + device.kind()
                    + "'; there are " + String.join(", ", DeviceAction.kinds())));
        }
    }

    private Path file(Settings settings) {
        String name = settings.plainName("file");
        if (folder == null) {
            settings.problem("it writes a file; 'bascule fabric run' has --stores DIR for it");
            return Path.of(name);
        }
        Path file = folder.resolve(name);
        if (!name.isEmpty() && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            settings.problem(file + " is there already; a store makes new files only: name another directory");
        } else if (!files.add(file)) {
            settings.problem("another store writes '" + name + "' already");
        }
        return file;
    }

    /** The files that its stores make when items come. */
    public List<Path> files() {
        return List.copyOf(files);
    }

    private static List<String> with(String... own) {
        List<String> all = new ArrayList<>(List.of(own));
        all.addAll(COMMON);
        return all;
    }

    private static WorkTime time(Settings settings) {
        double gbps = settings.rate("gbps");
        return new WorkTime(settings.number("fixed-ns", 0, 0, 1_000_000_000) * 1_000, gbps == 0 ? 0 : 8_000 / gbps);
    }

    private static int input(Settings settings) {
        return (int) settings.number("input", 64 << 10, 64, 1 << 28);
    }

    private void accelerator(String name, Accelerator accelerator, Settings settings, boolean isRing) {
        int lanes = (int) settings.number("lanes", 4, 1, 1024);
        int inputBytes = input(settings);
        boolean hasRing = settings.word("interface", "stream", List.of("stream", "ring")).equals("ring");
        ports.put(name, isRing || hasRing
                ? fabric.plugRing(name, accelerator, lanes)
                : fabric.plug(name, accelerator, inputBytes, lanes));
    }

    /** The device of this name. */
    public Port port(String name) {
        Port port = ports.get(name);
        if (port == null) {
            throw new IllegalArgumentException("no device '" + name + "' in " + config.file());
        }
        return port;
    }

    /** The fabric. */
    public Fabric fabric() {
        return fabric;
    }

    /** The graph as the switch holds it. */
    public Program program() {
        return program;
    }

    /** The card or host at which items come in. */
    public Port source() {
        return program.nodes().get(program.source()).port();
    }

    @Override
    public void close() throws IOException {
        for (FileStore store : stores) {
            store.close();
        }
    }
}
