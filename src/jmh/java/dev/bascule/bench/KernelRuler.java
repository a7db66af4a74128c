package dev.bascule.bench;

import com.sun.management.ThreadMXBean;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Outcome;
import dev.bascule.ffi.BpfObject;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.AgentSupervisor;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.Session;
import dev.bascule.host.ThreadAgent;
import dev.bascule.host.scx.KernelCounters;
import dev.bascule.host.scx.KernelHost;
import dev.bascule.host.scx.KernelOptions;
import dev.bascule.host.scx.KernelState;
import dev.bascule.host.scx.RuledProcess;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.IdleStrategy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who decides which thread runs, for {@link KernelLabMain}; the policy is first in, first out, but for the kernel's own. */
enum KernelRuler {
    DEFAULT("default", null), BPF("bpf-fifo", null), TWIN("c-agent", null), LOCAL("on-host", null), CALLS("calls",
            null), WAVE("wave",
                    directory -> Session.wave(directory, LinkSetup.DEFAULT, false)), SWAP("swap",
                            directory -> Session.swap(directory, LinkSetup.DEFAULT, false));

    private static final long SECOND = 1_000_000_000;
    private static final long NAP_NANOS = 50_000;

    final String text;
    private final @Nullable Function<Path, Session> far;

    KernelRuler(String text, @Nullable Function<Path, Session> far) {
        this.text = text;
        this.far = far;
    }

    /** At work until it is closed. */
    interface Rule extends AutoCloseable {
        /** Starts a program under it. */
        Process start(ProcessBuilder program) throws IOException, InterruptedException;

        /** How many decisions were not the agent's; 0 where there is none. */
        long localDecisions();

        /** Counts of the kernel's side so far; null where there is none. */
        default @Nullable KernelCounters counters() {
            return null;
        }

        /** Time of a CPU that the agent's thread has taken, ns; 0 where there is none. */
        default long agentNanos() {
            return 0;
        }

        /** Bytes that the agent's thread has allocated for a decision in force; NaN where it is no thread of this JVM. */
        default double bytesPerDecision() {
            return Double.NaN;
        }

        @Override
        void close();
    }

    /**
     * Puts it to work.
     *
     * @param programs folder of the BPF object of bpf-fifo and of the C twin of our agent
     */
    Rule begin(List<Integer> cpus, Path programs) throws InterruptedException {
        return switch (this) {
            case DEFAULT -> new Own();
            case BPF -> new Bpf(programs.resolve("fifo.bpf.o"));
            case TWIN -> new ByAgent(cpus, null, session -> new AgentProcess(
                    List.of(programs.resolve("agent").toString(), session.directory().toString()),
                    session.directory().resolve("agent.log")));
            case LOCAL -> new ByAgent(cpus, null,
                    session -> new ThreadAgent(session, FifoAgent::new, AgentThread.idle(session::idle)));
            case CALLS -> new ByAgent(cpus, null,
                    session -> new ThreadAgent(() -> KernelCalls.attach(session.directory()), FifoAgent::new,
                            AgentThread.idle(session::idle)));
            case WAVE, SWAP -> new ByAgent(cpus, far, session -> new ThreadAgent(session, FifoAgent::new,
                    AgentThread.idle(() -> IdleStrategy.spinThenPark(64, NAP_NANOS))));
        };
    }

    private record Own() implements Rule {
        @Override
        public Process start(ProcessBuilder program) throws IOException {
            return program.start();
        }

        @Override
        public long localDecisions() {
            return 0;
        }

        @Override
        public void close() {}
    }

    private static final class Bpf implements Rule {
        private final BpfObject object;
        private final BpfObject.Link link;

        Bpf(Path fifo) {
            object = BpfObject.open(fifo);
            object.load();
            link = object.map("fifo").attach(() -> KernelState.scheduler() + " has the machine");
        }

        @Override
        public Process start(ProcessBuilder program) throws InterruptedException {
            return RuledProcess.start(program::start);
        }

        @Override
        public long localDecisions() {
            return 0;
        }

        @Override
        public void close() {
            link.close();
            object.close();
        }
    }

    /** The thread that asked last how to wait: the agent's. */
    private static final class AgentThread {
        private static volatile long id;

        static Supplier<IdleStrategy> idle(Supplier<IdleStrategy> how) {
            return () -> {
                id = Thread.currentThread().threadId();
                return how.get();
            };
        }

        static long cpuNanos() {
            return ManagementFactory.getThreadMXBean().getThreadCpuTime(id);
        }

        static long allocatedBytes() {
            return id == 0
                    ? 0
                    : ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getThreadAllocatedBytes(id);
        }
    }

    /** With limits that an agent meets on an emulated machine, too: what is measured is the agent. */
    private static final class ByAgent implements Rule {
        private final ScratchFolder folder = Session.newRunDirectory();
        private final KernelHost host;
        private final long atStart;
        private final long bytesAtStart;
        private final long decisionsAtStart;

        ByAgent(List<Integer> cpus, @Nullable Function<Path, Session> far,
                Function<Session, AgentSupervisor> supervisor) throws InterruptedException {
            AgentThread.id = 0;
            EnclaveShape shape = new EnclaveShape(cpus.size(), 4096, 1, 4096, 1);
            KernelOptions options = new KernelOptions(cpus, 4096, SECOND, 10 * SECOND, 12 * SECOND, false, false);
            host = KernelHost.start(folder.path(), far, shape, options, supervisor);
            long deadline = System.nanoTime() + 60 * SECOND;
            while (!host.isAgentReady()) {
                if (System.nanoTime() > deadline) {
                    close();
                    throw new IllegalStateException("no agent after a minute: " + host.incidents());
                }
                Thread.sleep(5);
            }
            atStart = host.counters().localDecisions();
            decisionsAtStart = host.counters().count(Outcome.COMPLETE);
            bytesAtStart = AgentThread.allocatedBytes();
        }

        @Override
        public KernelCounters counters() {
            return host.counters();
        }

        @Override
        public long agentNanos() {
            return AgentThread.id == 0 ? twinNanos() : AgentThread.cpuNanos();
        }

        /** Of the process that is the C twin, which has one thread. */
        private static long twinNanos() {
            return ProcessHandle.current().children()
                    .filter(child -> child.info().command().filter(name -> name.endsWith("/native/agent")).isPresent())
                    .mapToLong(child -> {
                        try {
                            return Long.parseLong(
                                    Files.readString(Path.of("/proc/" + child.pid() + "/schedstat")).split(" ")[0]);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }).sum();
        }

        @Override
        public double bytesPerDecision() {
            long decisions = host.counters().count(Outcome.COMPLETE) - decisionsAtStart;
            return AgentThread.id == 0
                    ? Double.NaN
                    : (double) (AgentThread.allocatedBytes() - bytesAtStart) / decisions;
        }

        @Override
        public Process start(ProcessBuilder program) throws InterruptedException {
            return RuledProcess.start(program::start);
        }

        @Override
        public long localDecisions() {
            return host.counters().localDecisions() - atStart;
        }

        @Override
        public void close() {
            host.close();
            folder.close();
        }
    }
}
