package dev.bascule.host.scx;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.ffi.OwnThread;
import dev.bascule.ffi.Patience;
import dev.bascule.ffi.Steps;
import dev.bascule.host.AgentSupervisor;
import dev.bascule.host.AgentWatch;
import dev.bascule.host.LiveOptions;
import dev.bascule.host.Session;
import dev.bascule.host.Upgrade;
import dev.bascule.ring.IdleStrategy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The kernel under an agent: loads and attaches its side, keeps the agent at work, and carries messages and decisions if the
 * agent is at the far end of another transport. As soon as it is closed, killed or thrown out, the tasks go on under the
 * kernel's own scheduler.
 * <p>
 * Thread rule: {@link #start} and {@link #close} by one thread, the rest by any.
 */
public final class KernelHost implements AutoCloseable {
    private static final long SECOND = 1_000_000_000;
    private static final long TICK_NANOS = 1_000_000;
    private static final int SPINS = 64;
    private static final long NAP_NANOS = 50_000;
    private static final long LONGEST_END_NANOS = 1_000_000_000;

    private final KernelPlace kernel;
    private final Session near;
    private final @Nullable Session far;
    private final KernelPage page;
    private final MechanismEnd own;
    private final MechanismEnd agents;
    private final @Nullable AgentEnd relaysEnd;
    private final @Nullable KernelRelay relay;
    private final AgentSupervisor supervisor;
    private final AgentWatch watch;
    private final Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable String ended;
    private volatile @Nullable Throwable failure;
    private final KernelProgress progress;
    private long starved;
    private long starvedNoteNanos = Long.MIN_VALUE / 2;

    private KernelHost(KernelPlace kernel, Session near, @Nullable Session far, EnclaveShape shape,
            KernelOptions options, Function<Session, AgentSupervisor> agent) {
        this.kernel = kernel;
        this.near = near;
        this.far = far;
        own = near.openHost(shape);
        page = kernel.program().page();
        progress = new KernelProgress(page, options.hardNanos());
        if (far == null) {
            agents = own;
            relaysEnd = null;
            relay = null;
        } else {
            agents = far.openHost(shape);
            relaysEnd = near.attach(0);
            relay = new KernelRelay(relaysEnd, agents);
        }
        LiveOptions limits = new LiveOptions(1, 1, 1, options.softNanos(), options.hardNanos(), false);
        supervisor = agent.apply(far == null ? near : far);
        watch = new AgentWatch(agents, limits, supervisor);
        thread = OwnThread.of("kernel-host", this::work, thrown -> failure = thrown);
    }

    /**
     * Starts the agent, and gives the kernel's ruled tasks to it. Until it is ready, and whenever it is not, the kernel's
     * side decides.
     *
     * @param directory run directory, which exists
     * @param transport how the agent is reached; null: by memory that it shares with the kernel
     * @param shape of the enclave, with one agent
     * @param supervisor of the agent, over the session that it attaches to
     * @throws dev.bascule.ffi.NativeException if the kernel refuses
     */
    public static KernelHost start(Path directory, @Nullable Function<Path, Session> transport,
            EnclaveShape shape, KernelOptions options, Function<Session, AgentSupervisor> supervisor) {
        KernelPlace kernel = KernelPlace.ofHost(directory, options);
        Steps steps = new Steps();
        KernelHost host;
        try {
            Session near = steps.add(new Session(kernel.protocol(), kernel), Session::close);
            Session far = transport == null ? null : steps.add(transport.apply(directory), Session::close);
            host = new KernelHost(kernel, near, far, shape, options, supervisor);
        } catch (RuntimeException | Error e) {
            steps.close();
            throw e;
        }
        try {
            host.begin();
        } catch (RuntimeException | Error e) {
            host.close();
            throw e;
        }
        return host;
    }

    private void begin() {
        long now = System.nanoTime();
        page.set(Layout.HOST_BEAT, now);
        watch.begin(now);
        kernel.program().attach();
        thread.start();
    }

    private void work() {
        IdleStrategy idle = IdleStrategy.spinThenPark(SPINS, NAP_NANOS);
        long next = System.nanoTime();
        while (!stopping) {
            long now = System.nanoTime();
            if (now >= next) {
                tend(now);
                next = now + TICK_NANOS;
            }
            if (relay == null) {
                LockSupport.parkNanos(TICK_NANOS);
            } else {
                idle.idle(relay.turn());
            }
        }
    }

    private void tend(long now) {
        page.set(Layout.HOST_BEAT, now);
        if (watch.look(now, progress.unansweredNanos(now, watch.isReady())) && relay != null) {
            relay.fenced();
        }
        if (relay == null) {
            own.tick();
        } else {
            relay.tick();
        }
        page.set(Layout.READY, watch.isReady() ? 1 : 0);
        if (progress.hasOverflowed()) {
            own.requestResync(0);
        }
        starved += progress.starved();
        if (starved > 0 && now - starvedNoteNanos > SECOND) {
            watch.note("the kernel's side ran " + starved + " threads that starved: the agent had"
                    + " decided nothing about them for too long");
            starved = 0;
            starvedNoteNanos = now;
        }
        for (int i = progress.decisions(); i > 0; i--) {
            watch.decided();
        }
        if (ended == null && page.hasEnded()) {
            ended = page.exitText();
            watch.note("the kernel has taken its tasks back: " + ended);
        }
    }

    /** Why the kernel has taken its tasks back, in its words; null while they are ruled. */
    public @Nullable String ended() {
        return ended;
    }

    /**
     * Looks whether the agent is still tended.
     *
     * @throws IllegalStateException if what tends it has ended by an exception, which is the cause
     */
    public void check() {
        Throwable thrown = failure;
        if (thrown != null) {
            throw new IllegalStateException("the thread that tends the agent has ended: " + thrown, thrown);
        }
    }

    /** Whether the agent decides, as of the last look. */
    public boolean isAgentReady() {
        return page.get(Layout.READY) != 0;
    }

    /** Whether another agent will be started: false once too many in a row have failed early. */
    public boolean isAgentExpected() {
        return !watch.hasGivenUp();
    }

    /** Numbers of the kernel's side. */
    public KernelCounters counters() {
        return page.counters();
    }

    /** Agents fenced so far because they were dead, silent or broken. */
    public long fences() {
        return watch.fences();
    }

    /** Upgrades of the agent that have ended, oldest first. */
    public List<Upgrade> upgrades() {
        return watch.upgrades();
    }

    /** Incidents, oldest first. */
    public List<String> incidents() {
        return watch.incidents();
    }

    /** The region says stop: an agent of this process must not find its memory gone. */
    private void awaitAgent() {
        Patience patience = new Patience(LONGEST_END_NANOS);
        while (!supervisor.hasExited() && !patience.isOver()) {
            LockSupport.parkNanos(TICK_NANOS);
        }
    }

    /** Gives the tasks back to the kernel's own scheduler; the agent lives on until {@link #close}. */
    public void detach() {
        kernel.program().detach();
    }

    /** Gives the tasks back to the kernel's own scheduler, then ends the agent. */
    @Override
    public void close() {
        kernel.program().detach();
        stopping = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        agents.close();
        if (relaysEnd != null) {
            relaysEnd.close();
            own.close();
        }
        awaitAgent();
        watch.close();
        if (far != null) {
            far.close();
        }
        near.close();
    }
}
