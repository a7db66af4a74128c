package dev.bascule.study.experiment;

import dev.bascule.agent.Agent;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.ShinjukuAgent;
import dev.bascule.study.experiment.Figure.Published;
import dev.bascule.study.sim.JobMix;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimTransport;
import dev.bascule.study.sim.SimTransports;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** (c): agent on a core of the host, on the NIC, and on several cores of the NIC. */
final class WavePlacement {
    private static final int CPUS = 16;

    private final Lab lab;

    WavePlacement(Lab lab) {
        this.lab = lab;
    }

    Section run() {
        List<Figure> figures = new ArrayList<>();
        figures.addAll(policy("FIFO", FifoAgent::new, JobMix.named("ghost-fifo"), true));
        figures.addAll(policy("Shinjuku", () -> new ShinjukuAgent(WaveLadder.QUANTUM_NANOS),
                JobMix.named("ghost-rocksdb"), false));
        return new Section("c", "agent on the host, on the NIC, on k cores of the NIC", CPUS
                + " CPUs. 'same cores': both have " + CPUS + " CPUs for jobs, the agent on the host one more. 'same "
                + "host': the agent on the host takes one of the " + CPUS + ". k cores: the CPUs split into k "
                + "enclaves with an agent each", figures);
    }

    private List<Figure> policy(String name, Supplier<Agent> policy, JobMix mix, boolean fifo) {
        List<Figure> figures = new ArrayList<>();
        SimTransport wave = SimTransports.wave();
        SimTransport local = SimTransports.onHost();
        List<Double> saturation = lab.each(List.of(0, 1, 2, 3, 4), which -> switch (which) {
            case 0 -> lab.saturation(local, policy, mix, CPUS);
            case 1 -> lab.saturation(local, policy, mix, CPUS - 1);
            case 2 -> lab.saturation(wave, policy, mix, CPUS);
            case 3 -> 2 * lab.saturation(wave, policy, mix, CPUS / 2);
            default -> 4 * lab.saturation(wave, policy, mix, CPUS / 4);
        });
        String[] labels = { "agent on the host, " + CPUS + " CPUs and one for the agent",
                "agent on the host, one of " + CPUS + " CPUs for the agent", "agent on the NIC",
                "agents on 2 NIC cores", "agents on 4 NIC cores" };
        for (int i = 0; i < labels.length; i++) {
            figures.add(Figure.of(name + ": " + labels[i] + ", saturation", "kreq/s", saturation.get(i) / 1e3));
        }
        figures.add(new Figure(name + ": NIC against host, same cores for jobs", "%",
                (1 - saturation.get(2) / saturation.get(0)) * 100, fifo
                        ? Published.of(1.1, "Wave's FIFO policy, arXiv:2603.13750 section 2.4", "second-hand")
                        : new Published(1.1, 7.4, "Wave (ASPLOS'25) abstract, all offloads", "primary")));
        figures.add(Figure.of(name + ": NIC against host, same host", "%",
                (1 - saturation.get(2) / saturation.get(1)) * 100));
        for (SimTransport transport : List.of(local, wave)) {
            SimResult result = lab.run(transport, policy, mix, CPUS, 0.7);
            figures.add(Figure.of(name + ": " + transport.name() + ", p99 of GET at 70 % load", "us",
                    Lab.micros(result.sojourn().get(0), 99)));
            figures.add(Figure.of(name + ": " + transport.name() + ", agent busy at 70 % load", "%",
                    result.time().agentBusy() * 100.0 / result.lastNanos()));
        }
        return figures;
    }
}
