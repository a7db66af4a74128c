package dev.bascule.study.sim;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.PolicyException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The agents and the cores they run on: rounds of the live {@link AgentLoop}, one after the other on each core. An idle
 * agent polls; only the first round that can find something is simulated.
 */
final class SimAgents {
    private static final int MOST_RESTARTS = 100;
    /** Rounds that may find work while time stands still, where rounds are free. */
    private static final int MOST_ROUNDS = 10_000;
    private static final int NOBODY = -1;

    private final SimContext context;
    private final SimOptions options;
    private final SimCosts.AgentWork costs;
    private final SimTime time;
    private final SimEvents events;
    private final SimRegion region;
    private final SimStats stats;
    private final TraceWriter trace;
    private final SimWatch watch;
    private final IntFunction<? extends Agent> policies;
    private final AgentLoop[] loops;
    private final SimAgentEnd[] ends;
    private final boolean[] stopped;
    private final boolean[] hangs;
    private final long[] idleSince;
    private final long[] newsNanos;
    private int atWork = NOBODY;
    private boolean rests;
    private final AgentCores cores;
    final List<String> incidents = new ArrayList<>();
    private boolean ready;
    private String crash = "";
    private long stoppedSince = -1;
    private long pausedUntil;
    private int restarts;
    private int sameTime;
    private long lastRound;
    private long decisions;

    SimAgents(SimContext context, SimWatch watch, IntFunction<? extends Agent> policies, CardCores card) {
        this.context = context;
        options = context.options();
        costs = context.costs().agent();
        time = context.time();
        events = context.events();
        region = context.region();
        stats = context.stats();
        trace = context.trace();
        this.watch = watch;
        this.policies = policies;
        int agents = context.shape().agents();
        loops = new AgentLoop[agents];
        ends = new SimAgentEnd[agents];
        stopped = new boolean[agents];
        hangs = new boolean[agents];
        idleSince = new long[agents];
        newsNanos = new long[agents];
        Arrays.fill(newsNanos, SimEvents.NEVER);
        cores = new AgentCores(card, events, agents);
        for (int agent = 0; agent < agents; agent++) {
            attach(agent);
        }
    }

    private void attach(int agent) {
        SimAgentEnd end = (SimAgentEnd) region.attach(agent);
        if (options.measuredAgent()) {
            end.measured();
        }
        ends[agent] = end;
        loops[agent] = new AgentLoop(policies.apply(agent), end, time);
        stopped[agent] = false;
    }

    static int cores(SimOptions options) {
        return Math.min(options.agentCores(), options.agents());
    }

    /** First rounds, before time begins: rebuild from status words, say ready. */
    void boot() {
        for (int agent = 0; agent < loops.length; agent++) {
            try {
                int rounds = 0;
                do {
                    ends[agent].beginRound();
                } while (loops[agent].turn() > 0 && ++rounds < MOST_ROUNDS);
            } catch (RuntimeException | Error e) {
                crashed(agent, e, 0);
            }
        }
        ready = crash.isEmpty();
    }

    /** The core that an agent runs on. */
    int coreOf(int agent) {
        return cores.of(agent);
    }

    boolean isReady() {
        return ready;
    }

    int restarts() {
        return restarts;
    }

    /** Decisions staged by all agents so far. */
    long decisions() {
        long all = decisions;
        for (SimAgentEnd end : ends) {
            all += end.decisions();
        }
        return all;
    }

    // ---- rounds

    /** Something is on its way to an agent and arrives then. */
    void news(int agent, long arrivalNanos) {
        if (agent == atWork) {
            newsNanos[agent] = Math.min(newsNanos[agent], arrivalNanos);
            return;
        }
        if (events.roundDue(agent) <= arrivalNanos || cores.isQueued(agent) || stopped[agent]) {
            return;
        }
        long at = nextPoll(agent, arrivalNanos);
        if (at < events.roundDue(agent)) {
            events.roundAt(agent, at);
        }
    }

