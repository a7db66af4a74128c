package dev.bascule.study.experiment;

import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.ShinjukuAgent;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.OpenLoad;
import dev.bascule.study.sim.ServiceTime;
import dev.bascule.study.sim.SimFault;
import dev.bascule.study.sim.SimHost;
import dev.bascule.study.sim.SimOptions;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimSetup;
import dev.bascule.study.sim.SimTrace;
import java.util.ArrayList;
import java.util.List;

/** E4 to E9: staging depth, cores per agent, batches, RPC, failures, idleness. */
final class FitoOps {
    private static final int CPUS = 16;
    private static final String ANALYSIS = "the project's own analysis with Wave's published numbers";

    private final Lab lab;
    private final boolean quick;

    FitoOps(Lab lab) {
        this.lab = lab;
        quick = lab.isQuick();
    }

    private record Case<T>(Contender who, T value) {}

    private <T> List<Case<T>> cases(List<Contender> contenders, List<T> values) {
        List<Case<T>> all = new ArrayList<>();
        for (T value : values) {
            for (Contender who : contenders) {
                all.add(new Case<>(who, value));
            }
        }
        return all;
    }

    Section staging() {
        JobMix mix = new JobMix("priorities", "made up", List.of(
                new JobMix.Kind("urgent", 0.1, ServiceTime.fixed(5_000)),
                new JobMix.Kind("patient", 0.9, ServiceTime.exponential(50_000))));
        List<Figure> figures = new ArrayList<>();
        lab.each(cases(Contender.polling(), List.of(1, 4)), c -> {
            SimResult r = lab.run(lab.profile(), c.who().transport(),
                    () -> new ShinjukuAgent(30_000, 1, 1_000_000_000), mix, CPUS, 0.85, o -> o.withStaged(c.value()));
            String label = c.who().name() + ", " + c.value() + " staged ahead";
            return List.of(Figure.of(label + ": urgent jobs, p99", "us", Lab.micros(r.sojourn().get(0), 99)),
                    Figure.of(label + ": age of information at enforcement, p50", "us",
                            Lab.micros(r.window(), 50)),
                    Figure.of(label + ": age of information at enforcement, p99", "us",
                            Lab.micros(r.window(), 99)));
        }).forEach(figures::addAll);
        return new Section("E4", "preemptive, urgent arrivals: staging depth and age of information", CPUS
                + " CPUs, load 0.85, quantum 30 us, 10 % urgent jobs of 5 us before patient ones of 50 us; nothing "
                + "staged ahead is swap0, and Wave on demand in E7", figures);
    }

    Section cores() {
        List<Figure> figures = new ArrayList<>();
        lab.each(cases(Contender.polling(), quick ? List.of(4, 16, 32, 64) : List.of(1, 4, 16, 32, 64, 128, 256)),
                c -> {
                    SimResult r = lab.run(lab.profile(), c.who().transport(), FifoAgent::new,
                            FitoLoads.exponential(10), c.value(), 1.3, o -> o.withWorkers(4 * c.value() + 64, 1 << 16));
                    String label = c.value() + " cores, " + c.who().name();
                    return List.of(Figure.of(label + ": saturation per core, by the agent's decisions", "kreq/s",
                            r.decidedPerSecond() / 1e3 / c.value()),
                            Figure.of(label + ": messages that found the channel full", "messages",
                                    r.decisions().overflows()),
                            Figure.of(label + ": agent busy", "%", r.time().agentBusy() * 100.0 / r.lastNanos()),
                            Figure.of(label + ": window p99.9", "us", Lab.micros(r.window(), 99.9)));
                }).forEach(figures::addAll);
        figures.add(new Figure("cores one agent core can serve, (S + c) / A with S = 10 us", "cores",
                (10_000.0 + lab.profile().nanos("kernel.contextSwitch") + lab.profile().nanos("kernel.commit")
                        + lab.profile().nanos("kernel.entry") + lab.profile().nanos("kernel.message"))
                        / (lab.profile().nanos("nicAgent.decision") + 2.0 * lab.profile().nanos("nicAgent.message")),
                Published.analysed(32, ANALYSIS + " (section 4.3: (10 + 3.5)/0.426)"))
                .computed("nicAgent.decision, and the profile's costs of a switch"));
        return new Section("E5", "cores per agent core", "exponential 10 us, offered 1.3 times the capacity", figures);
    }

