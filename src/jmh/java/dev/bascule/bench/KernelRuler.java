package dev.bascule.bench;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.ffi.BpfObject;
import dev.bascule.host.LocalSession;
import dev.bascule.host.SwapSession;
import dev.bascule.host.ThreadAgent;
import dev.bascule.host.TransportSession;
import dev.bascule.host.WaveSession;
import dev.bascule.host.scx.KernelHost;
import dev.bascule.host.scx.KernelOptions;
import dev.bascule.host.scx.KernelState;
import dev.bascule.host.scx.RuledProcess;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.IdleStrategy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Who decides which thread runs, for {@link KernelLabMain}; the policy is first in, first out, but for the kernel's own. */
enum KernelRuler {
    DEFAULT("default", null), BPF("bpf-fifo", null), LOCAL("on-host", null), WAVE("wave",
            directory -> new WaveSession(directory, WaveSession.Setup.DEFAULT, false)), SWAP("swap",
                    directory -> new SwapSession(directory, SwapSession.Setup.DEFAULT, false));

    private static final long SECOND = 1_000_000_000;
    private static final long NAP_NANOS = 50_000;

    final String text;
    private final @Nullable Function<Path, TransportSession> far;

    KernelRuler(String text, @Nullable Function<Path, TransportSession> far) {
        this.text = text;
        this.far = far;
    }

    /** At work until it is closed. */
    interface Rule extends AutoCloseable {
        /** Starts a program under it. */
        Process start(ProcessBuilder program) throws IOException, InterruptedException;

        /** How many decisions were not the agent's; 0 where there is none. */
        long localDecisions();

        @Override
        void close();
    }

    /**
     * Puts it to work.
     *
     * @param fifo the BPF object of bpf-fifo
     */
    Rule begin(List<Integer> cpus, Path fifo) throws InterruptedException {
        return switch (this) {
            case DEFAULT -> new Own();
            case BPF -> new Bpf(fifo);
            case LOCAL, WAVE, SWAP -> new ByAgent(cpus, far);
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
            return RuledProcess.start(program);
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

    /** With limits that an agent meets on an emulated machine, too: what is measured is the agent. */
    private static final class ByAgent implements Rule {
        private final ScratchFolder folder = LocalSession.newRunDirectory();
        private final KernelHost host;
        private final long atStart;

        ByAgent(List<Integer> cpus, @Nullable Function<Path, TransportSession> far) throws InterruptedException {
            EnclaveShape shape = new EnclaveShape(cpus.size(), 4096, 1, 4096, 1);
            KernelOptions options = new KernelOptions(cpus, 4096, SECOND, 10 * SECOND, 12 * SECOND, false, false);
            host = KernelHost.start(folder.path(), far, shape, options, session -> new ThreadAgent(session,
                    FifoAgent::new,
                    () -> far == null ? session.idle() : IdleStrategy.spinThenPark(64, NAP_NANOS)));
            long deadline = System.nanoTime() + 60 * SECOND;
            while (!host.isAgentReady()) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("no agent after a minute: " + host.incidents());
                }
                Thread.sleep(5);
            }
            atStart = host.counters().localDecisions();
        }

        @Override
        public Process start(ProcessBuilder program) throws InterruptedException {
            return RuledProcess.start(program);
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
