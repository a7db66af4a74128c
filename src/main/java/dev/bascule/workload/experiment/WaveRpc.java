package dev.bascule.workload.experiment;

import dev.bascule.host.sim.SimResult;
import dev.bascule.host.sim.SimTransport;
import dev.bascule.host.sim.SimTransports;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.PerCpuFifoAgent;
import dev.bascule.workload.JobMix;
import dev.bascule.workload.experiment.Figure.Published;
import java.util.ArrayList;
import java.util.List;

/** (f): requests steered to cores by load, by an agent on the host and on the NIC. */
final class WaveRpc {
    private static final int CPUS = 16;
    private static final double LOAD = 0.5;

    private final Lab lab;

    WaveRpc(Lab lab) {
        this.lab = lab;
    }

    Section run() {
        JobMix mix = JobMix.named("rpc");
        List<Figure> figures = new ArrayList<>();
        for (SimTransport transport : List.of(SimTransports.onHost(), SimTransports.wave())) {
            for (boolean perCore : new boolean[] { false, true }) {
                SimResult r = perCore
                        ? lab.run(transport, PerCpuFifoAgent::new, mix, CPUS, LOAD)
                        : lab.run(transport, FifoAgent::new, mix, CPUS, LOAD);
                String label = transport.name() + (perCore ? ", steered to the shortest core queue" : ", one queue");
                figures.add(Figure.of(label + ": served", "kreq/s", r.throughputPerSecond() / 1e3));
                figures.add(Figure.of(label + ": p99", "us", r.allSojourns().percentile(99) / 1e3));
            }
        }
        SimResult host = lab.run(SimTransports.onHost(), PerCpuFifoAgent::new, mix, CPUS, LOAD);
        figures.add(new Figure("host cores that steering alone takes, freed by the NIC", "cores",
                host.time().agentBusy() / (double) host.lastNanos(), Published.of(8,
                        "Wave (ASPLOS'25) abstract: the whole RPC stack, of which this steers only", "primary")));
        return new Section("f", "RPC: requests steered to cores", CPUS + " CPUs, mix 'rpc' (made up), load " + LOAD
                + "; the stack's own work (transport protocol, serialisation) is not simulated: no cost of it was at "
                + "hand", figures);
    }
}
