package dev.bascule.study.experiment;

import dev.bascule.agent.Agent;
import dev.bascule.config.CostProfile;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.ShinjukuAgent;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimTransport;
import dev.bascule.study.sim.SimTransports;
import dev.bascule.wave.WaveOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** (b): Wave's optimisations, each by itself and all together. */
final class WaveLadder {
    static final int CPUS = 16;
    static final long QUANTUM_NANOS = 30_000;
    static final long SLO_NANOS = 200_000;

    /** Time of a decision by an agent whose cores map the NIC's memory uncached, ns; write-back, 426. */
    private static final double UNCACHED_NANOS = 1_013;
    private static final String UNCACHED_SOURCE = "Wave (ASPLOS'25): open a decision and send the MSI-X, 1,013 ns, and 426 ns"
            + " once the agent maps the NIC's memory write-back; recollection";

    private final Lab lab;

    WaveLadder(Lab lab) {
        this.lab = lab;
    }

    private static SimTransport with(String name, boolean combining, boolean through, boolean prestage,
            boolean prefetch, boolean push, boolean batch) {
        return SimTransports.wave(name, new WaveOptions(prestage, prefetch, batch, push, 0), combining, through);
    }

    static List<SimTransport> steps() {
        return List.of(with("none", false, false, false, false, false, false),
                with("write-combining alone", true, false, false, false, false, false),
                with("write-through alone", false, true, false, false, false, false),
                with("prestage alone", false, false, true, false, false, false),
                with("write-through and prefetch", false, true, false, true, false, false),
                with("DMA (push) alone", false, false, false, false, true, false),
                with("batch alone", false, false, false, false, false, true),
                with("all, pulled", true, true, true, true, false, true),
                with("all, pushed by DMA", true, true, true, true, true, true));
    }

    Section run() {
        List<Figure> figures = new ArrayList<>();
        figures.addAll(policy("FIFO, GET 10 us + Exp(1)", FifoAgent::new, JobMix.named("ghost-fifo")));
        figures.addAll(policy("Shinjuku, RocksDB 99.5 % GET 10 us, 0.5 % RANGE 5 ms",
                () -> new ShinjukuAgent(QUANTUM_NANOS), JobMix.named("ghost-rocksdb")));
        return new Section("b", "optimisation ladder: throughput, and p99 against load",
                CPUS + " CPUs that poll (the papers' number for Wave was not at hand), quantum " + QUANTUM_NANOS / 1000
                        + " us; saturation: useful work at 1.3 times the capacity, by the mean job; SLO chosen: p99 of GET within "
                        + SLO_NANOS / 1000 + " us",
                figures);
    }

    private record Step(SimTransport transport, double saturation, double withinSlo, double p99Micros) {}

    private List<Figure> policy(String name, Supplier<Agent> policy, JobMix mix) {
        List<Step> steps = lab.each(steps(), t -> new Step(t, lab.saturation(t, policy, mix, CPUS),
                lab.withinSlo(t, policy, mix, CPUS, r -> r.sojourn().get(0).percentile(99), SLO_NANOS),
                Lab.micros(lab.run(t, policy, mix, CPUS, 0.4).sojourn().get(0), 99)));
        boolean fifo = name.startsWith("FIFO");
        List<Figure> figures = new ArrayList<>();
        for (Step step : steps) {
            String label = name + ": " + step.transport().name();
            figures.add(new Figure(label + ", saturation", "kreq/s", step.saturation() / 1e3,
                    published(fifo, step.transport().name())));
            figures.add(Figure.of(label + ", within SLO", "kreq/s", step.withinSlo() / 1e3));
            figures.add(Figure.of(label + ", p99 of GET at 0.4 of the capacity", "us", step.p99Micros()));
        }
        figures.addAll(coresMapping(name, policy, mix));
        double ratio = steps.get(steps.size() - 2).saturation() / steps.get(0).saturation();
        figures.add(new Figure(name + ": all over none", "x", ratio, fifo
                ? Published.of(3.47, "895/258 kreq/s, arXiv:2603.13750 section 2.5; workload not stated there",
                        "second-hand")
                : null));
        return figures;
    }

    /** The paper's step on the NIC's side, above all the others: how its own cores map its memory. */
    List<Figure> coresMapping(String name, Supplier<Agent> policy, JobMix mix) {
        SimTransport all = with("all, pulled", true, true, true, true, false, true);
        CostProfile uncached = lab.profile().with("nicAgent.decision", UNCACHED_NANOS, UNCACHED_SOURCE);
        double slow = saturation(uncached, all, policy, mix);
        double fast = saturation(lab.profile(), all, policy, mix);
        String label = name + ": all, pulled, and the NIC's memory ";
        return List.of(Figure.of(label + "uncached on its own cores, saturation", "kreq/s", slow / 1e3),
                Figure.of(label + "write-back over uncached there", "x", fast / slow));
    }

    private double saturation(CostProfile costs, SimTransport transport, Supplier<Agent> policy, JobMix mix) {
        SimResult result = lab.run(costs, transport, policy, mix, CPUS, 1.3, o -> o.withPhases(o.warmUpNanos(), 0));
        return result.time().work() / (double) result.lastNanos() / mix.meanNanos() * 1e9;
    }

    private static @org.jspecify.annotations.Nullable Published published(boolean fifo, String step) {
        String source = "arXiv:2603.13750 section 2.5; workload and number of CPUs not stated there";
        if (fifo && step.equals("none")) {
            return Published.of(258, source, "second-hand");
        }
        return fifo && step.equals("all, pulled") ? Published.of(895, source, "second-hand") : null;
    }
}
