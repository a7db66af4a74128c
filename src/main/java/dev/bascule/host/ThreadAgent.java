package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.PolicyException;
import dev.bascule.ring.IdleStrategy;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An agent as a thread of the host's process: for {@code --in-process} and tests. */
public final class ThreadAgent implements AgentSupervisor {
    private final Supplier<? extends AgentEnd> attach;
    private final Supplier<? extends Agent> policy;
    private final Supplier<IdleStrategy> idle;
    private final @Nullable AgentLog log;
    private @Nullable Run last;

    /** With what makes a new end attached to the current epoch, a fresh policy, and a way to wait. */
    public ThreadAgent(Supplier<? extends AgentEnd> attach, Supplier<? extends Agent> policy,
            Supplier<IdleStrategy> idle) {
        this(attach, policy, idle, null);
    }

    /** The same with a log for the stack of a policy that throws or does not come back. */
    public ThreadAgent(Supplier<? extends AgentEnd> attach, Supplier<? extends Agent> policy,
            Supplier<IdleStrategy> idle, @Nullable Path log) {
        this.log = log == null ? null : new AgentLog(log);
        this.attach = attach;
        this.policy = policy;
        this.idle = idle;
    }

    /** One agent's life: what it says of itself is its own, so that one that was left behind says nothing of the next. */
    private final class Run implements Runnable {
        final Thread thread = Thread.ofPlatform().name("agent").daemon().unstarted(this);
        volatile boolean stop;
        volatile boolean ended;
        volatile String report = "";

        @Override
        public void run() {
            try (AgentEnd end = attach.get()) {
                report = new AgentLoop(policy.get(), end, System::nanoTime).run(idle.get(), () -> stop).name();
            } catch (PolicyException e) {
                report = e.getMessage() + logged(e);
            } catch (RuntimeException | Error e) {
                report = e.toString();
            }
            ended = true;
        }
    }

    private String logged(PolicyException failure) {
        if (log == null) {
            return "";
        }
        log.add(failure);
        return "; its stack is in " + log.file();
    }

    @Override
    public synchronized void start() {
        last = new Run();
        last.thread.start();
    }

    @Override
    public synchronized boolean hasExited() {
        return last != null && last.ended && !last.stop;
    }

    @Override
    public synchronized String whereabouts() {
        Run hanging = last;
        if (log == null || hanging == null || hanging.ended) {
            return "";
        }
        StackTraceElement[] stack = hanging.thread.getStackTrace();
        log.add("the agent's thread, which did not come back in time:", stack);
        return log.whereabouts(stack);
    }

    /** A thread cannot be killed: it is asked to stop, and if it hangs it is left behind as a fenced zombie. */
    @Override
    public synchronized void kill() {
        if (last == null) {
            return;
        }
        last.stop = true;
        try {
            last.thread.join(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized String exitReport() {
        return last == null ? "" : last.report;
    }

    @Override
    public void close() {
        kill();
    }
}
