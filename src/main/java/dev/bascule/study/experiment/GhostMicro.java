package dev.bascule.study.experiment;

import dev.bascule.config.CostProfile;
import dev.bascule.policy.GhostShinjukuAgent;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.sim.SimHost;
import dev.bascule.study.sim.SimJob;
import dev.bascule.study.sim.SimLoad;
import dev.bascule.study.sim.SimOptions;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimSetup;
import dev.bascule.study.sim.SimTrace;
import dev.bascule.study.sim.SimTransports;
import java.util.List;

/** ghOSt's published microbenchmarks beside what the profile's costs come to, and beside simulated wake-ups. */
final class GhostMicro {
    private static final long PERIOD_NANOS = 1_000_000;
    private static final int BURSTS = 40;
    private static final String OTHER = "costs that were calibrated on another machine's curve";

    private final Lab lab;
    private final CostProfile p;

    GhostMicro(Lab lab) {
        this.lab = lab;
        p = lab.profile();
    }

    Section run() {
        long decision = p.nanos("hostAgent.decision");
        long commit = p.nanos("hostAgent.commit");
        long target = p.nanos("kernel.interprocessor") + p.nanos("link.coherentLine") + p.nanos("kernel.commit")
                + p.nanos("kernel.contextSwitch");
        return new Section("micro", "ghOSt's microbenchmarks (SOSP'21, Table 3)",
                "sums of the profile's costs, and bursts of "
                        + "wake-ups every millisecond on idle CPUs that sleep, simulated. The profile's costs are those of the Skyloft "
                        + "paper's machine and kernel (Xeon 5418Y at 2.0 GHz, mitigations and caches included), Table 3 is of a Xeon "
                        + "8173M: what differs says how much of a real host's cost microbenchmarks do not show",
                List.of(sum("message to the global agent", p.nanos("kernel.message") + p.nanos("link.coherentLine"),
                        265,
                        "second-hand"),
                        sum("local schedule: commit and switch",
                                p.nanos("kernel.commit") + p.nanos("kernel.contextSwitch"),
                                888, "second-hand"),
                        sum("remote schedule of one transaction, agent's side", commit + decision, 668, "recollection"),
                        sum("remote schedule of 10 transactions, agent's side", commit + 10 * decision, 3_964,
                                "recollection"),
                        sum("remote schedule, target's side", target, 1_064, "recollection"),
                        figure("wake-up of one task on an idle CPU, message to run", wakes(1), 265 + 1_772.0),
                        figure("wake-up of ten tasks on ten idle CPUs, message to the last run", wakes(10),
                                10 * 265 + 5_688.0)));
    }

    private static Figure sum(String what, long nanos, double published, String confidence) {
        return new Figure(what, "ns", nanos, Published.of(published, "ghOSt (SOSP'21) Table 3", confidence))
                .computed(OTHER);
    }

    private static Figure figure(String what, double nanos, double published) {
        return new Figure(what, "ns", nanos,
                Published.of(published,
                        "ghOSt (SOSP'21) Table 3: delivery 265 a message, and remote schedule end to end",
                        "recollection"))
                .computed(OTHER);
    }

    /** So many jobs at the same moment, once in a period. */
    private record Bursts(int size, long[] next, int[] left) implements SimLoad {
        Bursts(int size) {
            this(size, new long[] { PERIOD_NANOS }, new int[] { size });
        }

        @Override
        public long nextArrivalNanos() {
            return next[0] > BURSTS * PERIOD_NANOS ? NO_MORE : next[0];
        }

        @Override
        public void take(SimJob job) {
            job.set(0, 20_000);
            if (--left[0] == 0) {
                left[0] = size;
                next[0] += PERIOD_NANOS;
            }
        }
    }

    /** Mean time from a burst to the start of its last job, ns. */
    private double wakes(int size) {
        SimTrace trace = new SimTrace(1 << 16);
        SimOptions options = SimOptions.of(size, (BURSTS + 1) * PERIOD_NANOS).withPolling(false).withPhases(1, 0);
        SimResult result = SimHost.run(SimSetup.of(options, SimTransports.onHost(), p),
                () -> new GhostShinjukuAgent(1_000_000_000, true), new Bursts(size), trace);
        lab.count(result);
        double sum = 0;
        long last = 0;
        for (int i = 0; i < trace.size(); i++) {
            if (trace.kind(i) == SimTrace.Kind.RUNS) {
                long since = trace.nanos(i) % PERIOD_NANOS;
                last = Math.max(last, since);
            } else if (trace.kind(i) == SimTrace.Kind.DONE && last > 0 && trace.nanos(i) % PERIOD_NANOS > last) {
                sum += last;
                last = 0;
            }
        }
        return sum / BURSTS;
    }
}
