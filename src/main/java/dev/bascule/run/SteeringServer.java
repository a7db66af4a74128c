package dev.bascule.run;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.ffi.OwnThread;
import dev.bascule.ffi.Patience;
import dev.bascule.host.AgentLog;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.AgentSupervisor;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.LiveHost;
import dev.bascule.host.LiveOptions;
import dev.bascule.host.Session;
import dev.bascule.host.ThreadAgent;
import dev.bascule.host.lauberhorn.DirectCalls;
import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.model.lauberhorn.NicCounters;
import dev.bascule.model.lauberhorn.NicCounters.Drop;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.nic.Nic;
import dev.bascule.registry.PolicySpec;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.swap.SwapMode;
import dev.bascule.workload.steering.CardFront;
import dev.bascule.workload.steering.SteeredJobs;
import dev.bascule.workload.steering.Steering;
import dev.bascule.workload.steering.ThreadTimes;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * RPC services behind a card: its front, the live host whose cores run the handlers, and the agent that decides which core a
 * request gets, over one transport.
 */
public final class SteeringServer implements AutoCloseable {
    /** Most requests that may be under way. */
    public static final int MOST_QUEUE = 16_384;

    private static final int TASKS = TransportRun.TASKS;
    private static final int CHANNEL_ENTRIES = 4_096;
    private static final long READY_NANOS = 60_000_000_000L;
    private static final long LOOK_NANOS = 1_000_000;
    private static final long POLL_NANOS = 2_000;
    /** The front tells of requests; this is for what it could not tell, for the host was busy. */
    private static final long SLEEP_NANOS = 1_000_000;
    private static final long YEAR_NANOS = 365L * 24 * 3600 * 1_000_000_000;
    private static final String CARRIERS = "ForkJoinPool-";
    private static final String MODEL = "bascule-corundum";
    private static final String THREAD_AGENT = "agent-0";

    /**
     * Plan of a server.
     *
     * @param link name of the transport
     * @param steering what the agent is told of requests
     * @param policy what it runs
     * @param cores that run handlers
     * @param depth decisions that may be staged for a core
     * @param queue requests under way
     * @param lateNanos a request that waited longer is refused
     * @param polling idle cores poll
     * @param inProcess the agent is a thread
     * @param killNanos how long each agent lives; 0: as long as it likes
     */
    public record Plan(String link, Steering steering, PolicySpec policy, int cores, int depth, int queue,
            long lateNanos,
            boolean polling, boolean inProcess, long killNanos) {}

    private final Plan plan;
    private final ScratchFolder folder;
    private final Session session;
    private final SteeredJobs jobs;
    private final AgentSupervisor agent;
    private final LiveHost host;
    private final CardFront front;
    private final Thread serving;
    private final Thread killer;
    private final long[] cpuBefore = new long[4];
    private long aloneBefore;
    private volatile @Nullable Throwable failure;
    private volatile boolean closing;
    private volatile long kills;

    /** Starts serving what the port receives; returns once an agent decides. */
    public SteeringServer(Plan plan, Nic port, NicAddress address, List<JavaService> services) {
        this.plan = plan;
        DirectCalls calls = new DirectCalls(services);
        jobs = new SteeredJobs(calls, plan.steering, plan.queue, plan.lateNanos,
                plan.polling ? POLL_NANOS : SLEEP_NANOS);
        folder = Session.newRunDirectory();
        SwapMode mode = plan.depth > 1 ? SwapMode.SWAP_END : SwapMode.SWAP1;
        session = Transports.open(plan.link, folder.path(), LinkSetup.DEFAULT.withMode(mode), false);
        MechanismEnd end = session.openHost(new EnclaveShape(plan.cores, TASKS, 1, CHANNEL_ENTRIES, plan.depth));
        agent = supervisor();
        int carriers = Integer.getInteger("jdk.virtualThreadScheduler.parallelism",
                Runtime.getRuntime().availableProcessors());
        LiveOptions usual = LiveOptions.of(carriers);
        host = new LiveHost(end, new Mechanism(end, System::nanoTime, DecisionListener.NONE),
                new LiveOptions(TASKS, carriers, 2 * MOST_QUEUE, usual.softNanos(), usual.hardNanos(),
                        plan.polling),
                agent, jobs);
        jobs.tells(host::jobsArrived);
        front = new CardFront(port.rxQueue(0), port.txQueue(0), address, calls, jobs, plan.queue,
                port.maxFrameBytes());
        serving = OwnThread.of("rpc-host", this::serve);
        killer = OwnThread.of("rpc-killer", this::killNowAndThen);
        host.start();
        serving.start();
        awaitAgent();
        front.start();
        killer.start();
        beginCounting();
    }

    private AgentSupervisor supervisor() {
        if (plan.inProcess) {
            return new ThreadAgent(session, plan.policy.factory(),
                    () -> IdleStrategy.spinThenYield(RunAgents.SPINS));
        }
        return new AgentProcess(
                new AgentStart(null, null, -1).command(session, plan.policy.arguments(), JvmFlags.forAgent()),
                session.directory().resolve(AgentLog.FILE));
    }

