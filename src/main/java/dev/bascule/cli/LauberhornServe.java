package dev.bascule.cli;

import dev.bascule.ffi.Patience;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.host.lauberhorn.LauberhornHost;
import dev.bascule.host.lauberhorn.LauberhornOptions;
import dev.bascule.host.lauberhorn.RpcProcess;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.registry.Durations;
import dev.bascule.run.Errors;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.run.Progress;
import dev.bascule.run.Running;
import dev.bascule.run.ServiceClasses;
import dev.bascule.run.Summary;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.RpcBind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves RPCs until it is told to stop. */
@Command(name = "serve", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Serves ONC RPC calls (RFC 5531, UDP) by Java services behind a model of Lauberhorn's NIC, until Ctrl-C.",
        "Without --service, demonstration services: work, add, echo and greet. A port mapper answers at port 111 of a TAP "
                + "interface, so that rpcinfo finds them." }, footer = { "", "Examples:",
                        "  bascule lauberhorn serve --udp 7000",
                        "  bascule lauberhorn serve --wire tap:lauber0 --address 10.7.0.1    # as root",
                        "  bascule lauberhorn serve --udp 7000 --services 4 --processes",
                        "  bascule lauberhorn serve --udp 7000 --cores 4 --least-cores 1",
                        "  bascule lauberhorn serve --udp 7000 --service my.SumsObject --service-path sums.jar",
                        "  bascule lauberhorn serve --udp 7000 --policy shinjuku --policy-option quantum=100us", "",
                        "A service of your own is a class with an interface that has @RpcProgram and @RpcProcedure." })
final class LauberhornServe extends CommandBase {
    private static final long LAST_NANOS = 5_000_000_000L;
    private static final long LOOK_NANOS = 20_000_000;
    private static final long JOIN_NANOS = 60_000_000_000L;

    @Mixin
    private LauberhornMachine machine = new LauberhornMachine();

    @Mixin
    private RpcWire wire = new RpcWire();

    @Range("0..")
    @Option(names = "--services", defaultValue = "1", paramLabel = "N", description = "demonstration services, each a process; programs 0x20004c42 and up; default ${DEFAULT-VALUE}")
    private int services;

    @Option(names = "--service", paramLabel = "CLASS", description = "a service of your own, in a process of its own; for several, repeat it")
    private List<String> classes = new ArrayList<>();

    @Option(names = "--service-path", split = ":", paramLabel = "JAR|DIR", description = "jars and folders of classes, with colons between them, that have them")
    private List<Path> servicePath = new ArrayList<>();

    @Option(names = "--processes", description = "each service in a process of the operating system; default: threads of this one")
    private boolean processes;

    @Option(names = "--region", paramLabel = "DIR", description = "where processes join: 'bascule lauberhorn process --region DIR' adds one by hand; default with --processes: a temporary one")
    private @Nullable Path region;

    @Option(names = "--restart", description = "with --processes: start a process again that ended")
    private boolean restart;

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time; default: with Ctrl-C")
    private String duration = "0s";

    @Option(names = "--json", description = "print one JSON document at the end")
    private boolean json;

    private final List<Child> children = new ArrayList<>();

    /** A process that was started here. */
    private static final class Child {
        final String name;
        final List<String> words;
        Process process;

        Child(String name, List<String> words) {
            this.name = name;
            this.words = words;
            process = launch(words);
        }

        static Process launch(List<String> words) {
            try {
                return new ProcessBuilder(AgentProcess.ownCommand(List.of("-XX:+UseSerialGC", "-Xmx64m"), words))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException("start a service's process: " + e.getMessage(), e);
            }
        }
    }