    Section rpc() {
        List<Figure> figures = new ArrayList<>();
        lab.each(cases(Contender.polling(), List.of(1, 4, 16)), c -> {
            SimResult r = lab.run(lab.profile(), c.who().transport(), FifoAgent::new, JobMix.named("rpc"), CPUS, 0.6,
                    o -> o.withStaged(c.value()));
            String label = c.who().name() + ", batches of up to " + c.value();
            return List.of(Figure.of(label + ": decisions", "k/s", r.decisions().complete() * 1e6 / r.lastNanos()),
                    Figure.of(label + ": p50", "us", Lab.micros(r.allSojourns(), 50)),
                    Figure.of(label + ": p99", "us", Lab.micros(r.allSojourns(), 99)));
        }).forEach(figures::addAll);
        return new Section("E7", "RPC steering: a decision per request, and batches", CPUS
                + " CPUs, mix 'rpc' (made up), load 0.6", figures);
    }

    Section failures() {
        List<Figure> figures = new ArrayList<>();
        lab.each(cases(Contender.all(), List.of(0L, 1_000_000L, 50_000_000L)), c -> failure(c.who(), c.value()))
                .forEach(figures::addAll);
        return new Section("E8", "crash, pause and hang of the agent", CPUS
                + " CPUs, exponential 10 us, load 0.5; soft "
                + "window 200 us, hard limit 20 ms for all; the agent is killed, or stands still for 1 or 50 ms, at "
                + "20 ms", figures);
    }

    private List<Figure> failure(Contender who, long pauseNanos) {
        long at = 20_000_000;
        JobMix mix = FitoLoads.exponential(10);
        SimTrace trace = new SimTrace(1 << 21);
        SimOptions options = SimOptions.of(CPUS, quick ? 80_000_000 : 200_000_000).withPolling(who.polls())
                .withWorkers(400, 1 << 16);
        SimResult r = SimHost.run(SimSetup.of(options, who.transport(), lab.profile())
                .withFaults(List.of(new SimFault(at, pauseNanos))), FifoAgent::new,
                OpenLoad.blind(mix, mix.capacityPerSecond(CPUS) * 0.5, lab.seed() + 2), trace);
        lab.count(r);
        long helped = 0;
        long fenced = 0;
        long back = 0;
        for (int i = 0; i < trace.size(); i++) {
            if (trace.nanos(i) < at) {
                continue;
            }
            boolean runs = trace.kind(i) == SimTrace.Kind.RUNS;
            helped = helped == 0 && runs && trace.argument(i) == 1 ? trace.nanos(i) - at : helped;
            fenced = fenced == 0 && trace.kind(i) == SimTrace.Kind.FENCED ? trace.nanos(i) - at : fenced;
            back = runs && trace.argument(i) == 1 ? trace.nanos(i) - at : back;
        }
        String label = who.name() + (pauseNanos == 0 ? ", killed" : ", stands still for " + pauseNanos / 1000 + " us");
        return List.of(Figure.of(label + ": host helps itself after", "us", helped / 1e3),
                Figure.of(label + ": fenced after (0: not)", "us", fenced / 1e3),
                Figure.of(label + ": last decision of the host's own after", "us", back / 1e3),
                Figure.of(label + ": decisions of the host's own", "decisions", r.decisions().local()),
                Figure.of(label + ": jobs lost", "jobs", r.jobs().arrived() - r.jobs().finished()));
    }

    Section idle() {
        List<Figure> figures = new ArrayList<>();
        for (Contender who : Contender.all()) {
            JobMix mix = FitoLoads.exponential(10);
            long horizon = 20_000_000;
            SimOptions options = SimOptions.of(CPUS, horizon).withPolling(who.polls()).withPhases(1, 0);
            SimResult r = SimHost.run(SimSetup.of(options, who.transport(), lab.profile()), FifoAgent::new,
                    OpenLoad.blind(mix, 100, lab.seed() + 8));
            lab.count(r);
            double perMilli = 1e6 / r.lastNanos();
            figures.add(Figure.of(who.name() + ": reads of NIC memory that were needed to notice work", "per ms",
                    r.bus().hostReads() * perMilli));
            figures.add(Figure.of(who.name() + ": posted writes of the host", "per ms",
                    r.bus().hostWrites() * perMilli));
            figures.add(Figure.of(who.name() + ": host CPUs spinning", "CPUs", who.polls()
                    ? r.time().waiting() / (double) r.lastNanos()
                    : 0));
        }
        return new Section("E9", "everything idle: what waiting costs", CPUS + " CPUs, 100 jobs a second", figures);
    }
}
