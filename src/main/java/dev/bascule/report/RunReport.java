package dev.bascule.report;

import dev.bascule.config.HardwareConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * All that a report shows.
 *
 * @param title what was run, one line
 * @param command the command that repeats it
 * @param workload the service and what it costs on this machine
 * @param started local date and time, as it shall be printed
 * @param seed decides arrivals, kinds and keys
 * @param config the hardware configuration
 * @param machine where it ran
 * @param reference name of the transport, or the policy, that the others are compared with
 * @param results one per transport, or per policy
 * @param notes method notes of the run: what was measured, what was not
 */
public record RunReport(String title, String command, String workload, String started, long seed, HardwareConfig config,
        MachineInfo machine, String reference, List<RunResult> results, List<String> notes) {

    /** How the lines of {@link #wrong} begin. */
    public static final String WRONG = "WRONG: ";

    /** Copies the lists. */
    public RunReport {
        results = List.copyOf(results);
        notes = List.copyOf(notes);
    }

    /** The result of the reference transport, if it ran. */
    Optional<RunResult> referenceResult() {
        return results.stream().filter(r -> r.transport().equals(reference)).findFirst();
    }

    /** Whether requests went right, and it was the policy that decided, over every transport. */
    public boolean isRight() {
        return results.stream().allMatch(RunResult::isRight);
    }

    /** Faults of the run, a sentence each, ready to be printed; empty if nothing is. */
    public List<String> wrong() {
        List<String> lines = new ArrayList<>();
        List<String> astray = results.stream().filter(r -> !r.requests().isClean()).map(RunResult::transport).toList();
        if (!astray.isEmpty()) {
            lines.add(WRONG + "requests were lost, run twice or answered wrongly on: " + String.join(", ", astray)
                    + ".");
        }
        for (RunResult result : results) {
            result.faults().forEach(fault -> lines.add(WRONG + result.transport() + ": " + fault.text() + "."));
        }
        return lines;
    }

    /**
     * The price of deciding elsewhere, in one sentence: median latency as a multiple of that without an agent, at the
     * load shown; empty if that was not measured, is beyond a capacity, or was not the agent's work.
     */
    String priceOfDelegation() {
        String prices = prices().entrySet().stream().map(price -> price.getKey() + " "
                + (price.getValue().equals(Metric.SAME)
                        ? "not distinguishable from that"
                        : price.getValue() + " of that"))
                .collect(Collectors.joining(", "));
        return prices.isEmpty()
                ? ""
                : "Price of delegation: with the host's own queue the median latency was "
                        + Metric.MEDIAN.print(alone().orElseThrow()) + " us; " + prices + ".";
    }

    /** That price by transport or policy: a ratio, or the mark of what cannot be distinguished. */
    Map<String, String> prices() {
        Map<String, String> prices = new LinkedHashMap<>();
        alone().ifPresent(alone -> results.stream()
                .filter(r -> r.isDelegated() && r.faults().isEmpty() && !r.shown().isSaturated())
                .forEach(r -> prices.put(r.transport(), Metric.print(Metric.MEDIAN.ratio(r, alone)))));
        return prices;
    }

    private Optional<RunResult> alone() {
        return results.stream().filter(r -> !r.isDelegated() && !r.shown().isSaturated()).findFirst()
                .filter(r -> r.latency().p50() > 0);
    }

    /**
     * Sentences, one for each of the others, on whether its latency can be told from the reference's by the ratios of
     * paired repeats at the load shown; ready to be printed, none if it was measured once.
     */
    List<String> verdicts() {
        Optional<RunResult> reference = referenceResult();
        if (repeats() == 1 || reference.isEmpty()) {
            return List.of();
        }
        return results.stream().filter(r -> r != reference.get() && r.isDelegated())
                .map(r -> "Verdict on latency: " + verdict(r, reference.get())).toList();
    }

    private static String verdict(RunResult of, RunResult reference) {
        for (RunResult one : List.of(of, reference)) {
            if (!one.isRight()) {
                return "none on " + of.transport() + ": " + one.transport()
                        + " has what is called WRONG, so that it may not be the policy that is measured.";
            }
            if (one.shown().isSaturated()) {
                return "none on " + of.transport() + ": more was offered to " + one.transport()
                        + " than it could answer at the load shown; offer less (--load).";
            }
        }
        List<Metric> known = Metric.VERDICT.stream().filter(m -> !Double.isNaN(m.ratio(of, reference).half())).toList();
        if (known.isEmpty()) {
            return "none on " + of.transport()
                    + ": too few requests for percentiles; longer runs (--duration) have more.";
        }
        boolean differs = known.stream().anyMatch(m -> m.ratio(of, reference).excludes(1));
        String ratios = known.stream().map(m -> m.percentile() + " " + Metric.print(m.ratio(of, reference)))
                .collect(Collectors.joining(", "));
        return of.transport() + " and " + reference.transport()
                + (differs ? " are distinguishable: " : " are not distinguishable: ") + ratios
                + (differs
                        ? ", as ratios to " + reference.transport() + "."
                        : "; more repeats (--repeat) narrow the intervals.");
    }

    /** How often each transport was measured, with a seed of its own each time. */
    int repeats() {
        return results.stream().mapToInt(r -> Math.max(1, r.repeats().size())).max().orElse(1);
    }

    /** Meaning of the intervals, in one sentence; empty if it was measured once. */
    String aboutRepeats() {
        return repeats() == 1
                ? ""
                : Numbers.count(repeats()) + " repeats, each with a seed and agents of its own: figures are means with"
                        + " 95 % confidence intervals (Student's t), counts are sums. A ratio is of runs of one repeat. "
                        + Metric.SAME + ": not distinguishable, the interval of the ratio holds 1.";
    }

    /** One sentence on what is real and what is simulated here. */
    String honesty() {
        String link = config.link().isZero()
                ? "the link to it adds no latency, so the figures are this machine's own, not those of a PCIe device"
                : "the latencies of its link are injected from publications (configuration " + config.name()
                        + " names each source), so every figure"
                        + " that crosses the link is simulated";
        return "The SmartNIC is a software device on this machine; " + link
                + ". Service, scheduling and counts are real and measured here.";
    }
}
