package dev.bascule.cli;

import dev.bascule.config.HardwareConfig;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/** The main job's results as table, JSON and report. */
final class RunOutput {
    private final RunPlan plan;
    private final HardwareConfig hardware;
    private final MainJob.Result result;

    RunOutput(RunPlan plan, HardwareConfig hardware, MainJob.Result result) {
        this.plan = plan;
        this.hardware = hardware;
        this.result = result;
    }

    void printTable(PrintWriter out, String report) {
        out.println(result.service());
        for (MainJob.OfTransport t : result.transports()) {
            for (PointResult p : t.points()) {
                out.printf(
                        "%-8s load %.2f offered %.0f/s n=%d clean=%s p50 %.1f p99 %.1f p999 %.1f us; dec %d stale %d abort %d pre %d local %d fences %d window p50 %.2f p99 %.2f agent %.2fs host %.2fs busy %.2fs preempt %d%n",
                        t.name(), p.load(), p.offeredPerSecond(), p.requests().completed(), p.requests().isClean(),
                        us(p.latency(), 50), us(p.latency(), 99), us(p.latency(), 99.9), p.decisions(), p.stale(),
                        p.aborted(), p.prestageHits(), p.localDecisions(), p.fences(), us(p.window(), 50),
                        us(p.window(), 99), p.agentCpuSeconds(), p.hostCpuSeconds(), p.hostBusySeconds(),
                        p.preemptions());
            }
            out.println(
                    t.name() + " incidents " + t.incidents() + " agent RSS " + (t.agentResidentBytes() >> 20) + " MiB");
        }
        out.println("peak RSS " + (result.peakResidentBytes() >> 20) + " MiB");
        out.flush();
    }

    private static double us(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1000.0;
    }

    void printJson(PrintWriter out) {}

    void writeReport(Path file) {}
}
