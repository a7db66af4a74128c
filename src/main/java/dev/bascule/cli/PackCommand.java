package dev.bascule.cli;

import dev.bascule.config.HardwareConfigs;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.run.Failure;
import dev.bascule.run.OutputFile;
import dev.bascule.run.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes an archive that runs agents on a card's own cores. */
@Command(name = "pack", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Makes one archive with everything that an agent on a card's own cores needs: a Java runtime linked from the target's"
                + " own packages, the C library that this one was built for, Bascule, your policy, configurations, checksums.",
        "It runs on a bare aarch64 Linux of version 3.7 or newer, whatever its own C library is; with --jdk the archive has"
                + " none, and the text that comes with it says which one the JDK needs." }, footer = { "", "Examples:",
                        "  bascule pack --target linux-aarch64 --config my-card.yaml --policy-path my.jar",
                        "  scp bascule-linux-aarch64.tar.gz root@192.168.100.2:",
                        "  ssh root@192.168.100.2 'tar -C /opt -xzf bascule-linux-aarch64.tar.gz && cd /opt/bascule && sha256sum"
                                + " --quiet -c SHA256SUMS'",
                        "  ssh root@192.168.100.2 /opt/bascule/bin/bascule agent --device my-card --transport any --stay" })
final class PackCommand extends CommandBase {
    @OneOf(PackTarget.AARCH64)
    @Option(names = "--target", defaultValue = PackTarget.AARCH64, paramLabel = "NAME", description = "what the cores are; there is "
            + PackTarget.AARCH64 + "; default ${DEFAULT-VALUE}")
    private String target = PackTarget.AARCH64;

    @Option(names = "--policy-path", split = ":", paramLabel = "JAR", description = "jars of policies to take along")
    private List<Path> policies = List.of();

    @Option(names = "--config", split = ",", paramLabel = "FILE", description = "configurations to take along, beside those of the installation")
    private List<Path> configs = List.of();

    @Option(names = "--jdk", paramLabel = "DIR", description = "a JDK 25 of the target with its jmods, instead of Debian's, which is fetched")
    private @Nullable Path jdk;

    @Option(names = "--add-modules", defaultValue = "", paramLabel = "NAMES", description = "more modules of the JDK that policies need, with commas between them")
    private String modules = "";

    @OutputFile.AtEnd
    @Option(names = "--output", paramLabel = "FILE", description = "the archive; default bascule-TARGET.tar.gz")
    private @Nullable Path output;

    @Override
    public Integer call() throws IOException, InterruptedException {
        configs.forEach(file -> CardDevice.load(file.toString())); // mistakes are said here, and not on the card
        Progress progress = new Progress(System.err);
        Path archive = (output == null ? Path.of("bascule-" + target + ".tar.gz") : output).toAbsolutePath();
        try (ScratchFolder scratch = ScratchFolder.create(Path.of(System.getProperty("java.io.tmpdir")),
                "bascule-pack-")) {
            PackTarget from = jdk == null ? PackTarget.debian(home(), progress) : PackTarget.of(jdk);
            PackFolder folder = new PackFolder(scratch.path());
            progress.say("linking a Java runtime of " + from.jmods());
            folder.link(from, modules);
            folder.libraries(from);
            folder.program(ownJar());
            folder.files("policies", policies);
            folder.configurations(home().resolve("hw-configs"), configs);
            folder.files("native", List.of(home().resolve("native/cache/cache.c")));
            folder.scripts(from);
            folder.checksums();
            progress.say("packing");
            folder.pack(archive);
            out().println(
                    archive + ", " + Files.size(archive) / (1 << 20) + " MiB, for " + target + ": " + from.needs());
            out().println(
                    "there: tar -C /opt -xzf " + archive.getFileName() + "; /opt/bascule/README says how to go on");
            out().flush();
        }
        return 0;
    }

    private static Path home() {
        return HardwareConfigs.installation()
                .orElseThrow(() -> new Failure("no installation was found; start this as scripts/bascule pack"));
    }

    /** The jar that this runs from, or that was built last. */
    private static Path ownJar() {
        Path classes = Path.of(PackCommand.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        Path jar = Files.isRegularFile(classes) ? classes : home().resolve("target/bascule.jar");
        if (!Files.isRegularFile(jar)) {
            throw new Failure("no " + jar + "; build it: scripts/bascule --version");
        }
        return jar;
    }
}
