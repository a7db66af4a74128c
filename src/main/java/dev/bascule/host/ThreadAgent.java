package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.ring.IdleStrategy;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An agent as a thread of the host's process: for {@code --in-process} and tests. */
public final class ThreadAgent implements AgentSupervisor {
    private final Supplier<? extends AgentEnd> attach;
    private final Supplier<? extends Agent> policy;
    private final Supplier<IdleStrategy> idle;
    private @Nullable Thread thread;
    private volatile boolean stop;
    private volatile boolean ended;
    private volatile String report = "";

    /** With what makes a new end attached to the current epoch, a fresh policy, and a way to wait. */
    public ThreadAgent(Supplier<? extends AgentEnd> attach, Supplier<? extends Agent> policy,
            Supplier<IdleStrategy> idle) {
        this.attach = attach;
        this.policy = policy;
        this.idle = idle;
    }

    @Override
    public void start() {
        stop = false;
        ended = false;
        report = "";
        thread = Thread.ofPlatform().name("agent").daemon().start(this::run);
    }

    private void run() {
        try (AgentEnd end = attach.get()) {
            AgentLoop.Exit exit = new AgentLoop(policy.get(), end, System::nanoTime).run(idle.get(), () -> stop);
            report = exit.name();
        } catch (RuntimeException | Error e) {
            report = e.toString();
        }
        ended = true;
    }

    @Override
    public boolean hasExited() {
        return ended && !stop;
    }

    /** A thread cannot be killed: it is asked to stop, and if it hangs it is left behind as a fenced zombie. */
    @Override
    public void kill() {
        stop = true;
        Thread last = thread;
        if (last != null) {
            try {
                last.join(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public String exitReport() {
        return report;
    }

    @Override
    public void close() {
        kill();
    }
}
