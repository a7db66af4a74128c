package dev.bascule.workload.experiment;

import dev.bascule.host.sim.SimHost;
import dev.bascule.host.sim.SimJob;
import dev.bascule.host.sim.SimLoad;
import dev.bascule.host.sim.SimOptions;
import dev.bascule.host.sim.SimResult;
import dev.bascule.host.sim.SimSetup;
import dev.bascule.host.sim.SimTransport;
import dev.bascule.host.sim.SimTransports;
import dev.bascule.policy.GangAgent;
import dev.bascule.workload.experiment.Figure.Published;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** (d): virtual machines under core scheduling, with the agent on the host and on the NIC. */
final class WaveMachines {
    private static final int CPUS = 16;
    private static final int MACHINES = 5;
    private static final int VCPUS = 4;
    private static final long TENURE_NANOS = 5_000_000;
    private static final long HORIZON_NANOS = 400_000_000;

    private final Lab lab;

    WaveMachines(Lab lab) {
        this.lab = lab;
    }

    /** Virtual CPUs that compute and pause, exponentially. */
    private static final class Machines implements SimLoad {
        private final SplittableRandom random = new SplittableRandom(11);

        @Override
        public int classes() {
            return 1;
        }

        @Override
        public long nextArrivalNanos() {
            return NO_MORE;
        }

        @Override
        public void take(SimJob job) {
            throw new IllegalStateException("no jobs");
        }

        @Override
        public List<Resident> residents() {
            List<Resident> all = new ArrayList<>();
            for (int i = 0; i < MACHINES * VCPUS; i++) {
                all.add(new Resident(i / VCPUS, 0, -1));
            }
            return all;
        }

        private long exponential(double mean) {
            return 1 + (long) (-StrictMath.log(1 - random.nextDouble()) * mean);
        }

        @Override
        public long burstNanos(int resident) {
            return exponential(2_000_000);
        }

        @Override
        public long pauseNanos(int resident) {
            return exponential(500_000);
        }
    }

    Section run() {
        double host = work(SimTransports.onHost(), CPUS - 2, 1_000_000);
        double hostNoTick = work(SimTransports.onHost(), CPUS - 2, 0);
        double nic = work(SimTransports.wave(), CPUS, 0);
        double same = work(SimTransports.wave(), CPUS - 2, 0);
        List<Figure> figures = List.of(
                Figure.of("agent on the host, 14 of 16 CPUs for machines, tick of 1 ms", "CPUs of work", host),
                Figure.of("agent on the host, 14 of 16 CPUs for machines, no tick", "CPUs of work", hostNoTick),
                Figure.of("agent on the NIC, 14 CPUs, no tick", "CPUs of work", same),
                Figure.of("agent on the NIC, 16 CPUs, no tick", "CPUs of work", nic),
                new Figure("gain of the NIC, same host", "%", (nic / host - 1) * 100,
                        Published.of(11.2, "Wave (ASPLOS'25) abstract, virtual machines; its set-up was not at hand",
                                "primary")),
                Figure.of("gain of the NIC, same CPUs for machines", "%", (same / host - 1) * 100));
        return new Section("d", "virtual machines: core scheduling, SMT siblings, turbo", MACHINES + " machines of "
                + VCPUS + " virtual CPUs, bursts of 2 ms and pauses of 0.5 ms (exponential, chosen), tenure "
                + TENURE_NANOS / 1_000_000 + " ms; the agent on the host takes a core with both siblings; work counts "
                + "SMT shares and turbo of the profile", figures);
    }

    private double work(SimTransport transport, int cpus, long tickNanos) {
        SimOptions options = SimOptions.of(cpus, HORIZON_NANOS).withWorkers(1, 1).withCores(2, true, tickNanos);
        SimResult result = SimHost.run(SimSetup.of(options, transport, lab.profile()),
                () -> new GangAgent(TENURE_NANOS), new Machines());
        lab.count(result);
        return (double) result.time().work() / result.lastNanos();
    }
}
