package dev.bascule.workload.experiment;

import dev.bascule.agent.SteeringPolicy;
import dev.bascule.config.CostProfile;
import dev.bascule.host.sim.SimCosts;
import dev.bascule.policy.HashSteering;
import dev.bascule.policy.LeastLoadedSteering;
import dev.bascule.workload.JobMix;
import dev.bascule.workload.experiment.Figure.Published;
import java.util.ArrayList;
import java.util.List;

/** (f): requests steered to cores by an agent on the NIC, by load and by hash. */
final class WaveRpc {
    private static final int CPUS = 8;

    private final Lab lab;
    private final long requests;

    WaveRpc(Lab lab) {
        this.lab = lab;
        requests = lab.isQuick() ? 30_000 : 100_000;
    }

    private record Case(String name, SteeringPolicy policy, double load) {}

    Section run() {
        List<Case> cases = new ArrayList<>();
        for (double load : new double[] { 0.3, 0.5, 0.7 }) {
            cases.add(new Case("by load", new LeastLoadedSteering(CPUS, RpcRun.MOST), load));
            cases.add(new Case("by hash", new HashSteering(CPUS, RpcRun.MOST), load));
        }
        List<Figure> figures = new ArrayList<>();
        lab.each(cases, this::figures).forEach(figures::addAll);
        figures.addAll(limit());
        return new Section("f", "RPC: requests steered to cores, by an agent on the NIC", CPUS
                + " CPUs, mix 'rpc' (made "
                + "up), frames of 64 bytes, 1,024 flows; requests cross a bulk DMA queue to their core, answers come "
                + "back by MMIO lines. The stack's own work (transport protocol, serialisation) is not simulated: no "
                + "cost of it was at hand", figures);
    }

    private List<Figure> figures(Case one) {
        JobMix mix = JobMix.named("rpc");
        RpcRun run = new RpcRun(SimCosts.of(lab.profile(), true), one.policy(), mix, CPUS,
                mix.capacityPerSecond(CPUS) * one.load(), requests, lab.seed() + 4);
        String label = one.name() + ", load " + one.load();
        return List.of(Figure.of(label + ": answered", "kreq/s", run.perSecond() / 1e3),
                Figure.of(label + ": p50", "us", run.latency.percentile(50) / 1e3),
                Figure.of(label + ": p99", "us", run.latency.percentile(99) / 1e3),
                Figure.of(label + ": p99.9", "us", run.latency.percentile(99.9) / 1e3),
                Figure.of(label + ": agent busy", "%", run.agentBusyPercent()));
    }

    /** Requests that one agent core can steer, and the host cores that the same work would take there. */
    private List<Figure> limit() {
        JobMix mix = JobMix.one("short", "as short as can be", dev.bascule.workload.ServiceTime.fixed(100));
        RpcRun run = new RpcRun(SimCosts.of(lab.profile(), true), new LeastLoadedSteering(CPUS, RpcRun.MOST), mix, CPUS,
                20e6, requests, lab.seed() + 4);
        CostProfile p = lab.profile();
        double onHost = p.nanos("hostAgent.decision") + 2.0 * p.nanos("hostAgent.message");
        return List.of(Figure.of("one agent core, as many as it can", "kreq/s", run.perSecond() / 1e3),
                new Figure("host cores that steering as many would take, freed by the NIC", "cores",
                        run.perSecond() * onHost / 1e9, Published.of(8,
                                "Wave (ASPLOS'25) abstract: the whole RPC stack, of which this steers only",
                                "primary"))
                        .input("hostAgent.decision and message over those of the NIC"));
    }
}