    private void awaitAgent() {
        Patience patience = new Patience(READY_NANOS);
        while (!host.isAgentReady() && host.isAgentExpected() && !patience.isOver()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        if (!host.isAgentReady()) {
            List<String> said = host.incidents();
            close();
            throw new Failure("no agent is at work over " + plan.link + " within a minute"
                    + (said.isEmpty() ? "" : ": " + said.getLast()));
        }
    }

    private void serve() {
        try {
            host.serve(jobs, YEAR_NANOS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    private void killNowAndThen() {
        while (plan.killNanos > 0 && !closing && agent instanceof AgentProcess process && host.isAgentExpected()) {
            LockSupport.parkNanos(plan.killNanos);
            if (!closing && host.isAgentReady()) {
                long fences = host.counters().fences();
                process.crash();
                kills++; // one writer
                while (!closing && host.isAgentExpected()
                        && !(host.isAgentReady() && host.counters().fences() > fences)) {
                    LockSupport.parkNanos(LOOK_NANOS);
                }
            }
        }
    }

    // ---- what it did ---------------------------------------------------------------------------------------------

    private long[] cpuNanos() {
        long agentNanos = agent instanceof AgentProcess process
                ? (long) (process.cpuSeconds() * 1e9)
                : ThreadTimes.nanos(THREAD_AGENT);
        return new long[] { ThreadTimes.nanos(CARRIERS), ThreadTimes.nanos(CardFront.THREAD), agentNanos,
                ThreadTimes.nanos(MODEL) };
    }

    /** CPU times, and decisions of the host itself, are counted from now on. */
    void beginCounting() {
        aloneBefore = host.counters().localDecisions();
        System.arraycopy(cpuNanos(), 0, cpuBefore, 0, cpuBefore.length);
    }

    /** CPU time since {@link #beginCounting}, ns: handlers' cores, front, agent, the card's model. */
    long[] cpuSince() {
        long[] now = cpuNanos();
        for (int i = 0; i < now.length; i++) {
            now[i] -= cpuBefore[i];
        }
        return now;
    }

    /** Counters of the card. */
    public NicCounters counters() {
        return front.counters();
    }

    /** Agents killed on purpose. */
    long kills() {
        return kills;
    }

    /** Decisions that the host made itself since {@link #beginCounting}. */
    long decidedAlone() {
        return host.counters().localDecisions() - aloneBefore;
    }

    /** Agents that were replaced, for whatever reason. */
    long fences() {
        return host.counters().fences();
    }

    /** Why it does not go on, if it does not. */
    @Nullable
    public Throwable failure() {
        RuntimeException ofFront = front.failure();
        return failure != null ? failure : ofFront;
    }

    /** State of it, put into a command's summary. */
    public void describe(Summary summary) {
        NicCounters counters = counters();
        summary.put("requests", counters.get(Total.REQUESTS)).put("answered", counters.get(Total.ANSWERED))
                .put("refused", counters.get(Total.REFUSED)).put("repeated", counters.get(Total.REPEATED))
                .put("refused because", reasons(Refusal.values(), Refusal::word, counters::get))
                .put("frames", counters.get(Total.FRAMES)).put("for the kernel", counters.get(Total.BYPASSED))
                .put("dropped", counters.get(Total.DROPPED))
                .put("dropped because", reasons(Drop.values(), Drop::word, counters::get))
                .put("lost on the wire", counters.get(Total.LOST_ON_WIRE)).put("link", plan.link)
                .put("policy", plan.policy.toString()).put("decided by the host itself", decidedAlone())
                .put("agents killed", kills).put("agents replaced", fences());
        describeCpu(summary);
        Throwable thrown = jobs.lastFailure();
        if (thrown != null) {
            summary.put("last failure of a handler", thrown.toString());
        }
    }

    private void describeCpu(Summary summary) {
        long[] cpu = cpuSince();
        double requests = Math.max(1, counters().get(Total.REQUESTS));
        summary.put("CPU us/request, handlers' cores", cpu[0] / 1e3 / requests)
                .put("CPU us/request, front", cpu[1] / 1e3 / requests)
                .put("CPU us/request, agent", cpu[2] / 1e3 / requests)
                .put("CPU us/request, the card's model", cpu[3] / 1e3 / requests);
    }

    private static <T> String reasons(T[] all, java.util.function.Function<T, String> word, ToLongFunction<T> count) {
        String words = Arrays.stream(all).filter(one -> count.applyAsLong(one) > 0)
                .map(one -> word.apply(one) + " " + count.applyAsLong(one)).collect(Collectors.joining(", "));
        return words.isEmpty() ? "-" : words;
    }

    /** Answers what is under way, and ends. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(killer);
        try {
            if (killer.isAlive()) {
                killer.join();
            }
            front.close();
            jobs.close();
            serving.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        host.close();
        session.close();
        AgentLog.keepIn(folder);
        folder.close();
    }
}
