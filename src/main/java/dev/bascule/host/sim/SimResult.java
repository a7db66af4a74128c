package dev.bascule.host.sim;

import dev.bascule.agent.Outcome;
import dev.bascule.agent.Topology;
import java.util.List;

/**
 * The result of a run of the simulated host. All times are virtual, except {@link #realNanos}.
 *
 * @param topology CPUs, and which of them share a core or a socket
 * @param lastNanos when it ended
 * @param measuredNanos length of the measured part: from the warm-up to the horizon
 * @param sojourn per job class, from intended arrival to end, ns; jobs that arrived after the warm-up
 * @param slowdown sojourn by demand, in hundredths
 * @param halves mean sojourns of the earlier and of the later jobs
 * @param window from observation to enforcement of decisions that took effect, ns
 * @param jobs counts of jobs
 * @param time what CPUs and agents spent their time on
 * @param decisions counts of decisions
 * @param bus what crossed the link
 * @param events scheduling events: messages, decisions settled, tasks started
 * @param steps events of the simulation itself
 * @param littleErrorNanos the integral of the number in the system less the sum of times in it: 0 by Little's law
 * @param incidents what happened to the agents
 * @param waits of tasks for a CPU
 * @param realNanos how long the simulation took on this machine
 */
public record SimResult(Topology topology, long lastNanos, long measuredNanos, List<TimeHistogram> sojourn,
        TimeHistogram slowdown, Halves halves, TimeHistogram window, Jobs jobs, Time time, Decisions decisions, Bus bus,
        long events,
        long steps, long littleErrorNanos, List<String> incidents, Waits waits,
        long realNanos) {

    /**
     * Mean sojourns, ns; NaN where no job ended. In the steady state they differ by chance alone.
     *
     * @param first of jobs that arrived in the first half of the measured part
     * @param second of those that arrived in the second
     */
    public record Halves(double first, double second) {}

    /**
     * Jobs.
     *
     * @param arrivedMeasured arrived between warm-up and horizon
     * @param finishedMeasured ended between warm-up and horizon
     * @param unfinished still there at the end
     */
    public record Jobs(long arrived, long finished, long rejected, long arrivedMeasured, long finishedMeasured,
            long unfinished) {}

    /**
     * Times summed over CPUs, ns.
     *
     * @param work useful work of tasks
     * @param busy tasks on CPUs, slowed by siblings
     * @param arrived work of the jobs that arrived between warm-up and horizon
     * @param done work of jobs that was done between warm-up and horizon
     * @param largest work of the largest job
     * @param resident useful work of residents, part of work
     * @param waiting CPUs without a task
     * @param idleWithWork CPUs without a task while one could run: 0 if everything were free
     * @param agentBusy agents in rounds that found work
     */
    public record Time(long work, long arrived, long done, long largest, long busy, long resident, long waiting,
            long idleWithWork, long agentBusy) {}

    /**
     * Decisions.
     *
     * @param staged by the agents
     * @param complete that took effect
     * @param stale refused because the target had changed
     * @param otherwise refused for another reason
     * @param local made by the host's built-in policy
     * @param prestaged there when the CPU first looked
     * @param switches tasks started
     * @param overflows messages that found their channel full: the agent had to read the status words again
     * @param crossings of these, on another socket than the task ran on last
     * @param resumed workers that got their next job while they still spun on their CPU
     */
    public record Decisions(long staged, long complete, long stale, long otherwise, long local, long prestaged,
            long preemptions, long overflows, long switches, long crossings, long resumed, long restarts) {}

    /**
     * Waits of tasks for a CPU.
     *
     * @param longestNanos the longest, to a millisecond
     * @param starved tasks that waited past the limit of starvation while later ones were started
     * @param words what was said of the first of them
     */
    public record Waits(long longestNanos, long starved, List<String> words) {}

    /** Transactions on the link: reads and posted writes of the host, writes and lines read by the NIC, interrupts. */
    public record Bus(long hostReads, long hostWrites, long nicWrites, long nicReads, long interrupts) {}

    static SimResult of(SimContext context, SimAgents agents, long last, long realNanos) {
        SimStats s = context.stats();
        long stale = 0;
        long refused = 0;
        for (Outcome outcome : Outcome.values()) {
            long count = s.outcomes[outcome.ordinal()];
            stale += outcome.isStale() ? count : 0;
            refused += outcome == Outcome.COMPLETE || outcome.isStale() ? 0 : count;
        }
        SimOptions o = context.options();
        BusCounters b = context.region().bus;
        return new SimResult(context.shape().topology(), last, o.horizonNanos() - o.warmUpNanos(), List.of(s.sojourn),
                s.slowdown, s.halves(),
                s.window,
                new Jobs(s.arrived, s.finished, s.rejected, s.arrivedInWindow, s.finishedInWindow, s.inSystem()),
                new Time(s.workNanos, s.arrivedWorkNanos, s.doneWorkNanos(), s.largestNanos, s.busyNanos,
                        s.residentNanos, s.waitingNanos, s.idleWithWorkNanos,
                        s.agentBusyNanos),
                new Decisions(agents.decisions(), s.outcomes[Outcome.COMPLETE.ordinal()], stale, refused,
                        context.mechanism().localDecisions(), context.mechanism().prestageHits(), s.preemptions,
                        context.mechanism().overflows(), s.switches, s.crossings, s.resumed, agents.restarts()),
                new Bus(b.hostReads, b.hostWrites, b.nicWrites, b.nicReads, b.interrupts),
                context.end().events() + s.switches, s.steps, s.littleError(last),
                List.copyOf(agents.incidents),
                new Waits(context.mechanism().waits().longestNanos(), s.starved, List.copyOf(s.starving)), realNanos);
    }

    /** CPUs. */
    public int cpus() {
        return topology.cpus();
    }

    /** All classes together. */
    public TimeHistogram allSojourns() {
        TimeHistogram all = new TimeHistogram();
        sojourn.forEach(all::add);
        return all;
    }

    /** Jobs ended per second of the measured part. */
    public double throughputPerSecond() {
        return jobs.finishedMeasured * 1e9 / measuredNanos;
    }

    /**
     * Whether more was offered than could be done: jobs were rejected, or less than 98 % of the work that arrived in the
     * measured part was done in it, so that a queue grew all the time. What a run too short to tell may leave besides is
     * 50 jobs of the mean size and four of the largest.
     */
    public boolean isOverloaded() {
        double mean = time.arrived / (double) Math.max(1, jobs.arrivedMeasured);
        return jobs.rejected > 0 || time.done < time.arrived * 0.98 - 50 * mean - 4.0 * time.largest;
    }

    /**
     * Jobs ended per second of the measured part by decisions of the agents alone: what the host's own policy decided is
     * left out.
     */
    public double decidedPerSecond() {
        long all = decisions.complete + decisions.local;
        return all == 0 ? 0 : throughputPerSecond() * decisions.complete / all;
    }

    /** Share of CPU time spent on useful work, over the whole run. */
    public double utilisation() {
        return lastNanos == 0 ? 0 : (double) time.work / ((double) lastNanos * cpus());
    }

    /** Scheduling events simulated per second of real time. */
    public double eventsPerSecond() {
        return realNanos == 0 ? 0 : events * 1e9 / realNanos;
    }
}
