package dev.bascule.study.experiment;

import dev.bascule.config.CostProfile;
import dev.bascule.study.report.Agreement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A set of published experiments, predicted. Micro-costs are the only inputs and stand in the result.
 *
 * @param name {@code wave}, {@code fito} or {@code ghost}
 * @param profile all inputs
 * @param size how long and how often
 * @param sections experiments, in order
 * @param runs simulations that were run
 * @param littleErrors simulations in which Little's law did not hold exactly: must be 0
 */
public record Reproduction(String name, CostProfile profile, Size size, List<Section> sections, long runs,
        long littleErrors) {
    private static final int SAID = 50;

    /**
     * How long and how often everything is run.
     *
     * @param quick shorter runs and fewer points
     * @param repeats independent repeats of everything, at least 1
     * @param seed of the first; the others follow from it
     */
    public record Size(boolean quick, int repeats, long seed) {
        /** Repeats of a full run. */
        public static final int REPEATS = 5;
        /** Repeats of a quick one. */
        public static final int QUICK_REPEATS = 3;

        /** Checks the number. */
        public Size {
            if (repeats < 1) {
                throw new IllegalArgumentException("reproduce: " + repeats + " repeats; at least 1");
            }
        }

        /** With as many repeats as are usual. */
        public static Size of(boolean quick, long seed) {
            return new Size(quick, quick ? QUICK_REPEATS : REPEATS, seed);
        }
    }

    /** Keeps a copy. */
    public Reproduction {
        sections = List.copyOf(sections);
    }

    /** This reproduction with other sections. */
    public Reproduction with(List<Section> others) {
        return new Reproduction(name, profile, size, others, runs, littleErrors);
    }

    /** Agreement with published figures, and why the rest differs. */
    public Agreement agreement() {
        Agreement all = Section.agreement(sections, switch (name) {
            case "wave" -> "what a message costs a NIC core is not published: 258 and 895 kreq/s are 3.88 and 1.12 us"
                    + " of one core for a request, of which a decision takes 1.01 uncached and 0.43 write-back; two"
                    + " messages of 1.4 and 0.35 us would explain both, and most of what context switches lack; in the cost"
                    + " file one takes " + profile.value("nicAgent.message") / 1e3;
            case "ghost" -> "one set of costs makes the p99 of 1 at 500 to 700 K/s 20 % too long and that of 4-10000"
                    + " above 210 K/s as much and more too short: decisions that follow each other would have to cost"
                    + " the agent less than single ones; what the load generator takes for a job is not published, and"
                    + " the 1.99 M/s that it did would be 0.50 us of its core, where the cost file has "
                    + profile.value("kernel.message") / 1e3
                    + " and its look for workers, so that all above 1.1 M/s is too quick; of short jobs under Shinjuku"
                    + " one in 200 took 1.5 to 2 us longer at any load, which neither its source nor its kernel's"
                    + " timer explains; near saturation long jobs of Shinjuku took up to twice as long; half of the jobs"
                    + " of 1-100 are long, so that its median is either kind";
            default -> "nobody published these experiments; what stands beside some figures is this project's own"
                    + " analysis, from round trips alone, without queues";
        });
        return name.equals("ghost") ? all.also(GhostCurves.kneesAndShares(sections)) : all;
    }

    /** Wave's experiments: (a) to (e). */
    public static Reproduction wave(CostProfile profile, Size size, Consumer<String> progress) {
        return run("wave", profile, size, progress, List.of(lab -> new WaveMicro(lab).run(),
                lab -> new WaveLadder(lab).run(), lab -> new WavePlacement(lab).run(),
                lab -> new WaveMachines(lab).run(), lab -> new WaveMemory(lab).run()));
    }

    /** The comparison of Wave's transactions with the bilateral swap. */
    public static Reproduction fito(CostProfile profile, Size size, Consumer<String> progress) {
        return run("fito", profile, size, progress, List.of(lab -> new FitoLoads(lab).load(),
                lab -> new FitoLatency(lab).run(), lab -> new FitoLoads(lab).churn(),
                lab -> new FitoBreakEven(lab).run(),
                lab -> new FitoOps(lab).staging(), lab -> new FitoOps(lab).cores(), lab -> new FitoBatches(lab).run(),
                lab -> new FitoOps(lab).rpc(), lab -> new FitoOps(lab).failures(), lab -> new FitoOps(lab).idle()));
    }

    /** ghOSt's and Shinjuku's microbenchmarks, and latency against load as an independent paper measured it. */
    public static Reproduction ghost(CostProfile profile, Size size, Consumer<String> progress) {
        return run("ghost", profile, size, progress, List.of(lab -> new GhostMicro(lab).run(),
                lab -> new GhostCurves(lab).fitted(), lab -> new GhostCurves(lab).quanta(),
                lab -> new GhostCurves(lab).mixes(), lab -> new GhostCurves(lab).others(),
                lab -> new GhostCurves(lab).shares()));
    }

    private static Reproduction run(String name, CostProfile profile, Size size, Consumer<String> progress,
            List<Function<Lab, Section>> experiments) {
        AtomicLong done = new AtomicLong();
        Runnable ran = () -> {
            long count = done.incrementAndGet();
            if (count % SAID == 0) {
                progress.accept(count + " simulated runs done");
            }
        };
        List<Lab> labs = IntStream.range(0, size.repeats()).mapToObj(i -> new Lab(profile, size, i).telling(ran))
                .toList();
        List<Section> sections = new ArrayList<>();
        for (Function<Lab, Section> experiment : experiments) {
            Section section = Section.over(labs.parallelStream().map(experiment).toList());
            progress.accept("(" + section.id() + ") " + section.title());
            sections.add(section);
        }
        return new Reproduction(name, profile, size, sections, labs.stream().mapToLong(Lab::runs).sum(),
                labs.stream().mapToLong(Lab::littleErrors).sum());
    }
}
