package dev.bascule.study.experiment;

import dev.bascule.config.CostProfile;
import dev.bascule.policy.FifoAgent;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.OpenLoad;
import dev.bascule.study.sim.ServiceTime;
import dev.bascule.study.sim.SimChurn;
import dev.bascule.study.sim.SimHost;
import dev.bascule.study.sim.SimOptions;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimSetup;
import dev.bascule.study.sim.SimTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** E1 to E3: load, latency of the link, and churn of what was decided about. */
final class FitoLoads {
    private static final int CPUS = 16;
    static final String ANALYSIS = "the project's own analysis with Wave's published numbers";

    private final Lab lab;
    private final boolean quick;

    FitoLoads(Lab lab) {
        this.lab = lab;
        quick = lab.isQuick();
    }

    static JobMix exponential(double micros) {
        return JobMix.one("exp " + micros + " us", "exponential", ServiceTime.exponential(micros * 1e3));
    }

    Section load() {
        List<JobMix> mixes = new ArrayList<>();
        for (double micros : quick ? new double[] { 1, 10, 100 } : new double[] { 1, 3, 10, 30, 100 }) {
            mixes.add(exponential(micros));
        }
        mixes.add(JobMix.named("ghost-rocksdb-10ms"));
        record Case(Contender who, JobMix mix, double part) {}
        List<Case> cases = new ArrayList<>();
        for (JobMix mix : mixes) {
            for (Contender who : Contender.all()) {
                for (double part : quick
                        ? new double[] { 0.5, 1.2 }
                        : new double[] { 0.1, 0.3, 0.5, 0.7, 0.9, 1.2 }) {
                    cases.add(new Case(who, mix, part));
                }
            }
        }
        List<Figure> figures = new ArrayList<>();
        lab.each(cases, c -> figures(c.who(), c.mix(), c.part())).forEach(figures::addAll);
        return new Section("E1", "FIFO: saturation and latency against load", CPUS
                + " CPUs, FIFO; loads are parts of the capacity if nothing but the work cost time", figures);
    }

    List<Figure> figures(Contender who, JobMix mix, double part) {
        SimResult r = lab.run(lab.profile(), who.transport(), FifoAgent::new, mix, CPUS, part,
                o -> o.withPolling(who.polls()));
        String label = mix.name() + ", load " + part + ", " + who.name();
        String note = r.isOverloaded() ? "overloaded: latency grows with the run" : "";
        if (part > 1) {
            return List.of(Figure.of(label + ": saturation", "kreq/s", r.throughputPerSecond() / 1e3));
        }
        boolean ten = mix.name().equals("exp 10.0 us") && part == 0.5;
        Double known = Map.of("Wave", 12.0, "Wave, interrupts", 13.2, "swap0", 11.9).get(who.name());
        return List.of(new Figure(label + ": p50", "us", Lab.micros(r.allSojourns(), 50),
                ten && known != null ? Published.analysed(known, ANALYSIS + " (section 4.3)") : null).noted(note),
                Figure.of(label + ": p99", "us", Lab.micros(r.allSojourns(), 99)).noted(note),
                Figure.of(label + ": p99.9", "us", Lab.micros(r.allSojourns(), 99.9)).noted(note),
                Figure.of(label + ": window p50", "us", Lab.micros(r.window(), 50)).noted(note),
                Figure.of(label + ": host CPU time waiting", "%", waiting(r)));
    }

    private static double waiting(SimResult r) {
        return r.time().waiting() * 100.0 / ((double) r.lastNanos() * r.cpus());
    }

