package dev.bascule.run;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Outcome;
import dev.bascule.ffi.Patience;
import dev.bascule.host.AgentLog;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.AgentSupervisor;
import dev.bascule.host.CounterPage;
import dev.bascule.host.MachineTopology;
import dev.bascule.host.Session;
import dev.bascule.host.scx.ClassLeftovers;
import dev.bascule.host.scx.KernelCounters;
import dev.bascule.host.scx.KernelHost;
import dev.bascule.host.scx.KernelOptions;
import dev.bascule.host.scx.RuledProcess;
import dev.bascule.host.scx.RuledTasks;
import dev.bascule.memory.ScratchFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One run of {@code bascule kernel}: host and agent start, then the program, and all end with it. One thread. */
public final class KernelRun {
    private static final int CHANNEL_ENTRIES = 4096;
    private static final long LOOK_MILLIS = 20;
    private static final long PUBLISH_NANOS = 100_000_000;
    private static final long PROGRESS_NANOS = 2_000_000_000L;
    private static final long READY_NANOS = 60_000_000_000L;
    private static final long LAST_MILLIS = 3_000;

    private final KernelOptions options;
    private final MachineTopology machine;
    private final KernelAgents agents;
    private final Function<Session, AgentSupervisor> supervisor;
    private final List<String> command;
    private final boolean quiet;
    private final PrintWriter err;
    private volatile boolean isInterrupted;
    private @Nullable Process program;
    private @Nullable Process heir;
    private int said;
    private long publishedNanos = System.nanoTime();

    /** Run of a command under a policy. */
    public KernelRun(KernelOptions options, MachineTopology machine, KernelAgents agents, List<String> command,
            boolean quiet, PrintWriter err) {
        this(options, machine, agents, agents::over, command, quiet, err);
    }

    KernelRun(KernelOptions options, MachineTopology machine, KernelAgents agents,
            Function<Session, AgentSupervisor> supervisor, List<String> command, boolean quiet, PrintWriter err) {
        this.supervisor = supervisor;
        this.options = options;
        this.machine = machine;
        this.agents = agents;
        this.command = command;
        this.quiet = quiet;
        this.err = err;
    }

    /** Returns the exit status: the program's, if there is one. */
    public int run() throws InterruptedException {
        EnclaveShape shape = new EnclaveShape(machine.cpus().size(), options.tasks(), 1, CHANNEL_ENTRIES, 1,
                machine.topology());
        if (!machine.note().isEmpty()) {
            say(machine.note());
        }
        try (Interruption interruption = new Interruption(() -> isInterrupted = true)) {
            takeOut("a scheduler before had left in its class");
            try {
                rule(shape);
            } finally {
                takeOut("are left are back in the kernel's own class");
                if (heir != null) {
                    heir.destroyForcibly(); // nothing is left to it
                }
            }
            return interruption.status(program == null ? 0 : leave(program));
        }
    }

    /**
     * Starts a process that outlives this one, however this one ends, and takes out of the class whom it has left
     * there: it waits until its standard input closes, whose other end no further process has.
     */
    private static Process startHeir() {
        List<String> words = AgentProcess.ownCommand(JvmFlags.forAgent(),
                List.of("kernel", "--outlive", Long.toString(ProcessHandle.current().pid())));
        try {
            return new ProcessBuilder(words).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        } catch (IOException e) {
            throw new UncheckedIOException("start " + words.getFirst() + ", which is to outlive this command: "
                    + e.getMessage() + "; check that it exists and may be executed", e);
        }
    }

    /** Nobody stays in the class, where the next scheduler would find him. */
    private void takeOut(String which) {
        int count = ClassLeftovers.takeOut();
        if (count > 0 && !quiet) {
            say(count + " threads that " + which);
        }
    }

    /** Failures once there is a program end the ruling, not the program. */
    private void rule(EnclaveShape shape) throws InterruptedException {
        try (ScratchFolder folder = Session.newRunDirectory();
                CounterPage page = CounterPage.create(folder.path(), "kernel " + agents.transport());
                KernelHost host = KernelHost.start(folder.path(), agents.far(), shape, options, supervisor)) {
            try {
                rule(host, page);
            } finally {
                AgentLog.keepIn(folder);
            }
        } catch (RuntimeException | Error e) {
            Process left = program;
            if (left == null) {
                throw e;
            }
            int unused = Errors.report(e, err);
            say("the agent rules no more; " + command.getFirst() + " (process " + left.pid()
                    + ") goes on under the kernel's own scheduler");
        }
    }

