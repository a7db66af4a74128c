package dev.bascule.study.experiment;

import dev.bascule.policy.GangAgent;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.sim.MachineLoad;
import dev.bascule.study.sim.SimHost;
import dev.bascule.study.sim.SimOptions;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimSetup;
import dev.bascule.study.sim.SimTransport;
import dev.bascule.study.sim.SimTransports;
import java.util.ArrayList;
import java.util.List;

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

    Section run() {
        double host = work(SimTransports.onHost(), CPUS - 2, MACHINES, 1_000_000);
        double hostNoTick = work(SimTransports.onHost(), CPUS - 2, MACHINES, 0);
        double nic = work(SimTransports.wave(), CPUS, MACHINES, 0);
        double same = work(SimTransports.wave(), CPUS - 2, MACHINES, 0);
        List<Figure> figures = new ArrayList<>(List.of(
                Figure.of("agent on the host, 14 of 16 CPUs for machines, tick of 1 ms", "CPUs of work", host),
                Figure.of("agent on the host, 14 of 16 CPUs for machines, no tick", "CPUs of work", hostNoTick),
                Figure.of("agent on the NIC, 14 CPUs, no tick", "CPUs of work", same),
                Figure.of("agent on the NIC, 16 CPUs, no tick", "CPUs of work", nic),
                new Figure("gain of the NIC, same host", "%", (nic / host - 1) * 100,
                        Published.of(11.2, "Wave (ASPLOS'25) abstract, virtual machines; its set-up was not at hand",
                                "primary"))
                        .chosen("a host of 16 CPUs of which the agent takes two"),
                Figure.of("gain of the NIC, same CPUs for machines", "%", (same / host - 1) * 100)));
        for (int cpus : new int[] { 8, 32 }) {
            figures.add(gain(cpus));
        }
        return new Section("d", "virtual machines: core scheduling, SMT siblings, turbo", MACHINES + " machines of "
                + VCPUS + " virtual CPUs, bursts of 2 ms and pauses of 0.5 ms (exponential, chosen), tenure "
                + TENURE_NANOS / 1_000_000 + " ms; the agent on the host takes a core with both siblings; work counts "
                + "SMT shares and turbo of the profile", figures);
    }

    /** Gain where the core that the agent takes is another part of the host, with as much for each CPU to do. */
    private Figure gain(int cpus) {
        int machines = Math.ceilDiv(MACHINES * cpus, CPUS);
        double host = work(SimTransports.onHost(), cpus - 2, machines, 1_000_000);
        double nic = work(SimTransports.wave(), cpus, machines, 0);
        return Figure.of("gain of the NIC, " + (cpus - 2) + " of " + cpus + " CPUs for machines", "%",
                (nic / host - 1) * 100).chosen("the size of the host");
    }

    private double work(SimTransport transport, int cpus, int machines, long tickNanos) {
        SimOptions options = SimOptions.of(cpus, HORIZON_NANOS).withWorkers(1, 1).withCores(2, true, tickNanos);
        SimResult result = SimHost.run(SimSetup.of(options, transport, lab.profile()),
                () -> new GangAgent(TENURE_NANOS), new MachineLoad(machines, VCPUS, lab.seed() + 10));
        lab.count(result);
        return (double) result.time().work() / result.lastNanos();
    }
}
