package dev.bascule.run;

import dev.bascule.agent.TierPolicy;
import dev.bascule.agent.memory.MemoryAgent;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.OwnThread;
import dev.bascule.ffi.Patience;
import dev.bascule.host.AgentLog;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.tier.TierLink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The memory agent: a thread of this process or a process of its own. One thread, but for the agent's. */
public final class TierAgents implements AutoCloseable {
    /** Longest rest of an agent that nothing comes for; periods are longer, and each waking costs. */
    public static final long MOST_NAP_NANOS = 64_000_000;
    private static final int MEASURE_ROUNDS = 20;
    private static final long END_NANOS = 3_000_000_000L;

    private final boolean isProcess;
    private final TierPolicy policy;
    private final int batches;
    private final List<String> words;
    private @Nullable Thread thread;
    private @Nullable Process process;
    private volatile boolean isEnding;
    private volatile long threadNanos;
    private volatile @Nullable Throwable thrown;
    private int starts;

    /** @param words arguments of the agent's process */
    public TierAgents(boolean isProcess, TierPolicy policy, int batches, List<String> words) {
        this.isProcess = isProcess;
        this.policy = policy;
        this.batches = batches;
        this.words = words;
    }

    boolean isProcess() {
        return isProcess;
    }

    /** @param directory where a process finds the link, and leaves what it prints */
    void start(TierLink link, Path directory) {
        starts++;
        if (process != null) {
            process.destroy(); // it may live, and be of no use any more
        }
        if (!isProcess) {
            MemoryAgent agent = link.agent(batches, policy);
            thread = OwnThread.of("tier-agent", () -> decide(agent));
            thread.start();
            return;
        }
        List<String> arguments = new ArrayList<>(List.of("tier", "--attach", directory.toString(), "--link",
                link.name(), "--key", link.key()));
        arguments.addAll(words);
        try {
            process = new ProcessBuilder(AgentProcess.ownCommand(JvmFlags.forAgent(), arguments))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve(AgentLog.FILE).toFile()))
                    .redirectInput(Path.of("/dev/null").toFile()).start();
        } catch (IOException e) {
            throw new UncheckedIOException("start the agent: " + e.getMessage(), e);
        }
    }

    private void decide(MemoryAgent agent) {
        try {
            Backoff backoff = new Backoff(MOST_NAP_NANOS);
            for (int round = 1; !isEnding; round++) {
                while (agent.doWork() > 0) {
                    backoff.worked();
                }
                if (round % MEASURE_ROUNDS == 0) {
                    threadNanos = Libc.threadCpuNanos();
                }
                backoff.rest();
            }
        } catch (RuntimeException | Error e) {
            thrown = e;
        }
        threadNanos = Libc.threadCpuNanos();
    }

    /** Failure of an agent that has ended, in words; null while the agent lives. */
    @Nullable
    String failure() {
        if (thrown != null) {
            return "the agent failed: " + thrown;
        }
        Process one = process;
        if (one == null || one.isAlive()) {
            return null;
        }
        return "the agent's process " + one.pid() + " ended with status " + one.exitValue();
    }

    /** Agents started so far. */
    int starts() {
        return starts;
    }

    /** CPU time of the agent at work, ns. */
    long cpuNanos() {
        Process one = process;
        return one == null
                ? threadNanos
                : one.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }

    @Override
    public void close() {
        isEnding = true;
        try {
            if (thread != null) {
                thread.join(END_NANOS / 1_000_000);
            }
            if (process != null) {
                process.destroy();
                if (!new Patience(END_NANOS).awaitEnd(process)) {
                    process.destroyForcibly();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