    private long nextPoll(int agent, long arrivalNanos) {
        long period = costs.poll();
        long since = idleSince[agent];
        return arrivalNanos <= since ? since : since + (arrivalNanos - since + period - 1) / period * period;
    }

    /** The agent's event: it has reason to look. */
    void event(int agent, long now) {
        int core = cores.of(agent);
        if (cores.isFree(core, now)) {
            round(agent, core, now);
        } else {
            events.roundAt(agent, SimEvents.NEVER);
            cores.enqueue(agent, now);
        }
    }

    /** A core is free again. */
    void coreEvent(int core, long now) {
        round(cores.next(core), core, now);
    }

    private void round(int agent, int core, long now) {
        if (stopped[agent] || now < pausedUntil) {
            events.roundAt(agent, stopped[agent] ? SimEvents.NEVER : pausedUntil);
            cores.pass(core, now);
            return;
        }
        rests = false;
        int work = isIdle(agent, now) ? 0 : whole(agent, core, now);
        if (stopped[agent]) {
            ended(agent, core, now);
            return;
        }
        sameTime = now == lastRound ? sameTime + 1 : 0;
        lastRound = now;
        long end = Math.max(time.nanoTime(), sameTime > MOST_ROUNDS ? now + 1 : now);
        stats.rounds++;
        if (work > 0) {
            stats.agentBusyNanos += end - now;
            trace.round(agent, end - now, work);
        }
        if (work > 0 && !rests) {
            again(agent, core, end);
        } else {
            idle(agent, core, end);
        }
    }

    /** The agent has ended in that round: the core is the others'. One that hangs keeps it until it is fenced. */
    private void ended(int agent, int core, long now) {
        events.roundAt(agent, SimEvents.NEVER);
        if (!hangs[agent]) {
            cores.release(core, Math.max(now, time.nanoTime()));
        }
    }

    /** The agent polls until something comes. */
    private void idle(int agent, int core, long now) {
        idleSince[agent] = now;
        Enclave sees = loops[agent].enclave();
        long next = Math.min(newsNanos[agent], Math.min(region.nextArrival(agent), sees.nextTimerNanos()));
        newsNanos[agent] = SimEvents.NEVER;
        events.roundAt(agent, next == SimEvents.NEVER ? next : nextPoll(agent, Math.max(next, now + 1)));
        cores.release(core, now);
    }

    /** A round from its beginning to its end; what happens meanwhile happens in between. */
    private int whole(int agent, int core, long now) {
        events.roundAt(agent, SimEvents.NEVER);
        if (newsNanos[agent] <= now) {
            newsNanos[agent] = SimEvents.NEVER;
        }
        int outer = atWork;
        atWork = agent;
        cores.take(core);
        int work = turn(agent, now);
        rests = work > 0 && !stopped[agent] && isAtRest(agent);
        atWork = outer;
        return work;
    }

    /** Whether the round that would follow finds nothing, which saves its event. */
    private boolean isAtRest(int agent) {
        ends[agent].reach();
        return isIdle(agent, time.nanoTime());
    }

    /** Nothing has come since the beginning of its last round, and it waits for nothing else: what it would do is known. */
    private boolean isIdle(int agent, long now) {
        return !options.measuredAgent() && region.isQuiet(agent, now) && loops[agent].skip();
    }

    private void again(int agent, int core, long end) {
        boolean waits = cores.isWanted(core);
        events.roundAt(agent, waits ? SimEvents.NEVER : end);
        cores.release(core, end);
        if (waits) {
            cores.enqueue(agent, end);
        }
    }

    /**
     * The agent looks at {@code lookedNanos}, in a round that was simulated at its beginning, whether a CPU sleeps that now
     * says so: it sees it and wakes the CPU.
     */
    void wakes(int agent, int cpu, long lookedNanos) {
        long now = time.nanoTime();
        int socket = time.socket();
        time.set(lookedNanos);
        time.actsOn(region.socketOfAgent(agent));
        region.ring(cpu);
        long took = time.nanoTime() - lookedNanos;
        time.actsOn(socket);
        time.set(now);
        cores.longer(cores.of(agent), took);
        stats.agentBusyNanos += took;
        if (events.roundDue(agent) != SimEvents.NEVER && events.roundDue(agent) >= lookedNanos) {
            events.roundAt(agent, events.roundDue(agent) + took);
        }
    }

