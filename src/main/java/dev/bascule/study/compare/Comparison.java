package dev.bascule.study.compare;

import dev.bascule.report.Findings;
import dev.bascule.report.MachineInfo;
import dev.bascule.report.Percentiles;
import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.List;

/** Runs experiments one after the other and puts their outcome together. */
public final class Comparison {
    /** Experiments, all of which are played live. */
    public static final List<String> LIVE = List.of("E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9");

    private static final List<String> ON_ONE_BED = List.of("E3", "E8", "E9");

    private Comparison() {}

    /**
     * Why an experiment cannot be run here; empty if it can.
     *
     * @param name E1 to E9, as in the plan of the comparison
     */
    public static String objection(String name) {
        if (LIVE.contains(name)) {
            return "";
        }
        return "there is no experiment " + name + "; there are " + String.join(", ", LIVE);
    }

    /**
     * Runs the named experiments.
     *
     * @param requests plays E7
     * @param loads plays E1, E2 and E4
     * @param repeats how often, each time with a seed of its own
     * @param command the command line that repeats this
     * @param started local date and time
     * @param config the hardware configuration
     * @param simulated whether its link injects latency
     * @throws InterruptedException if the thread is interrupted
     */
    public static Findings run(Bench bench, RequestRuns requests, LoadRuns loads, List<String> names, int repeats,
            String command, String started, String config, boolean simulated, MachineInfo machine)
            throws InterruptedException {
        List<Findings> all = new ArrayList<>();
        for (int i = 0; i < repeats; i++) {
            if (repeats > 1) {
                bench.progress().accept("repeat " + (i + 1) + " of " + repeats);
            }
            all.add(new Findings("Transports compared: who decides, how old the decision is, and what a fault costs",
                    command, started, bench.seed(), config, simulated, machine, rules(bench, repeats),
                    sections(bench.repeat(i), requests, loads, names)));
        }
        return Findings.ofRepeats(all);
    }

    private static List<Section> sections(Bench bench, RequestRuns requests, LoadRuns player, List<String> names)
            throws InterruptedException {
        Conflicts conflicts = new Conflicts(bench);
        Scaling scaling = new Scaling(bench);
        Faults faults = new Faults(bench);
        Idleness idleness = new Idleness(bench);
        for (String transport : bench.transports()) {
            if (names.stream().anyMatch(ON_ONE_BED::contains)) {
                playOnOneBed(bench, transport, names, conflicts, idleness, faults);
            }
            if (names.contains("E8")) {
                faults.playCollecting(transport);
            }
            if (names.contains("E5")) {
                scaling.play(transport);
            }
        }
        PageBatches batches = new PageBatches(bench);
        if (names.contains("E6")) {
            batches.play();
        }
        SteeredRequests steered = new SteeredRequests(bench, requests);
        if (names.contains("E7")) {
            steered.play();
        }
        Loads loads = new Loads(bench, player);
        if (names.contains("E1")) {
            loads.play();
        }
        LinkLatencies latencies = new LinkLatencies(bench, player);
        if (names.contains("E2")) {
            latencies.play();
        }
        Priorities priorities = new Priorities(bench, player);
        if (names.contains("E4")) {
            priorities.play();
        }
        List<Section> sections = new ArrayList<>();
        for (String name : names) {
            sections.add(switch (name) {
                case "E1" -> loads.section();
                case "E2" -> latencies.section();
                case "E4" -> priorities.section();
                case "E3" -> conflicts.section();
                case "E5" -> scaling.section();
                case "E6" -> batches.section();
                case "E7" -> steered.section();
                case "E8" -> faults.section();
                case "E9" -> idleness.section();
                default -> throw new IllegalArgumentException(objection(name));
            });
        }
        return sections;
    }

    /** Opening a bed costs the start of a JVM and its warm-up. Faults come last: they replace the agent. */
    private static void playOnOneBed(Bench bench, String transport, List<String> names, Conflicts conflicts,
            Idleness idleness, Faults faults) throws InterruptedException {
        try (Testbed bed = Testbed.open(bench, transport, 1, false)) {
            if (names.contains("E9")) {
                idleness.play(bed, transport);
            }
            if (names.contains("E3")) {
                conflicts.play(bed, transport);
            }
            if (names.contains("E8")) {
                faults.play(bed, transport);
            }
        }
    }

    private static String rule(int repeats) {
        return repeats == 1
                ? "One run a setting: no confidence intervals (--repeat gives some); compare columns of one run, not runs."
                : repeats + " repeats, each with a seed and agents of its own: times and rates are means with 95 %"
                        + " confidence intervals (Student's t), counts are sums. n.d.: not distinguishable from the first"
                        + " column of its kind, as the interval of the ratio, repeat by repeat, holds 1.";
    }

    private static List<String> rules(Bench bench, int repeats) {
        return List.of(
                "One substrate under all: the same software SmartNIC, the same placement of decision lines, the same"
                        + " policy code (FIFO), one agent process on one core, one host thread on another. E1, E2, E4, E6 and E7 have agents,"
                        + " hosts and threads of their own, which their sections name.",
                "Polling and interrupt are columns of their own and never mixed.",
                "The same detection budget: soft window " + FigureText.micros(bench.softNanos() / 1e3) + ", hard limit "
                        + FigureText.micros(bench.hardNanos() / 1e3) + ", both transports with the same supervisor.",
                "Host CPU spent waiting is a cost and stands beside every latency.",
                Percentiles.RULE,
                "In E3, E5, E8 and E9 tasks always want to run (a closed load), so throughput is what the transport allows, and"
                        + " no latency from an intended arrival is claimed; E1, E2, E4 and E7 have it.",
                "Each bed is warmed up for at least 0.4 s and until its agent counts as warm. " + rule(repeats),
                "All experiments are live here, at the scale of this machine. More CPUs than its cores can play are simulated,"
                        + " with the same names: 'reproduce fito'.");
    }
}
