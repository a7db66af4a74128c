package dev.bascule.study.experiment;

import dev.bascule.policy.FifoAgent;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.OpenLoad;
import dev.bascule.study.sim.ServiceTime;
import dev.bascule.study.sim.SimHost;
import dev.bascule.study.sim.SimOptions;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimSetup;
import dev.bascule.study.sim.SimTrace;
import dev.bascule.study.sim.SimTransport;
import dev.bascule.study.sim.SimTransports;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** (a): wake-up, decision window and context switch, for each way to map the NIC's memory. */
final class WaveMicro {
    private static final JobMix JOBS = JobMix.one("10us", "fixed 10 us", ServiceTime.fixed(10_000));
    private static final long HORIZON_NANOS = 40_000_000;

    private final Lab lab;

    WaveMicro(Lab lab) {
        this.lab = lab;
    }

    Section run() {
        List<Figure> figures = new ArrayList<>();
        List<SimTransport> all = new ArrayList<>();
        all.add(SimTransports.onHost());
        all.addAll(WaveLadder.steps());
        for (SimTransport transport : all) {
            figures.addAll(of(transport));
        }
        return new Section("a", "micro-benchmarks: wake-up to run, decision window, context switch",
                "one CPU, jobs of 10 us. Wake-up: at 5 % load, from a job's arrival to its start, CPU polling and "
                        + "sleeping until the interrupt. Context switch: at 130 % load, from the end of a job to the "
                        + "start of the next, everything included. ghOSt's local schedule (888 ns) is an input of the "
                        + "on-host figures and not compared",
                figures);
    }

    private List<Figure> of(SimTransport transport) {
        String name = transport.name();
        List<Figure> figures = new ArrayList<>();
        figures.add(Figure.of(name + ": wake-up to run, polling", "ns", gap(transport, 0.05, true,
                SimTrace.Kind.ARRIVES)));
        boolean onHost = name.equals("on-host");
        figures.add(new Figure(name + ": wake-up to run, interrupt", "ns", gap(transport, 0.05, false,
                SimTrace.Kind.ARRIVES),
                onHost
                        ? Published.of(265 + 1_772, "ghOSt (SOSP'21) Table 3: delivery to the global agent 265 and "
                                + "remote schedule 1,772", "second-hand")
                        : null));
        figures.add(new Figure(name + ": context switch", "ns", gap(transport, 1.3, true, SimTrace.Kind.DONE),
                published(name)));
        SimResult result = result(transport, 0.5, true, new SimTrace(0));
        figures.add(Figure.of(name + ": window from observation to enforcement, p50", "ns",
                Lab.micros(result.window(), 50) * 1e3));
        figures.add(Figure.of(name + ": window from observation to enforcement, p99", "ns",
                Lab.micros(result.window(), 99) * 1e3));
        return figures;
    }

    private static @Nullable Published published(String name) {
        String source = "arXiv:2603.13750 section 2.3";
        return switch (name) {
            case "none" -> Published.of(13_300, source, "second-hand");
            case "all, pulled" -> new Published(3_300, 4_000, source, "second-hand");
            default -> null;
        };
    }

    private SimResult result(SimTransport transport, double part, boolean polling, SimTrace trace) {
        SimOptions options = SimOptions.of(1, HORIZON_NANOS).withPolling(polling).withPhases(1, 0);
        SimResult result = SimHost.run(SimSetup.of(options, transport, lab.profile()), FifoAgent::new,
                OpenLoad.blind(JOBS, JOBS.capacityPerSecond(1) * part, lab.seed()), trace);
        lab.count(result);
        return result;
    }

    /** Mean time from an event of the kind to the next start of a task; for ARRIVES only on an idle CPU. */
    private double gap(SimTransport transport, double part, boolean polling, SimTrace.Kind from) {
        SimTrace trace = new SimTrace(1 << 18);
        result(transport, part, polling, trace);
        long sum = 0;
        long count = 0;
        long since = -1;
        boolean busy = false;
        for (int i = 0; i < trace.size(); i++) {
            SimTrace.Kind kind = trace.kind(i);
            if (kind == from && (from == SimTrace.Kind.DONE || !busy && since < 0) && trace.nanos(i) > 1_000_000) {
                since = trace.nanos(i);
            } else if (kind == SimTrace.Kind.RUNS && since >= 0) {
                sum += trace.nanos(i) - since;
                count++;
                since = -1;
            }
            busy = kind == SimTrace.Kind.RUNS || busy && kind != SimTrace.Kind.WAITS;
        }
        return count == 0 ? 0 : (double) sum / count;
    }
}
