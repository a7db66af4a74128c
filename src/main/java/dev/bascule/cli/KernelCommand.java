package dev.bascule.cli;

import dev.bascule.doctor.KernelChecks;
import dev.bascule.doctor.Machine;
import dev.bascule.host.MachineTopology;
import dev.bascule.host.scx.ClassLeftovers;
import dev.bascule.host.scx.KernelOptions;
import dev.bascule.local.LocalProtocol;
import dev.bascule.registry.Durations;
import dev.bascule.run.CpuSet;
import dev.bascule.run.Failure;
import dev.bascule.run.KernelAgents;
import dev.bascule.run.KernelRun;
import dev.bascule.run.Misuse;
import dev.bascule.run.RunAgents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Real threads on real CPUs under an agent. */
@Command(name = "kernel", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Runs a program, and its children, with an agent that decides which of their threads runs on which CPU: real "
                + "threads of this machine, through the kernel's sched_ext (Linux 6.13 and newer, root). Or rules what runs "
                + "already (--pid, --cgroup), until Ctrl-C.",
        "When the program ends, so does this command, with its exit status. When the agent fails, the kernel's side goes on "
                + "by itself until another has started; when this command ends, by Ctrl-C or SIGKILL, the threads go on under "
                + "the kernel's own scheduler." }, footer = { "", "Examples:",
                        "  bascule kernel --policy fifo -- make -j8",
                        "  bascule kernel --policy shinjuku --cpus 0-1 -- ./server --threads 64",
                        "  bascule kernel --policy darc --policy-option work=1:100 --class get=get-* --class range=range-* -- ./db",
                        "  bascule kernel --policy round-robin --policy-option quantum=2ms --transport wave -- hackbench",
                        "  bascule kernel --policy cfs --pid 1234 --pid 1300",
                        "  bascule kernel --policy shinjuku-best-effort --class batch:255=/sys/fs/cgroup/compile --cgroup"
                                + " /sys/fs/cgroup/compile --cgroup /sys/fs/cgroup/player",
                        "  bascule kernel --policy cfs --whole-machine",
                        "", "What rules now: bascule top. What is missing: bascule doctor." })
final class KernelCommand extends CommandBase {
    @Mixin
    private PolicyOption policy = new PolicyOption();

    @Option(names = "--cpus", paramLabel = "LIST", description = "CPUs that the agent decides for, as 0-3,8; default: all of this machine, up to 64")
    private @Nullable String cpus;

    @Option(names = "--transport", defaultValue = LocalProtocol.NAME, paramLabel = "NAME", description = "how agent and kernel talk: on-host (memory that both share), wave or swap (as if the agent were on a NIC); default ${DEFAULT-VALUE}")
    private String transport = LocalProtocol.NAME;

    @Option(names = "--in-process", description = "the agent is a thread of this process instead of a process of its own")
    private boolean inProcess;

    @Option(names = "--class", paramLabel = "NAME[:N]=PATTERN", description = "class that the policy is told: threads with such a name (get-*), in a cgroup (/sys/fs/cgroup/batch) or of a priority (nice:10..19); the first that fits, for several repeat it. Numbers from 0 on in the order of the names, unless N is given; threads that none fits are of class 0")
    private List<String> classes = new ArrayList<>();

    @Range("1..2147483647")
    @Option(names = "--pid", paramLabel = "PID", description = "a process that runs already; for several repeat it")
    private List<Long> processes = new ArrayList<>();

    @Option(names = "--cgroup", paramLabel = "DIR", description = "a cgroup (version 2) with those below it, and what comes into it; for several repeat it")
    private List<Path> groups = new ArrayList<>();

    @Option(names = "--whole-machine", description = "every thread of this machine but the kernel's, the agent's and this command's")
    private boolean whole;

    @Option(names = "--ticks", description = "the policy gets a message for each tick of a CPU that runs a ruled thread")
    private boolean ticks;

    @Range("1ns..")
    @Option(names = "--soft", defaultValue = "10ms", paramLabel = "TIME", description = "a CPU that waited longer for a decision decides by itself; default ${DEFAULT-VALUE}")
    private String soft = "10ms";

    @Range("1ns..")
    @Option(names = "--hard", defaultValue = "500ms", paramLabel = "TIME", description = "an agent that is silent longer is replaced; default ${DEFAULT-VALUE}")
    private String hard = "500ms";

    @Range("2ms..15s")
    @Option(names = "--starvation", defaultValue = "1s", paramLabel = "TIME", description = "a thread that waited longer runs, whatever the agent decides; default ${DEFAULT-VALUE}")
    private String starvation = "1s";

    @Range("1..")
    @Option(names = "--tasks", defaultValue = "65536", paramLabel = "N", description = "threads that can be ruled at a time; those beyond take turns with these until one of them has ended; the table grows with them; default ${DEFAULT-VALUE}")
    private int tasks = 65_536;

    @Range("0..")
    @Option(names = "--outlive", hidden = true, description = "takes out of the class what this process leaves")
    private long outlived;

    @Option(names = "--quiet", description = "no summary at the end")
    private boolean quiet;

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "program with its arguments, after --")
    private List<String> command = List.of();

    @Override
    public Integer call() throws InterruptedException, IOException {
        if (outlived > 0) {
            ClassLeftovers.takeOutAfter(System.in, outlived);
            return 0;
        }
        if (command.isEmpty() && processes.isEmpty() && groups.isEmpty() && !whole) {
            throw new Misuse("nothing to rule: name a program after --, or --pid, --cgroup or --whole-machine");
        }
        RunAgents.checked(policy.spec()); // what is wrong with it is said before anything starts
        String objection = KernelChecks.objection(Machine.real(), whole, !processes.isEmpty());
        if (!objection.isEmpty()) {
            throw new Failure(objection);
        }
        MachineTopology machine = MachineTopology.of(CpuSet.parse("--cpus", cpus == null ? allCpus() : cpus));
        KernelOptions options = Misuse.reading("kernel",
                () -> new KernelOptions(machine.cpus(), tasks,
                        Durations.parseNanos(soft), Durations.parseNanos(hard), Durations.parseNanos(starvation), whole,
                        ticks)
                        .withClasses(classes).withRuled(processes, groups));
        KernelAgents agents = new KernelAgents(policy.spec(), transport, inProcess);
        return new KernelRun(options, machine, agents, command, quiet, err()).run();
    }

    private static String allCpus() {
        try {
            return Files.readString(Path.of("/sys/devices/system/cpu/online"));
        } catch (IOException e) {
            throw new UncheckedIOException("read which CPUs are online: " + e.getMessage() + "; name them: --cpus 0-1",
                    e);
        }
    }
}