    /**
     * The profile with another one-way latency of the link: reads and round trips are twice it, and an interrupt by message
     * crosses the link once.
     */
    static CostProfile oneWay(CostProfile profile, double nanos) {
        double beside = profile.nanos("link.msix") - profile.nanos("link.postedWrite");
        CostProfile changed = profile.with("link.msix", Math.max(nanos, beside + nanos),
                "sweep over the link's latency");
        for (String name : List.of("mmioReadUc", "mmioReadWt", "dmaRead", "atomicOp", "sharedLine")) {
            changed = changed.with("link." + name, 2 * nanos, "sweep over the link's latency");
        }
        for (String name : List.of("postedWrite", "dmaWrite")) {
            changed = changed.with("link." + name, nanos, "sweep over the link's latency");
        }
        return changed;
    }

    Section churn() {
        List<Double> perMicro = quick
                ? List.of(0.0, 0.001, 0.03, 0.1)
                : List.of(0.0, 0.001, 0.003, 0.01, 0.03, 0.05,
                        0.1, 0.3);
        List<Contender> who = Contender.polling();
        List<List<SimResult>> results = lab.each(perMicro, kappa -> who.stream().map(c -> churn(c, kappa)).toList());
        List<Figure> figures = new ArrayList<>();
        for (int i = 0; i < perMicro.size(); i++) {
            for (int j = 0; j < who.size(); j++) {
                SimResult r = results.get(i).get(j);
                String label = "churn " + perMicro.get(i) + " per us, " + who.get(j).name();
                figures.add(Figure.of(label + ": throughput", "kreq/s", r.throughputPerSecond() / 1e3));
                figures.add(Figure.of(label + ": refused as stale per decision in force", "x",
                        (double) r.decisions().stale() / Math.max(1, r.decisions().complete())));
            }
        }
        figures.addAll(crossover(perMicro, who, results));
        return new Section("E3", "churn: waiting tasks change behind the agent's back", CPUS
                + " CPUs, exponential 10 us, offered 1.3 times the capacity, 64 workers; each waiting task changes its "
                + "priority as a Poisson process", figures);
    }

    /** Between the last point at which swap0 loses to Wave and the first at which it does not: by linear interpolation. */
    private static List<Figure> crossover(List<Double> perMicro, List<Contender> who, List<List<SimResult>> results) {
        int swap = who.stream().map(Contender::name).toList().indexOf("swap0");
        double before = 0;
        for (int i = 0; i < perMicro.size() && swap >= 0; i++) {
            double lead = results.get(i).get(swap).throughputPerSecond() - results.get(i).get(0).throughputPerSecond();
            if (lead >= 0) {
                double high = perMicro.get(i);
                double low = i == 0 ? high : perMicro.get(i - 1);
                double at = lead == before ? high : low + (high - low) * before / (before - lead);
                return List.of(crossing(i == 0 ? high : at).noted("between " + low + " and " + high));
            }
            before = lead;
        }
        return List.of(crossing(Double.NaN).noted("loses at each churn up to " + perMicro.getLast()));
    }

    private static Figure crossing(double perMicro) {
        return new Figure("crossover: churn from which swap0 does not lose to Wave, interpolated", "per us", perMicro,
                Published.analysed(0.03, ANALYSIS + " (section 4.3: kappa = 0.03 per us)"));
    }

    private SimResult churn(Contender who, double perMicro) {
        return churn(lab, lab.profile(), who.transport(), perMicro);
    }

    static SimResult churn(Lab lab, CostProfile costs, SimTransport transport, double perMicro) {
        JobMix mix = exponential(10);
        double perSecond = mix.capacityPerSecond(CPUS) * 1.3;
        long horizon = lab.isQuick() ? 10_000_000 : 50_000_000;
        SimOptions options = SimOptions.of(CPUS, horizon).withWorkers(64, 1 << 20).withPhases(horizon / 5, 0);
        SimResult result = SimHost.run(SimSetup.of(options, transport, costs)
                .withChurn(new SimChurn(perMicro * 1e6, lab.seed() + 4)), FifoAgent::new,
                OpenLoad.blind(mix, perSecond, lab.seed() + 2));
        lab.count(result);
        return result;
    }
}
