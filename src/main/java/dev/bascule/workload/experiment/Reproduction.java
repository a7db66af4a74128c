package dev.bascule.workload.experiment;

import dev.bascule.config.CostProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A set of published experiments, predicted. Micro-costs are the only inputs and stand in the result.
 *
 * @param name {@code wave} or {@code fito}
 * @param profile all inputs
 * @param sections experiments, in order
 * @param runs simulations that were run
 * @param littleErrors simulations in which Little's law did not hold exactly: must be 0
 */
public record Reproduction(String name, CostProfile profile, List<Section> sections, long runs, long littleErrors) {
    /** Keeps a copy. */
    public Reproduction {
        sections = List.copyOf(sections);
    }

    /** Wave's experiments: (a) to (f). */
    public static Reproduction wave(CostProfile profile, boolean quick, long seed, Consumer<String> progress) {
        Lab lab = new Lab(profile, quick, seed);
        return run("wave", lab, progress, List.of(() -> new WaveMicro(lab).run(), () -> new WaveLadder(lab).run(),
                () -> new WavePlacement(lab).run(), () -> new WaveMachines(lab).run(),
                () -> new WaveMemory(lab, quick).run(),
                () -> new WaveRpc(lab, quick).run()));
    }

    /** The comparison of Wave's transactions with the bilateral swap. */
    public static Reproduction fito(CostProfile profile, boolean quick, long seed, Consumer<String> progress) {
        Lab lab = new Lab(profile, quick, seed);
        FitoLoads loads = new FitoLoads(lab, quick);
        FitoOps ops = new FitoOps(lab, quick);
        return run("fito", lab, progress, List.of(loads::load, loads::latency, loads::churn, ops::staging, ops::cores,
                () -> new FitoBatches(lab, quick).run(), ops::rpc, ops::failures, ops::idle));
    }

    private static Reproduction run(String name, Lab lab, Consumer<String> progress,
            List<Supplier<Section>> experiments) {
        List<Section> sections = new ArrayList<>();
        for (Supplier<Section> experiment : experiments) {
            Section section = experiment.get();
            progress.accept("(" + section.id() + ") " + section.title());
            sections.add(section);
        }
        return new Reproduction(name, lab.profile(), sections, lab.runs(), lab.littleErrors());
    }
}