    private void rule(KernelHost host, CounterPage page) throws InterruptedException {
        awaitAgent(host);
        heir = startHeir();
        try (RuledTasks tasks = new RuledTasks(options.processes(), options.groups())) {
            tasks.begin();
            Process started = command.isEmpty() || isInterrupted
                    ? null
                    : RuledProcess.start(UserProgram.of(command)::start);
            program = started;
            while (!isInterrupted && (started == null
                    ? goesOn(tasks)
                    : !started.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS))) {
                tasks.look();
                look(host, page);
            }
        }
        sayIncidents(host);
        if (!quiet) {
            say(summary(host));
        }
    }

    private boolean goesOn(RuledTasks tasks) throws InterruptedException {
        Thread.sleep(LOOK_MILLIS);
        return options.whole() || tasks.isWorthwhile();
    }

    /** Ctrl-C: the program got it as well, if it is of the same terminal; ruled it is no more. */
    private int leave(Process started) throws InterruptedException {
        if (!isInterrupted) {
            return started.waitFor();
        }
        boolean ended = started.waitFor(LAST_MILLIS, TimeUnit.MILLISECONDS);
        if (!ended) {
            say("interrupted; " + command.getFirst() + " (process " + started.pid()
                    + ") goes on under the kernel's own scheduler");
        }
        return ended ? started.exitValue() : Errors.INTERRUPTED;
    }

    /** The program begins under its agent, unless that takes too long. */
    private void awaitAgent(KernelHost host) throws InterruptedException {
        Patience patience = new Patience(READY_NANOS);
        long start = System.nanoTime();
        boolean isTold = quiet;
        while (!host.isAgentReady() && host.isAgentExpected() && !isInterrupted
                && !patience.isOver()) {
            Thread.sleep(1);
            host.check();
            sayIncidents(host);
            if (!isTold && System.nanoTime() - start > PROGRESS_NANOS) {
                isTold = true;
                say("waiting for the agent to start, a minute at most");
            }
        }
        if (!host.isAgentReady() && !isInterrupted) {
            say("no agent yet; the kernel's side decides until there is one");
        } else if (isTold && !quiet && !isInterrupted) {
            say("the agent has started"); // else what takes long afterwards looks like its fault
        }
    }

    private void look(KernelHost host, CounterPage page) {
        host.check();
        sayIncidents(host);
        long now = System.nanoTime();
        if (now - publishedNanos > PUBLISH_NANOS) {
            publishedNanos = now;
            KernelPublisher.publish(host, machine.cpus().size(), page);
        }
    }

    private void sayIncidents(KernelHost host) {
        List<String> all = host.incidents();
        for (; said < all.size(); said++) {
            say(all.get(said));
        }
    }

    private void say(String what) {
        err.println("bascule: " + what);
        err.flush();
    }

    private String summary(KernelHost host) {
        KernelCounters counters = host.counters();
        String by = counters.localDecisions() == 0
                ? "none"
                : counters.localDecisions() + " (" + counters.late() + " for a late agent, " + counters.starved()
                        + " for threads that starved" + (counters.lent() == 0
                                ? ""
                                : ", " + counters.lent()
                                        + " on CPUs that threads of the kernel's own classes keep")
                        + ")";
        return "%s over %s on CPUs %s: %d switches; %d decisions in force, %d too late, %d refused; %s by the kernel's side%s%s"
                .formatted(agents.policy(), agents.transport(), machine.cpus(), counters.switches(),
                        counters.count(Outcome.COMPLETE), counters.stale(),
                        counters.decisions() - counters.count(Outcome.COMPLETE) - counters.stale(), by,
                        unasked(counters), window(counters));
    }

    private String unasked(KernelCounters counters) {
        return (counters.turnedAway() == 0
                ? ""
                : "; " + counters.turnedAway() + " times a thread came that nobody had asked for, and was not ruled")
                + (counters.noNumber() == 0
                        ? ""
                        : "; " + counters.noNumber() + " times a thread found every number taken: --tasks above "
                                + options.tasks());
    }

    private static String window(KernelCounters counters) {
        return counters.count(Outcome.COMPLETE) == 0
                ? ""
                : "; from observation to enforcement, on the kernel's clock: half below %.1f us, 99 %% below %.1f us"
                        .formatted(counters.windowNanos(0.5) / 1e3, counters.windowNanos(0.99) / 1e3);
    }
}