    @Override
    public Integer call() throws IOException {
        Progress progress = new Progress(System.err);
        int count = classes.isEmpty() ? services : classes.size();
        if (machine.isPinned() && processes) {
            throw new Misuse("--pin binds threads of this process, and --processes serves in others: leave one of them"
                    + " out, or start 'bascule lauberhorn process' by hand with taskset -c CPU");
        }
        LauberhornOptions options = machine.options();
        try (ScratchFolder scratch = region == null && processes
                ? ScratchFolder.create(Path.of("/dev/shm"), "bascule-lauberhorn-")
                : null) {
            Path directory = scratch != null ? scratch.path() : region;
            options = directory == null ? options : options.withDirectory(directory);
            RpcWire.Place place = wire.open();
            try (WireEnd open = place.wire();
                    LauberhornHost host = LauberhornHost.start(machine.config(Math.max(16, count + 2)), place.address(),
                            open, options)) {
                start(host, place.address(), directory);
                progress.say(place.words() + "; " + host.processes().size() + " processes, "
                        + machine.coreWords() + ", policy " + machine.policy());
                return serve(host, open, progress);
            } finally {
                endChildren();
            }
        }
    }

    private void start(LauberhornHost host, NicAddress nic, @Nullable Path directory) {
        host.startProcess("rpcbind", RpcBind.services(nic.ipv4(), (program, version) -> port(host, nic, program)));
        for (int which = 0; which < (classes.isEmpty() ? services : classes.size()); which++) {
            String name = classes.isEmpty() ? "demo " + which : classes.get(which);
            if (processes) {
                children.add(new Child(name, LauberhornProcess.words(String.valueOf(directory), name,
                        classes.isEmpty() ? -1 : which, which, classes, servicePath)));
                awaitJoin(host, 2 + which);
            } else {
                JavaService service = classes.isEmpty()
                        ? DemoService.number(which)
                        : ServiceClasses.load(classes.get(which), servicePath).getFirst();
                host.startProcess(name, service);
            }
        }
    }

    private void awaitJoin(LauberhornHost host, int wanted) {
        Patience patience = new Patience(JOIN_NANOS);
        Child child = children.getLast();
        while (host.processes().size() < wanted) {
            LockSupport.parkNanos(LOOK_NANOS);
            if (!child.process.isAlive()) {
                throw new Failure("the process of " + child.name + " ended with status " + child.process.exitValue()
                        + " before it joined");
            }
            if (patience.isOver()) {
                throw new Failure("the process of " + child.name + " did not join within a minute");
            }
        }
    }

    private static int port(LauberhornHost host, NicAddress nic, int program) {
        boolean known = host.processes().stream().flatMap(process -> process.services().stream())
                .anyMatch(service -> service.program() == program);
        return known ? RpcWire.port(nic) : 0;
    }

    private int serve(LauberhornHost host, WireEnd front, Progress progress) {
        long[] last = new long[1];
        Runnable check = () -> {
            front.check();
            look(host, progress);
        };
        try (Running running = new Running(Durations.parseNanos(duration), check, () -> state(host, last))) {
            running.until(() -> host.failure() != null, () -> {
                LockSupport.parkNanos(LOOK_NANOS);
                return 0;
            });
            Summary summary = new Summary();
            LauberhornMachine.describe(host, summary);
            summary.print(out(), json);
            return running.status(host.failure() == null ? 0 : Errors.FAILED);
        }
    }

    private void look(LauberhornHost host, Progress progress) {
        for (Child child : children) {
            if (restart && !child.process.isAlive() && host.processes().stream().map(RpcProcess::name)
                    .noneMatch(child.name::equals)) {
                progress.say("process of " + child.name + " ended with status " + child.process.exitValue()
                        + "; started again");
                child.process = Child.launch(child.words);
            }
        }
    }

    private static String state(LauberhornHost host, long[] last) {
        long answered = host.counters().get(Total.ANSWERED);
        String line = "answered %,d (%,d in two seconds), refused %,d, %d of %d cores".formatted(answered,
                answered - last[0], host.counters().get(Total.REFUSED), host.coreUse().now(), host.config().cores());
        last[0] = answered;
        return line;
    }

    private void endChildren() {
        for (Child child : children) {
            try {
                if (!new Patience(LAST_NANOS).awaitEnd(child.process)) {
                    child.process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                child.process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
