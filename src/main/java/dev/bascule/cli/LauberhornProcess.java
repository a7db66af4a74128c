package dev.bascule.cli;

import dev.bascule.ffi.NativeException;
import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.host.lauberhorn.ServiceProcess;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.run.Failure;
import dev.bascule.run.Interruption;
import dev.bascule.run.Misuse;
import dev.bascule.run.Progress;
import dev.bascule.run.ServiceClasses;
import dev.bascule.workload.lauberhorn.DemoService;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A process that serves RPCs of a host in another process. */
@Command(name = "process", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Joins a running 'bascule lauberhorn serve --region DIR' as one more process, until that ends or Ctrl-C." }, footer = {
                "", "Examples:",
                "  bascule lauberhorn process --region /dev/shm/lauber --service my.SumsObject --service-path sums.jar" })
final class LauberhornProcess extends CommandBase {
    private static final long LOOK_MILLIS = 500;

    @Option(names = "--region", required = true, paramLabel = "DIR", description = "directory of the host")
    private Path region = Path.of(".");

    @Option(names = "--name", paramLabel = "NAME", description = "what it is called; default: its service")
    private @Nullable String name;

    @Option(names = "--service", paramLabel = "CLASS", description = "a service; for several, repeat it")
    private List<String> classes = new ArrayList<>();

    @Option(names = "--service-path", split = ":", paramLabel = "JAR|DIR", description = "jars and folders of classes, with colons between them, that have them")
    private List<Path> path = new ArrayList<>();

    @Range("0..")
    @Option(names = "--demo", paramLabel = "N", description = "a demonstration service instead: its number, from 0")
    private @Nullable Integer demo;

    @Override
    public Integer call() {
        List<JavaService> services = new ArrayList<>();
        classes.forEach(service -> services.addAll(ServiceClasses.load(service, path)));
        if (demo != null) {
            services.add(DemoService.number(demo));
        }
        if (services.isEmpty()) {
            throw new Misuse("name a service: --service CLASS, or --demo N");
        }
        String called = name != null ? name : demo != null ? "demo " + demo : String.join(",", classes);
        boolean[] stop = new boolean[1];
        try (ServiceProcess process = ServiceProcess.join(region, called, services,
                () -> IdleStrategy.spinThenYield(200));
                Interruption interruption = new Interruption(() -> stop[0] = true)) {
            new Progress(System.err).say(called + " is process " + process.number());
            while (!stop[0] && !process.awaitEnd(LOOK_MILLIS)) {
                // its threads work
            }
            return interruption.status(0);
        } catch (NativeException e) {
            throw new Failure("join " + region + ": " + e.errnoName() + "; start 'bascule lauberhorn serve --region "
                    + region + "' first");
        } catch (IllegalArgumentException e) {
            throw new Failure("join " + region + ": " + e.getMessage());
        }
    }

    /** The command line of a process that serves a class, or a demonstration if {@code ofClasses} is negative. */
    static List<String> words(String directory, String called, int ofClasses, int which, List<String> classes,
            List<Path> path) {
        List<String> words = new ArrayList<>(
                List.of("lauberhorn", "process", "--region", directory, "--name", called));
        if (ofClasses < 0) {
            words.addAll(List.of("--demo", Integer.toString(which)));
        } else {
            words.addAll(List.of("--service", classes.get(ofClasses)));
            if (!path.isEmpty()) {
                words.addAll(List.of("--service-path", path.stream().map(p -> p.toAbsolutePath().toString())
                        .collect(Collectors.joining(File.pathSeparator))));
            }
        }
        return words;
    }
}
