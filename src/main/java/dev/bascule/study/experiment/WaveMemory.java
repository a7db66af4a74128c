package dev.bascule.study.experiment;

import dev.bascule.agent.TierPolicy;
import dev.bascule.agent.memory.MemoryOptions;
import dev.bascule.agent.memory.MemoryOutcome;
import dev.bascule.policy.TieringAgent;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.sim.SimCosts;
import java.util.ArrayList;
import java.util.List;

/** (e): memory tiering by access bits: footprint saved against slowdown. */
final class WaveMemory {
    private static final int BATCHES = 4_096;
    private static final double MOST_SLOW_SHARE = 0.01;

    private final Lab lab;
    private final int periods;
    private final int warmUp;

    WaveMemory(Lab lab) {
        this.lab = lab;
        periods = lab.isQuick() ? 150 : 1_000;
        warmUp = periods / 4;
    }

    private record Case(String name, boolean main, TierPolicy policy) {}

    Section run() {
        List<Case> cases = new ArrayList<>();
        for (int scans : new int[] { 1, 3, 8 }) {
            cases.add(new Case("Thompson sampling, cold after " + scans + " idle scans", scans == 3,
                    new TieringAgent(BATCHES, scans, MOST_SLOW_SHARE, lab.seed() + 22)));
        }
        for (int interval : new int[] { 1, 8, 32 }) {
            cases.add(new Case("fixed scans every " + interval + " periods, cold after 3 idle scans", false,
                    new FixedTiers(BATCHES, interval, 3)));
        }
        List<Figure> figures = new ArrayList<>();
        lab.each(cases, this::figures).forEach(figures::addAll);
        PageTrace.Shape shape = PageTrace.Shape.of(BATCHES);
        return new Section("e", "memory: hot and cold batches by access bits, footprint saved against slowdown", BATCHES
                + " batches of 64 pages, " + shape.hotShare() * 100 + " % of them hot, a twentieth changes every "
                + shape.driftPeriods()
                + " periods of 300 ms (the time base of SOL's scans); a made-up trace: RocksDB's "
                + "was not at hand. Access bits and decisions cross the byte-level DMA queues; the slowdown is that of a "
                + "program that does nothing but access memory, with memory.fast and memory.slow of the profile. What "
                + "scans and classification cost is not simulated but measured by the live form", figures);
    }

    private List<Figure> figures(Case one) {
        SimCosts costs = SimCosts.of(lab.profile(), true);
        MemoryRun run = new MemoryRun(costs, MemoryOptions.of(BATCHES).withMostSlowShare(MOST_SLOW_SHARE), one.policy(),
                new PageTrace(PageTrace.Shape.of(BATCHES), lab.seed() + 16), periods, warmUp);
        double more = lab.profile().value("memory.slow") / lab.profile().value("memory.fast") - 1;
        List<Figure> figures = new ArrayList<>();
        figures.add(new Figure(one.name() + ": fast memory saved", "%", run.savedPercent(), one.main()
                ? Published.of(79, "Wave, RocksDB footprint, arXiv:2603.13750 section 2.4", "second-hand")
                : null).chosen("the trace's share of hot batches, which decides it: not predicted"));
        figures.add(Figure.of(one.name() + ": slowdown", "%", run.slowPercent() * more));
        figures.add(Figure.of(one.name() + ": batches scanned per period, of all", "%",
                run.scannedPercentPerPeriod()));
        if (one.main()) {
            figures.add(Figure.of(one.name() + ": accesses that went to slow memory", "%", run.slowPercent()));
            figures.add(Figure.of(one.name() + ": migrations", "batches per period", run.movesPerPeriod()));
            figures.add(Figure.of(one.name() + ": periods after which the host's safeguard acted", "periods",
                    run.host.alarms()));
            figures.add(Figure.of(one.name() + ": decisions refused", "decisions", refused(run)));
            figures.add(Figure.of(one.name() + ": from the start of a period to decisions in force, mean", "us",
                    run.decisionNanos() / 1e3));
            figures.add(Figure.of(one.name() + ": read by the NIC over the DMA queue", "MB/s",
                    run.dmaBytesPerSecond() / 1e6));
            figures.add(Figure.of(one.name() + ": share of the link's bandwidth", "%",
                    run.dmaBytesPerSecond() / lab.profile().value("link.dmaBandwidth") * 100));
            figures.add(Figure.of(one.name() + ": agent busy", "%", run.agentBusyPercent()));
        }
        return figures;
    }

    private static double refused(MemoryRun run) {
        double sum = 0;
        for (MemoryOutcome outcome : MemoryOutcome.values()) {
            sum += outcome == MemoryOutcome.COMPLETE ? 0 : run.host.outcomes(outcome);
        }
        return sum;
    }
}
