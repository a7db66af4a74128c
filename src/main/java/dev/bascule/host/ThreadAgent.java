package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.PolicyException;
import dev.bascule.ring.IdleStrategy;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An agent as a thread of the host's process: for {@code --in-process} and tests. */
public final class ThreadAgent implements AgentSupervisor {
    private final Supplier<IdleStrategy> idle;
    private final @Nullable AgentLog log;
    private final @Nullable Session session;
    private final int number;
    private Function<BooleanSupplier, AgentLoop.Exit> life;
    private @Nullable Run last;
    private volatile @Nullable Run successor;

    /** With what makes a new end attached to the current epoch, a fresh policy, and a way to wait. */
    public ThreadAgent(Supplier<? extends AgentEnd> attach, Supplier<? extends Agent> policy,
            Supplier<IdleStrategy> idle) {
        this(attach, policy, idle, null);
    }

    /**
     * With what makes a new end attached to the current epoch, a fresh policy, and a way to wait; and with a log for
     * the stack of a policy that throws or does not come back, null for none.
     */
    public ThreadAgent(Supplier<? extends AgentEnd> attach, Supplier<? extends Agent> policy,
            Supplier<IdleStrategy> idle, @Nullable Path log) {
        this.log = log == null ? null : new AgentLog(log);
        this.idle = idle;
        session = null;
        number = 0;
        life = stop -> {
            try (AgentEnd end = attach.get()) {
                return new AgentLoop(policy.get(), end, System::nanoTime).run(idle.get(), stop);
            }
        };
    }

    /** The first agent of a session, which can be upgraded; its log is in the run directory. */
    public ThreadAgent(Session session, Supplier<? extends Agent> policy, Supplier<IdleStrategy> idle) {
        this(session, 0, policy, idle);
    }

    /** Any agent of a session, by its number, which can be upgraded; its log is in the run directory. */
    public ThreadAgent(Session session, int number, Supplier<? extends Agent> policy,
            Supplier<IdleStrategy> idle) {
        log = new AgentLog(session.directory().resolve(AgentLog.file(number)));
        this.session = session;
        this.number = number;
        this.idle = idle;
        life = stop -> new AgentLife(session, number, policy.get(), idle.get(), stop).work(epoch -> {});
    }

    /**
     * Starts the agent that is to take over from the one at work.
     *
     * @throws IllegalStateException if one is about to take over already, or there is no session
     */
    public synchronized void upgrade(Supplier<? extends Agent> policy) {
        Session shared = session;
        if (shared == null || successor != null) {
            throw new IllegalStateException(shared == null
                    ? "upgrade agent: it was made without a session; make it with one"
                    : "another upgrade is under way; wait for it");
        }
        Run next = new Run(stop -> new AgentLife(shared, number, policy.get(), idle.get(), stop)
                .takeOver(epoch -> {}),
                stop -> new AgentLife(shared, number, policy.get(), idle.get(), stop).work(epoch -> {}));
        successor = next;
        next.thread.start();
    }

    @Override
    public @Nullable String successorFailure() {
        Run next = successor; // without the monitor, in which kill may wait for a while
        if (next == null || !next.ended) {
            return null;
        }
        successor = null;
        return next.report;
    }

    @Override
    public boolean isUpgrading() {
        return successor != null;
    }

    @Override
    public synchronized void succeeded() {
        Run next = successor;
        if (next != null) {
            last = next;
            life = next.again;
            successor = null;
        }
    }

    @Override
    public synchronized void recall() {
        Run next = successor;
        successor = null;
        if (next != null) {
            next.stop = true;
        }
    }

    /** One agent's life: what it says of itself is its own, so that one that was left behind says nothing of the next. */
    private final class Run implements Runnable {
        final Thread thread = Thread.ofPlatform().name("agent-" + number).daemon().unstarted(this);
        final Function<BooleanSupplier, AgentLoop.Exit> life;
        /** The life of one that replaces it. */
        final Function<BooleanSupplier, AgentLoop.Exit> again;
        volatile boolean stop;
        volatile boolean ended;
        volatile String report = "";
        volatile boolean isPolicys;

        Run(Function<BooleanSupplier, AgentLoop.Exit> life, Function<BooleanSupplier, AgentLoop.Exit> again) {
            this.life = life;
            this.again = again;
        }

        @Override
        public void run() {
            try {
                report = life.apply(() -> stop).name();
            } catch (PolicyException e) {
                isPolicys = true;
                report = e.getMessage() + (stop ? "" : logged(e)); // the folder of one that was asked to stop may be gone
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
        try {
            log.add(failure);
        } catch (UncheckedIOException e) {
            return "; its stack is lost: " + e.getMessage();
        }
        return "; its stack is in " + log.file();
    }

    @Override
    public synchronized void start() {
        recall();
        last = new Run(life, life);
        last.thread.start();
    }

    @Override
    public synchronized boolean hasExited() {
        return last != null && last.ended && !last.stop;
    }

    @Override
    public synchronized @Nullable AgentPlace whereabouts() {
        Run hanging = last;
        if (log == null || hanging == null || hanging.ended) {
            return null;
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
    public synchronized @Nullable String policyFailure() {
        return last != null && last.ended && last.isPolicys ? last.report : null;
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
