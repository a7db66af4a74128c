package dev.bascule.run;

import dev.bascule.agent.memory.MemoryLedger;
import dev.bascule.agent.memory.MemoryOutcome;
import dev.bascule.host.tier.Tiering;
import dev.bascule.json.Json;
import dev.bascule.report.TierPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Findings of a run of {@code bascule tier}, all of them measured on this machine. Thread rule: one thread. */
public final class TierReport {
    private static final double MIB = 1 << 20;

    private final String policy;
    private final String link;
    private final boolean agentProcess;
    private final List<TierPage.Moment> samples = new ArrayList<>();
    private double watchSeconds;
    private long watchOperations = -1;
    private double beginSeconds;
    private long beginOperations = -1;
    private double endSeconds;
    private double wholeSeconds;
    private long endOperations = -1;

    TierReport(String policy, String link, boolean agentProcess) {
        this.policy = policy;
        this.link = link;
        this.agentProcess = agentProcess;
    }

    void watchBegins(double seconds, long operations) {
        watchSeconds = seconds;
        watchOperations = operations;
    }

    void begin(double seconds, long operations) {
        beginSeconds = seconds;
        beginOperations = operations;
    }

    /**
     * The program has ended.
     *
     * @param told when it told its operations last; what it did afterwards is no use that it counts
     */
    void end(double seconds, double told, long operations) {
        wholeSeconds = Math.max(1e-9, seconds - beginSeconds);
        endSeconds = Math.max(beginSeconds, told);
        endOperations = operations;
    }

    /** @param operations that the program has told; -1 where it does not */
    void sample(double seconds, Tiering host, long operations) {
        if (host.processes() > 0) {
            samples.add(new TierPage.Moment(seconds, host.residentBytes(), host.fastBytes(), host.touches(),
                    host.slowTouches(), operations));
        }
    }

    String progress(Tiering host) {
        return String.format(Locale.ROOT,
                "%.1f MiB of %d processes in fast memory, %d pages demoted, %d touched in slow memory",
                host.fastBytes() / MIB, host.processes(), host.demotedPages(), host.slowTouches());
    }

    private long most() {
        return samples.stream().mapToLong(TierPage.Moment::fastBytes).max().orElse(0);
    }

    /** Mean over the second half of the time, when it has settled. */
    private double settled() {
        double half = (beginSeconds + endSeconds) / 2;
        return samples.stream().filter(sample -> sample.seconds() >= half && sample.seconds() <= endSeconds)
                .mapToLong(TierPage.Moment::fastBytes).average()
                .orElse(samples.isEmpty() ? 0 : samples.getLast().fastBytes());
    }

    private double tieredSeconds() {
        return Math.max(1e-9, endSeconds - beginSeconds);
    }

    /** Operations a second while it was left alone; NaN where nobody told. */
    private double rateBefore() {
        return watchOperations < 0 && beginOperations < 0 || beginSeconds - watchSeconds < 0.1
                ? Double.NaN
                : (beginOperations - Math.max(0, watchOperations)) / (beginSeconds - watchSeconds);
    }

    private double rateWith() {
        return endOperations < 0 || beginOperations < 0
                ? Double.NaN
                : (endOperations - beginOperations) / tieredSeconds();
    }

    private double lostPercent() {
        return (1 - rateWith() / rateBefore()) * 100;
    }

    private static long refused(Tiering host) {
        return host.outcomes(MemoryOutcome.REFUSED) + host.outcomes(MemoryOutcome.INVALID);
    }