    private int turn(int agent, long now) {
        SimAgentEnd end = ends[agent];
        end.beginRound();
        try {
            if (end.isFenced()) {
                stopped[agent] = true;
                return 0;
            }
            if (!options.measuredAgent()) {
                return loops[agent].turn();
            }
            long before = System.nanoTime();
            int work = loops[agent].turn();
            time.charge(Math.round((System.nanoTime() - before) * costs.slowdown()));
            return work;
        } catch (RuntimeException | Error e) {
            crashed(agent, e, now);
            return 0;
        }
    }

    // ---- trouble

    private void crashed(int agent, Throwable why, long now) {
        stopped[agent] = true;
        crash = why instanceof SimLivelock
                ? why.getMessage() + ", at " + PolicyException.place(why)
                : "agent " + agent + " ended: " + loops[agent].failure(why).getMessage();
        hangs[agent] = why instanceof SimLivelock;
        if (hangs[agent] && stoppedSince < 0) {
            stoppedSince = now;
        }
    }

    /** A fault: the agents stop at once and for good, as killed. */
    void kill() {
        Arrays.fill(stopped, true);
        crash = "agent killed";
    }

    /** A fault: the agents do nothing until then. */
    void pause(long now, long untilNanos) {
        pausedUntil = untilNanos;
        stoppedSince = now;
    }

    /** Every millisecond, as in the live host: an agent that ended is replaced, one that is silent too long fenced. */
    void housekeep(long now) {
        boolean hung = stoppedSince >= 0 && now - stoppedSince >= options.hardNanos();
        if (stoppedSince >= 0 && now >= pausedUntil && crash.isEmpty()) {
            stoppedSince = -1;
        } else if (hung || !crash.isEmpty() && stoppedSince < 0) {
            fence(crash.isEmpty() ? "agent silent for more than " + options.hardNanos() / 1000 + " us" : crash, now);
        } else if (!ready && loops.length > 0 && !stopped[0]) {
            ready = context.end().isReady(0);
            if (ready) {
                trace.add(SimTrace.Kind.READY, 0, SimTrace.NO_TASK, 0);
            }
        }
    }

    /** Voids what the agents decided and takes new ones on after the time a restart takes. */
    void fence(String why, long now) {
        incidents.add(now + " ns: " + why + (crash.isEmpty() || crash.equals(why) ? "" : "; " + crash));
        trace.add(SimTrace.Kind.FENCED, 0, SimTrace.NO_TASK, 0);
        for (int agent = 0; agent < loops.length; agent++) {
            context.mechanism().fence(agent);
        }
        region.fenced();
        watch.answered(now);
        ready = false;
        crash = "";
        stoppedSince = -1;
        Arrays.fill(stopped, true);
        for (int agent = 0; agent < loops.length; agent++) {
            decisions += ends[agent].takeDecisions();
            events.roundAt(agent, SimEvents.NEVER);
            if (hangs[agent]) {
                hangs[agent] = false;
                cores.release(cores.of(agent), now);
            }
        }
        if (++restarts <= MOST_RESTARTS) {
            events.at(SimEvent.Single.RESTART, now + costs.restart());
        } else {
            incidents.add(now + " ns: " + MOST_RESTARTS + " agents failed; the built-in policy goes on alone");
        }
    }

    /** The new agents are there: they attach and rebuild. */
    void restart(long now) {
        pausedUntil = 0;
        for (int agent = 0; agent < loops.length; agent++) {
            time.set(now);
            attach(agent);
            events.roundAt(agent, time.nanoTime());
        }
    }
}
