package dev.bascule.host;

import dev.bascule.ffi.HeldProcess;
import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.Patience;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An agent as a process of its own: on a loopback device it stands for the SmartNIC's cores. Its output goes to a file
 * in the run directory, whose end is quoted if it dies.
 */
public final class AgentProcess implements AgentSupervisor {
    private static final int QUOTED_BYTES = 600;
    private static final int SIGQUIT = 3;
    private static final long LAST_NANOS = 1_000_000_000;
    private static final long DUMP_NANOS = 2_000_000_000;
    private static final String OWN_WORDS = "bascule: ";

    private final AgentLog log;
    private final AgentCpu cpu = new AgentCpu();
    private volatile List<String> command;
    private volatile @Nullable Process process;
    private volatile @Nullable Successor successor;
    private @Nullable Process retired;
    private volatile boolean expected;

    /** With the whole command line of the agent and the log for its output. */
    public AgentProcess(List<String> command, Path log) {
        this.command = List.copyOf(command);
        this.log = new AgentLog(log);
    }

    /**
     * The command that runs this program's {@code agent} with the same Java and class path as this process: by
     * {@code -jar} if this process was started so, since a start-up cache serves only processes started alike.
     *
     * @param jvmFlags flags of the agent's JVM
     */
    public static List<String> ownCommand(List<String> jvmFlags, List<String> arguments) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java));
        command.addAll(jvmFlags);
        command.addAll(program(System.getProperty("jdk.module.path"), System.getProperty("java.class.path")));
        command.addAll(arguments);
        return command;
    }

    static List<String> program(@Nullable String modules, String classes) {
        if (modules != null) {
            return List.of("--enable-native-access=dev.bascule", "-p", modules, "-m",
                    "dev.bascule/dev.bascule.cli.Main");
        }
        boolean isOneJar = classes.endsWith(".jar") && !classes.contains(File.pathSeparator);
        return isOneJar
                ? List.of("-jar", classes)
                : List.of("--enable-native-access=ALL-UNNAMED", "-cp", classes, "dev.bascule.cli.Main");
    }

    /** A process that is to take over, and the command that starts another like it. */
    private record Successor(Process process, List<String> command, Patience patience) {}

    @Override
    public void start() {
        recall();
        expected = false;
        process = launch(command);
    }

    /**
     * Starts the agent that is to take over from the one at work.
     *
     * @param takeOver its command
     * @param newCommand the command of the agents that replace it later
     * @throws IllegalStateException if one is about to take over already
     */
    public void upgrade(List<String> takeOver, List<String> newCommand) {
        if (successor != null) {
            throw new IllegalStateException("another upgrade is under way; wait for it");
        }
        successor = new Successor(launch(takeOver), List.copyOf(newCommand), new Patience(START_LIMIT_NANOS));
    }

    @Override
    public @Nullable String successorFailure() {
        Successor next = successor;
        if (next == null) {
            return null;
        }
        if (!next.process.isAlive()) {
            successor = null;
            return exitReport(next.process);
        }
        if (next.patience.isOver()) {
            recall();
            return "not ready within " + START_LIMIT_NANOS / 1_000_000_000 + " s of its start";
        }
        return null;
    }

    @Override
    public boolean isUpgrading() {
        return successor != null;
    }

    @Override
    public void succeeded() {
        Successor next = successor;
        Process before = process;
        if (next != null && before != null) {
            cpu.end(before);
            end(retired); // has had the time of a whole agent to end by itself
            retired = before;
            process = next.process;
            command = next.command;
            successor = null;
        }
    }

    @Override
    public void recall() {
        Successor next = successor;
        successor = null;
        end(next == null ? null : next.process);
    }

    private static void end(@Nullable Process process) {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    private Process launch(List<String> words) {
        try {
            return new ProcessBuilder(words).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.file().toFile()))
                    .redirectInput(ProcessBuilder.Redirect.PIPE).start();
        } catch (IOException e) {
            throw new UncheckedIOException("start agent process " + words.get(0) + ": " + e.getMessage()
                    + "; check that the command exists and may be executed", e);
        }
    }

    @Override
    public boolean hasExited() {
        Process current = process;
        return current != null && !expected && !current.isAlive();
    }

    @Override
    public void kill() {
        expected = true;
        Process current = process;
        if (current != null) {
            cpu.end(current);
            current.destroyForcibly();
            try {
                current.waitFor(2, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Kills the process behind the supervisor's back: a fault for experiments ({@code --kill-agent-at}). */
    public void crash() {
        Process current = process;
        if (current != null) {
            double unused = cpu.seconds(current); // the last look
            current.destroyForcibly();
        }
    }

    /** Process id of the running agent, or -1. */
    public long pid() {
        Process current = process;
        return current == null ? -1 : current.pid();
    }

    /** CPU time of all agents started so far, s; for those that died, to the kernel's clock tick of 10 ms. */
    public double cpuSeconds() {
        return cpu.seconds(expected ? null : process);
    }

    @Override
    public String exitReport() {
        Process current = process;
        return current == null || current.isAlive() ? "" : exitReport(current);
    }

    private String exitReport(Process current) {
        int status = current.exitValue();
        String how = status > 128 ? "killed by signal " + (status - 128) : "exit status " + status;
        String words = lastWords();
        boolean noProgram = words.contains("Could not find or load main class")
                || words.contains("Unable to access jarfile");
        return "agent process " + current.pid() + " " + how + words
                + (noProgram
                        ? "; the program's jar is gone from its class path, build it again: scripts/run --set-up"
                        : "");
    }

    /** A policy's failure is said in its own line, after its stack; else the end of what was printed. */
    private String lastWords() {
        String tail = log.tail(QUOTED_BYTES).strip();
        String last = tail.substring(tail.lastIndexOf('\n') + 1);
        if (isPolicys(last)) {
            return ": " + last.substring(OWN_WORDS.length()) + "; its stack is in " + log.file();
        }
        return tail.isEmpty() ? "" : ": " + tail;
    }

    private static boolean isPolicys(String line) {
        return line.startsWith(OWN_WORDS + "policy ");
    }

    @Override
    public @Nullable String policyFailure() {
        Process current = process;
        if (current == null || current.isAlive() || current.exitValue() > 128) {
            return null;
        }
        String tail = log.tail(QUOTED_BYTES).strip();
        String last = tail.substring(tail.lastIndexOf('\n') + 1);
        return isPolicys(last) ? last : null;
    }

    /** Asks the agent's JVM for a dump of its threads, which it prints to the log. */
    @Override
    public @Nullable AgentPlace whereabouts() {
        Process current = process;
        if (current == null || expected || !current.isAlive()) {
            return null;
        }
        if (isStopped(current.pid())) {
            return new AgentPlace("agent process " + current.pid() + " was stopped by a signal", false);
        }
        long before = log.length();
        try (HeldProcess held = HeldProcess.open(current.pid())) {
            if (held == null || !current.isAlive()) {
                return null; // gone meanwhile
            }
            held.signal(SIGQUIT);
        } catch (NativeException e) {
            return null; // gone meanwhile
        }
        Patience patience = new Patience(DUMP_NANOS);
        while (current.isAlive() && !patience.isOver()) {
            StackTraceElement[] stack = log.dumpedSince(before);
            if (stack != null) {
                return log.whereabouts(stack);
            }
            LockSupport.parkNanos(DUMP_NANOS / 200);
        }
        return null;
    }

    private static boolean isStopped(long pid) {
        try {
            String stat = KernelText.read(Path.of("/proc", Long.toString(pid), "stat"));
            return KernelText.statFields(stat)[0].equals("T");
        } catch (IOException e) {
            return false; // gone
        }
    }

    /** Asks the agent to end (its standard input closes, the region says stop), then kills it. */
    @Override
    public void close() {
        recall();
        end(retired);
        expected = true;
        Process current = process;
        if (current == null) {
            return;
        }
        try {
            current.getOutputStream().close();
            if (!new Patience(LAST_NANOS).awaitEnd(current)) {
                current.destroyForcibly().waitFor(2, TimeUnit.SECONDS);
            }
        } catch (IOException e) {
            current.destroyForcibly();
        } catch (InterruptedException e) {
            current.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
