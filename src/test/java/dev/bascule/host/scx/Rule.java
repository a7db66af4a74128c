package dev.bascule.host.scx;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.host.LocalSession;
import dev.bascule.host.SwapSession;
import dev.bascule.host.ThreadAgent;
import dev.bascule.host.TransportSession;
import dev.bascule.host.WaveSession;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.IdleStrategy;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import dev.bascule.agent.Agent;

/** A host with its agent as a thread of the test's process. */
final class Rule implements AutoCloseable {
    private static final long SECOND = 1_000_000_000;
    private static final long NAP_NANOS = 50_000;

    final KernelHost host;
    private final ScratchFolder folder;

    private Rule(ScratchFolder folder, KernelHost host) {
        this.folder = folder;
        this.host = host;
    }

    /** Options with which the kernel's side decides nothing unless something is wrong. */
    static KernelOptions strict(int cpus) {
        return new KernelOptions(IntStream.range(0, cpus).boxed().toList(), 1024, 5 * SECOND, 10 * SECOND, 12 * SECOND,
                false, false);
    }

    static Rule of(Supplier<? extends Agent> policy, String transport, KernelOptions options)
            throws InterruptedException {
        ScratchFolder folder = LocalSession.newRunDirectory();
        Function<Path, TransportSession> far = far(transport);
        EnclaveShape shape = new EnclaveShape(options.cpus().size(), options.tasks(), 1, 1024, 1);
        KernelHost host = KernelHost.start(folder.path(), far, shape, options, session -> new ThreadAgent(session,
                policy,
                () -> far == null ? session.idle() : IdleStrategy.spinThenPark(64, NAP_NANOS)));
        Rule rule = new Rule(folder, host);
        Work.await("an agent that is ready; " + host.incidents(), host::isAgentReady);
        return rule;
    }

    static Rule fifo(KernelOptions options) throws InterruptedException {
        return of(FifoAgent::new, "on-host", options);
    }

    private static @Nullable Function<Path, TransportSession> far(String transport) {
        return switch (transport) {
            case "wave" -> directory -> new WaveSession(directory, WaveSession.Setup.DEFAULT, false);
            case "swap" -> directory -> new SwapSession(directory, SwapSession.Setup.DEFAULT, false);
            default -> null;
        };
    }

    @Override
    public void close() {
        host.close();
        folder.close();
    }
}
