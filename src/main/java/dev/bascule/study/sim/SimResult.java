package dev.bascule.study.sim;

import dev.bascule.agent.Outcome;
import dev.bascule.agent.Topology;
import dev.bascule.host.TimeHistogram;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The result of a run of the simulated host. All times are virtual, except {@link #realNanos}.
 *
 * @param hosts whose result it is: 1, or hosts of a {@link SimCluster} together, or enclaves of {@link SimEnclaves}
 * @param topology CPUs of each, and which of them share a core or a socket
 * @param lastNanos when it ended
 * @param measuredNanos length of the measured part: from the warm-up to the horizon
 * @param sojourn per job class, from intended arrival to end, ns; jobs that arrived after the warm-up
 * @param slowdown per job class, sojourn by demand, in hundredths; the same jobs
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
 * @param residents useful work of each resident, ns
 * @param realNanos how long the simulation took on this machine
 */
public record SimResult(int hosts, Topology topology, long lastNanos, long measuredNanos, List<TimeHistogram> sojourn,
        List<TimeHistogram> slowdown, Halves halves, TimeHistogram window, Jobs jobs, Time time, Decisions decisions,
        Bus bus,
        long events,
        long steps, long littleErrorNanos, List<String> incidents, Waits waits, List<Long> residents,
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
            long unfinished) {
        private static Jobs sum(List<Jobs> each) {
            return new Jobs(SimResult.sum(each, Jobs::arrived), SimResult.sum(each, Jobs::finished),
                    SimResult.sum(each, Jobs::rejected),
                    SimResult.sum(each, Jobs::arrivedMeasured), SimResult.sum(each, Jobs::finishedMeasured),
                    SimResult.sum(each, Jobs::unfinished));
        }
    }

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
            long idleWithWork, long agentBusy) {
        private static Time sum(List<Time> each) {
            return new Time(SimResult.sum(each, Time::work), SimResult.sum(each, Time::arrived),
                    SimResult.sum(each, Time::done),
                    each.stream().mapToLong(Time::largest).max().orElse(0), SimResult.sum(each, Time::busy),
                    SimResult.sum(each, Time::resident), SimResult.sum(each, Time::waiting),
                    SimResult.sum(each, Time::idleWithWork),
                    SimResult.sum(each, Time::agentBusy));
        }
    }

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
            long preemptions, long overflows, long switches, long crossings, long resumed, long restarts) {
        private static Decisions sum(List<Decisions> each) {
            return new Decisions(SimResult.sum(each, Decisions::staged), SimResult.sum(each, Decisions::complete),
                    SimResult.sum(each, Decisions::stale),
                    SimResult.sum(each, Decisions::otherwise), SimResult.sum(each, Decisions::local),
                    SimResult.sum(each, Decisions::prestaged),
                    SimResult.sum(each, Decisions::preemptions), SimResult.sum(each, Decisions::overflows),
                    SimResult.sum(each, Decisions::switches),
                    SimResult.sum(each, Decisions::crossings), SimResult.sum(each, Decisions::resumed),
                    SimResult.sum(each, Decisions::restarts));
        }
    }

    /**
     * Waits of tasks for a CPU.
     *
     * @param longestNanos the longest, to a millisecond
     * @param starved tasks that waited past the limit of starvation while later ones were started
     * @param words what was said of the first of them
     */
    public record Waits(long longestNanos, long starved, List<String> words) {
        private static Waits sum(List<SimResult> each, String what) {
            return new Waits(each.stream().mapToLong(r -> r.waits.longestNanos).max().orElse(0),
                    SimResult.sum(each, r -> r.waits.starved), SimResult.words(each, what, r -> r.waits.words));
        }
    }

    /** Transactions on the link: reads and posted writes of the host, writes and lines read by the NIC, interrupts. */
    public record Bus(long hostReads, long hostWrites, long nicWrites, long nicReads, long interrupts) {
        private static Bus sum(List<Bus> each) {
            return new Bus(SimResult.sum(each, Bus::hostReads), SimResult.sum(each, Bus::hostWrites),
                    SimResult.sum(each, Bus::nicWrites),
                    SimResult.sum(each, Bus::nicReads), SimResult.sum(each, Bus::interrupts));
        }
    }

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
        return new SimResult(1, context.shape().topology(), last, o.horizonNanos() - o.warmUpNanos(),
                List.of(s.sojourn),
                List.of(s.slowdown), s.halves(),
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
                new Waits(context.mechanism().waits().longestNanos(), s.starved, List.copyOf(s.starving)),
                LongStream.of(s.residentsNanos).boxed().toList(), realNanos);
    }

    /**
     * Hosts of one cluster together: counts and times are sums, histograms hold the jobs of all.
     *
     * @throws IllegalArgumentException if there are none
     */
    public static SimResult together(List<SimResult> each) {
        return together(each, "host");
    }

    /**
     * Results of the enclaves of one host, or of other parts, as one.
     *
     * @param what each is, for what is said of one
     * @throws IllegalArgumentException if there are none
     */
    public static SimResult together(List<SimResult> each, String what) {
        if (each.isEmpty()) {
            throw new IllegalArgumentException("results together: there must be at least one");
        }
        SimResult first = each.getFirst();
        if (each.size() == 1) {
            return first;
        }
        return new SimResult(each.stream().mapToInt(SimResult::hosts).sum(), first.topology, first.lastNanos,
                first.measuredNanos, perClass(each, SimResult::sojourn), perClass(each, SimResult::slowdown),
                new Halves(mean(each, r -> r.halves.first), mean(each, r -> r.halves.second)),
                merged(each, SimResult::window), Jobs.sum(parts(each, SimResult::jobs)),
                Time.sum(parts(each, SimResult::time)), Decisions.sum(parts(each, SimResult::decisions)),
                Bus.sum(parts(each, SimResult::bus)),
                sum(each, SimResult::events), sum(each, SimResult::steps),
                sum(each, r -> Math.abs(r.littleErrorNanos)), words(each, what, SimResult::incidents),
                Waits.sum(each, what),
                IntStream.range(0, first.residents.size()).mapToObj(i -> sum(each, r -> r.residents.get(i))).toList(),
                each.stream().mapToLong(SimResult::realNanos).max().orElse(0));
    }

    private static <T> List<T> parts(List<SimResult> each, Function<SimResult, T> which) {
        return each.stream().map(which).toList();
    }

    private static List<TimeHistogram> perClass(List<SimResult> each,
            Function<SimResult, List<TimeHistogram>> which) {
        return IntStream.range(0, which.apply(each.getFirst()).size())
                .mapToObj(c -> merged(each, r -> which.apply(r).get(c))).toList();
    }

    private static TimeHistogram merged(List<SimResult> each, Function<SimResult, TimeHistogram> which) {
        TimeHistogram all = new TimeHistogram();
        each.forEach(r -> all.add(which.apply(r)));
        return all;
    }

    private static <T> long sum(List<T> each, ToLongFunction<T> figure) {
        return each.stream().mapToLong(figure).sum();
    }

    /** By the number of jobs; a host without any has no mean. */
    private static double mean(List<SimResult> each, ToDoubleFunction<SimResult> figure) {
        double all = 0;
        double jobs = 0;
        for (SimResult r : each) {
            double one = figure.applyAsDouble(r);
            all += Double.isNaN(one) ? 0 : one * r.jobs.arrivedMeasured;
            jobs += Double.isNaN(one) ? 0 : r.jobs.arrivedMeasured;
        }
        return all / jobs;
    }

    private static List<String> words(List<SimResult> each, String what,
            Function<SimResult, List<String>> which) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < each.size(); i++) {
            String where = what + " " + i + ": ";
            which.apply(each.get(i)).forEach(word -> all.add(where + word));
        }
        return List.copyOf(all);
    }

    /** CPUs of all hosts, or of all enclaves. */
    public int cpus() {
        return hosts * topology.cpus();
    }

    /** Sojourns of all classes together. */
    public TimeHistogram allSojourns() {
        return all(sojourn);
    }

    /** Slowdowns of all classes together. */
    public TimeHistogram allSlowdowns() {
        return all(slowdown);
    }

    private static TimeHistogram all(List<TimeHistogram> classes) {
        TimeHistogram all = new TimeHistogram();
        classes.forEach(all::add);
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

    /** Share of CPU time that the residents from one number up to another had, over the whole run. */
    public double residentShare(int from, int to) {
        double work = residents.subList(from, to).stream().mapToDouble(Long::doubleValue).sum();
        return lastNanos == 0 ? 0 : work / ((double) lastNanos * cpus());
    }

    /** Scheduling events simulated per second of real time. */
    public double eventsPerSecond() {
        return realNanos == 0 ? 0 : events * 1e9 / realNanos;
    }
}