    String text(Tiering host, TierAgents agents) {
        StringBuilder out = new StringBuilder();
        line(out, "%s over %s, agent in %s; access bits from %s; cold pages go %s", policy, link,
                agentProcess ? "a process of its own" : "this process", host.source(), host.slowTier());
        line(out, "fast memory       most %.1f MiB, second half %.1f MiB on average%s", most() / MIB, settled() / MIB,
                host.isMoving() ? saved() : saved() + " (would be: nothing was moved out)");
        line(out, "touched pages     %.2f %% of %d in slow memory; %d faults that read from a disk or swap",
                host.slowTouches() * 100.0 / Math.max(1, host.touches()), host.touches(), host.majorFaults());
        line(out, "scans             %d periods, %d batches, %.2f %% of a CPU; moves %.2f %%; agent %.2f %%",
                host.periods(), host.scans(), host.scanNanos() / 1e7 / wholeSeconds,
                host.moveNanos() / 1e7 / wholeSeconds, agents.cpuNanos() / 1e7 / wholeSeconds);
        if (host.scannedBytes() > 0) {
            line(out,
                    "CPU time          of a GiB looked at once: %.1f ms to scan, %.1f ms of the agent, %.1f ms to act",
                    perGib(host.scanNanos(), host), perGib(agents.cpuNanos(), host), perGib(host.moveNanos(), host));
        }
        line(out,
                "decisions         %d: %d in force, %d stale, %d too late, %d held back, %d beyond the limit, %d refused",
                host.ledger().decided(), host.outcomes(MemoryOutcome.COMPLETE), host.outcomes(MemoryOutcome.STALE),
                host.outcomes(MemoryOutcome.EXPIRED), host.outcomes(MemoryOutcome.HELD),
                host.outcomes(MemoryOutcome.LIMITED), refused(host));
        line(out, "pages             %d demoted; safeguard acted %d times; %d periods without an agent",
                host.demotedPages(), host.alarms(), host.alonePeriods());
        host.refusals().forEach((why, pages) -> line(out, "not moved         %d pages: %s", pages, why));
        host.denied().forEach((pid, why) -> line(out, "left alone        process %d: %s", pid, why));
        if (host.unmanaged() > 0) {
            line(out, "no room           %d times a batch found none in the table; more: --batches", host.unmanaged());
        }
        if (!Double.isNaN(rateWith())) {
            line(out, "throughput        %.0f operations/s%s", rateWith(), Double.isNaN(rateBefore())
                    ? ""
                    : String.format(Locale.ROOT, ", %.0f before; %.1f %% lost", rateBefore(), lostPercent()));
        }
        return out.toString();
    }

    /** As a page that needs nothing else. */
    String html(Tiering host, TierAgents agents) {
        return TierPage.html("Memory tiering", text(host, agents), host.isMoving(), samples);
    }

    private String saved() {
        return most() == 0
                ? ""
                : String.format(Locale.ROOT, ", %.0f %% less than the most", (1 - settled() / most()) * 100);
    }

    /** CPU time by memory that was scanned, ms a GiB. */
    private static double perGib(long cpuNanos, Tiering host) {
        return cpuNanos / 1e6 / (host.scannedBytes() / (1024 * MIB));
    }

    private static void line(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    Json.Obj json(Tiering host, TierAgents agents) {
        Json.Obj outcomes = Json.object();
        for (MemoryOutcome outcome : MemoryOutcome.values()) {
            outcomes.put(outcome.name().toLowerCase(Locale.ROOT), host.outcomes(outcome));
        }
        MemoryLedger ledger = host.ledger();
        Json.Obj decisions = Json.object().put("decided", ledger.decided()).put("inForce", ledger.inForce())
                .put("stale", ledger.stale()).put("refused", ledger.refused());
        Json.Obj refusals = Json.object();
        for (Map.Entry<String, Long> one : host.refusals().entrySet()) {
            refusals.put(one.getKey(), one.getValue());
        }
        Json.Obj all = Json.object().put("policy", policy).put("link", link).put("agentProcess", agentProcess)
                .put("agentsStarted", agents.starts()).put("source", host.source()).put("to", host.slowTier())
                .put("moves", host.isMoving()).put("seconds", wholeSeconds).put("mostFastBytes", most())
                .put("settledFastBytes", settled()).put("touchedPages", host.touches())
                .put("touchedInSlow", host.slowTouches()).put("majorFaults", host.majorFaults())
                .put("periods", host.periods()).put("scans", host.scans())
                .put("scannedBytes", host.scannedBytes()).put("scanNanos", host.scanNanos())
                .put("moveNanos", host.moveNanos()).put("agentNanos", agents.cpuNanos())
                .put("demotedPages", host.demotedPages()).put("alarms", host.alarms())
                .put("alonePeriods", host.alonePeriods()).put("decisions", decisions).put("outcomes", outcomes)
                .put("pagesNotMoved", refusals)
                .put("unmanaged", host.unmanaged());
        if (!Double.isNaN(rateWith())) {
            all.put("operationsPerSecond", rateWith());
        }
        if (!Double.isNaN(rateBefore()) && !Double.isNaN(rateWith())) {
            all.put("operationsPerSecondBefore", rateBefore()).put("lostPercent", lostPercent());
        }
        return all.put("memory", Json.array(samples, sample -> Json.object().put("seconds", sample.seconds())
                .put("residentBytes", sample.residentBytes()).put("fastBytes", sample.fastBytes())
                .put("touchedPages", sample.touches()).put("touchedInSlow", sample.slowTouches())));
    }
}
