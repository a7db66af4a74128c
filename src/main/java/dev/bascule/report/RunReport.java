package dev.bascule.report;

import dev.bascule.config.HardwareConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
 * @param reference name of the transport that the others are compared with
 * @param results one per transport
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

    /** What is wrong with the run, a sentence each, ready to be printed; empty if nothing is. */
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
     * What deciding elsewhere costs, in one sentence: median latency as a multiple of that without an agent, at the load
     * shown; empty if that was not measured, is beyond a capacity, or was not the agent's work.
     */
    String priceOfDelegation() {
        Optional<RunResult> alone = results.stream().filter(r -> !r.isDelegated() && !r.shown().isSaturated())
                .findFirst();
        double base = alone.map(r -> r.latency().p50()).orElse(Double.NaN);
        List<String> prices = results.stream()
                .filter(r -> r.isDelegated() && r.faults().isEmpty() && !r.shown().isSaturated())
                .map(r -> r.transport() + " " + Numbers.ratio(r.latency().p50() / base)).toList();
        return base > 0 && !prices.isEmpty()
                ? "Price of delegation: with the host's own queue the median latency was " + Numbers.decimal(base)
                        + " us; " + String.join(", ", prices) + " of that."
                : "";
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
