package dev.bascule.cli;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Outcome;
import dev.bascule.host.AgentLog;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.AgentSupervisor;
import dev.bascule.host.LocalSession;
import dev.bascule.host.SwapSession;
import dev.bascule.host.ThreadAgent;
import dev.bascule.host.TransportSession;
import dev.bascule.host.WaveSession;
import dev.bascule.host.scx.KernelCounters;
import dev.bascule.host.scx.KernelHost;
import dev.bascule.host.scx.KernelOptions;
import dev.bascule.host.scx.RuledProcess;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.registry.Durations;
import dev.bascule.ring.IdleStrategy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Real threads on real CPUs under an agent. */
@Command(name = "kernel", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Runs a program, and its children, with an agent that decides which of their threads runs on which CPU: real "
                + "threads of this machine, through the kernel's sched_ext (Linux 6.12 and newer, root).",
        "When the program ends, so does this command, with its exit status. When the agent fails, the kernel's side goes on "
                + "by itself until another has started; when this command is killed, the threads go on under the kernel's "
                + "own scheduler." }, footer = { "", "Examples:", "  bascule kernel --policy fifo -- make -j8",
                        "  bascule kernel --policy shinjuku --cpus 0-1 -- ./server --threads 64",
                        "  bascule kernel --policy round-robin --policy-option quantum=2ms --transport wave -- hackbench" })
final class KernelCommand extends CommandBase {
    private static final long NAP_NANOS = 50_000;
    private static final long LOOK_MILLIS = 20;
    private static final long READY_NANOS = 20_000_000_000L;

    @Mixin
    private PolicyOption policy = new PolicyOption();

    @Option(names = "--cpus", paramLabel = "LIST", description = "CPUs that the agent decides for, as 0-3,8; default: all of this machine, up to 64")
    private @Nullable String cpus;

    @Option(names = "--transport", defaultValue = LocalSession.NAME, paramLabel = "NAME", description = "how agent and kernel talk: on-host (memory that both share), wave or swap (as if the agent were on a NIC); default ${DEFAULT-VALUE}")
    private String transport = LocalSession.NAME;

    @Option(names = "--in-process", description = "the agent is a thread of this process instead of a process of its own")
    private boolean inProcess;

    @Option(names = "--soft", defaultValue = "10ms", paramLabel = "TIME", description = "a CPU that waited longer for a decision decides by itself; default ${DEFAULT-VALUE}")
    private String soft = "10ms";

    @Option(names = "--hard", defaultValue = "500ms", paramLabel = "TIME", description = "an agent that is silent longer is replaced; default ${DEFAULT-VALUE}")
    private String hard = "500ms";

    @Option(names = "--starvation", defaultValue = "1s", paramLabel = "TIME", description = "a thread that waited longer runs, whatever the agent decides; default ${DEFAULT-VALUE}")
    private String starvation = "1s";

    @Option(names = "--tasks", defaultValue = "4096", paramLabel = "N", description = "threads that can be ruled at a time; those beyond run as if nobody ruled; default ${DEFAULT-VALUE}")
    private int tasks = 4096;

    @Option(names = "--quiet", description = "no summary at the end")
    private boolean quiet;

    @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "program with its arguments, after --")
    private List<String> command = List.of();

    @Override
    public Integer call() throws InterruptedException {
        policy.spec().factory(); // what is wrong with it is said before anything starts
        List<Integer> ruled = CpuSet.parse(cpus == null ? allCpus() : cpus);
        KernelOptions options = new KernelOptions(ruled, tasks, Durations.parseNanos(soft), Durations.parseNanos(hard),
                Durations.parseNanos(starvation), false, false);
        EnclaveShape shape = new EnclaveShape(ruled.size(), tasks, 1, 4096, 1);
        try (ScratchFolder folder = LocalSession.newRunDirectory();
                KernelHost host = KernelHost.start(folder.path(), far(), shape, options, this::agent)) {
            try {
                return rule(host);
            } finally {
                AgentLog.keepIn(folder);
            }
        }
    }

    private int rule(KernelHost host) throws InterruptedException {
        int said = awaitAgent(host);
        Process program = RuledProcess.start(new ProcessBuilder(command).inheritIO());
        boolean lives = true;
        while (lives) {
            lives = !program.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            said = say(host.incidents(), said);
        }
        if (!quiet) {
            err().println(summary(host));
            err().flush();
        }
        return program.exitValue();
    }

    /** The program begins under its agent, unless that takes too long. */
    private int awaitAgent(KernelHost host) throws InterruptedException {
        int said = 0;
        long deadline = System.nanoTime() + READY_NANOS;
        while (!host.isAgentReady() && host.isAgentExpected() && System.nanoTime() < deadline) {
            Thread.sleep(1);
            said = say(host.incidents(), said);
        }
        if (!host.isAgentReady()) {
            err().println("bascule: no agent yet; the kernel's side decides until there is one");
        }
        return said;
    }

    private int say(List<String> incidents, int said) {
        for (String incident : incidents.subList(said, incidents.size())) {
            err().println("bascule: " + incident);
            err().flush();
        }
        return incidents.size();
    }

    private String summary(KernelHost host) {
        KernelCounters counters = host.counters();
        return "bascule: %s over %s: %d switches, %d decisions in force, %d too late, %d refused, %d made by the kernel's side, %d starved; window p50 < %d us, p99 < %d us"
                .formatted(policy.spec(), transport, counters.switches(), counters.count(Outcome.COMPLETE),
                        counters.stale(), counters.decisions() - counters.count(Outcome.COMPLETE) - counters.stale(),
                        counters.localDecisions(), counters.starved(), counters.windowNanos(0.5) / 1000,
                        counters.windowNanos(0.99) / 1000);
    }

    private static String allCpus() {
        try {
            return Files.readString(Path.of("/sys/devices/system/cpu/online"));
        } catch (IOException e) {
            throw new UncheckedIOException("read which CPUs are online: " + e.getMessage() + "; name them: --cpus 0-1",
                    e);
        }
    }

    private @Nullable Function<Path, TransportSession> far() {
        return switch (transport) {
            case LocalSession.NAME -> null;
            case WaveSession.NAME -> directory -> new WaveSession(directory, WaveSession.Setup.DEFAULT, false);
            case SwapSession.NAME -> directory -> new SwapSession(directory, SwapSession.Setup.DEFAULT, false);
            default -> throw new Failure("no transport is called '" + transport + "'; there are "
                    + String.join(", ", Transports.NAMES));
        };
    }

    private AgentSupervisor agent(TransportSession session) {
        boolean isFar = !transport.equals(LocalSession.NAME);
        if (inProcess) {
            return new ThreadAgent(session, policy.spec().factory(),
                    () -> isFar ? IdleStrategy.spinThenPark(AgentCommand.SPINS, NAP_NANOS) : session.idle());
        }
        List<String> arguments = new ArrayList<>(List.of("agent", "--child", "--attach",
                session.directory().toString(), "--transport", session.name()));
        arguments.addAll(policy.spec().arguments());
        if (isFar) {
            arguments.addAll(List.of("--nap", NAP_NANOS / 1000 + "us"));
        }
        return new AgentProcess(AgentProcess.ownCommand(JvmFlags.forAgent(), arguments),
                session.directory().resolve(AgentLog.FILE));
    }
}
