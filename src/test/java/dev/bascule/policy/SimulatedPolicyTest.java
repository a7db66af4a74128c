package dev.bascule.policy;

import dev.bascule.agent.Agent;
import dev.bascule.config.CostProfiles;
import dev.bascule.study.sim.SimHost;
import dev.bascule.study.sim.SimJob;
import dev.bascule.study.sim.SimLoad;
import dev.bascule.study.sim.SimOptions;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimSetup;
import dev.bascule.study.sim.SimTrace;
import dev.bascule.study.sim.SimTransports;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@link PolicyBehaviour} in virtual time, over Wave. */
class SimulatedPolicyTest extends PolicyBehaviour {
    @Override
    Observed serve(Supplier<Agent> policy) {
        SimTrace trace = new SimTrace(1 << 20);
        SimSetup setup = SimSetup.of(SimOptions.of(1, JOBS * GAP_NANOS).withWindows(50_000_000, 100_000_000),
                SimTransports.wave(), CostProfiles.load("published"));
        SimResult result = SimHost.run(setup, policy, new Regular(), trace);
        return new Observed(result.jobs().finished(), 0, result.decisions().preemptions(),
                result.decisions().complete(), overtakings(trace));
    }

    private static long overtakings(SimTrace trace) {
        Map<Integer, Integer> jobOf = new HashMap<>();
        List<Integer> ends = new ArrayList<>();
        int arrived = 0;
        for (int i = 0; i < trace.size(); i++) {
            if (trace.kind(i) == SimTrace.Kind.ARRIVES) {
                jobOf.put(trace.task(i), arrived++);
            } else if (trace.kind(i) == SimTrace.Kind.DONE) {
                ends.add(jobOf.getOrDefault(trace.task(i), -1));
            }
        }
        long violations = 0;
        for (int i = 1; i < ends.size(); i++) {
            violations += ends.get(i) < ends.get(i - 1) ? 1 : 0;
        }
        return violations;
    }

    private static final class Regular implements SimLoad {
        private int next;

        @Override
        public int classes() {
            return 1;
        }

        @Override
        public long nextArrivalNanos() {
            return next == JOBS ? NO_MORE : next * GAP_NANOS;
        }

        @Override
        public void take(SimJob job) {
            job.set(0, demandNanos(next++));
        }
    }
}
