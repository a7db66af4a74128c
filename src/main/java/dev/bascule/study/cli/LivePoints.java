package dev.bascule.study.cli;

import dev.bascule.host.LinkSetup;
import dev.bascule.local.LocalProtocol;
import dev.bascule.run.AgentWait;
import dev.bascule.run.Cores;
import dev.bascule.run.EnclavePlan;
import dev.bascule.cli.LoopbackSetup;
import dev.bascule.run.MainJob;
import dev.bascule.run.PointResult;
import dev.bascule.run.Progress;
import dev.bascule.cli.RegionOption;
import dev.bascule.run.RunPlan;
import dev.bascule.run.Workloads;
import dev.bascule.config.HardwareConfig;
import dev.bascule.host.Placement;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.registry.Durations;
import dev.bascule.registry.PolicySpec;
import dev.bascule.study.compare.LoadRuns;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.web.Hosts;
import dev.bascule.workload.Arrivals;
import dev.bascule.workload.RequestKind;
import dev.bascule.workload.ServiceMix;
import dev.bascule.workload.SpinService;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Loads of {@code compare}, played as {@code run} plays them. One thread, which is confined to the host's cores meanwhile. */
final class LivePoints implements LoadRuns {
    private static final int WORKERS = 200;
    private static final long WARM_NANOS = 500_000_000;
    private static final PolicySpec URGENT_FIRST = new PolicySpec("shinjuku",
            Map.of("quantum", "30us", "targets", "1ns:1s"), List.of());

    private final RegionOption.Chosen chosen;
    private final Placement placement;
    private final PolicySpec policy;
    private final @Nullable String by;
    private final boolean pin;
    private final Progress progress;

    /**
     * @param policy of agents that need no other
     * @param by what starts agents on a card's cores; null: this program
     * @param pin give host and agent a core each, if there are two
     */
    LivePoints(RegionOption.Chosen chosen, Placement placement, PolicySpec policy, @Nullable String by, boolean pin,
            Progress progress) {
        this.chosen = chosen;
        this.placement = placement;
        this.policy = policy;
        this.by = by;
        this.pin = pin;
        this.progress = progress;
    }

    @Override
    public List<Point> play(Setting setting) throws InterruptedException {
        RunPlan plan = plan(setting);
        double perSecond = setting.perSecond() > 0
                ? setting.perSecond()
                : plan.host().cpus() * 1e9 / setting.mix().kinds().stream().mapToDouble(LivePoints::work).sum();
        try (Hosts hosts = new Hosts()) {
            MainJob.OfTransport played = new MainJob(plan, chosen.hardware(), service(setting.mix()), progress,
                    perSecond, hosts).run(1).getFirst().transports().getFirst();
            return played.points().stream().map(point -> point(point, plan.host().cpus())).toList();
        }
    }

    private static double work(RequestKind kind) {
        return kind.share() * kind.serviceNanos();
    }

    private static Workloads.Spec service(ServiceMix mix) {
        return new Workloads.Spec("spin", mix.names(), () -> new SpinService(mix));
    }

    private static Point point(PointResult result, int cpus) {
        long answered = Math.max(1, result.requests().completed());
        long notOnce = result.requests().lost() + result.requests().duplicated() + result.requests().unknown()
                + result.requests().wrongAnswers() + result.requests().failed();
        return new Point(result.load(), result.offeredPerSecond(), result.servedPerSecond(), result.latency(),
                result.classes(), result.window(), result.decisions(), result.stale(), result.localDecisions(),
                Math.max(0, result.hostCpuSeconds() - result.hostBusySeconds()) * 1e6 / answered, cpus, notOnce);
    }

    private RunPlan plan(Setting setting) {
        HardwareConfig hardware = chosen.hardware();
        boolean isLocal = setting.transport().equals(LocalProtocol.NAME);
        boolean isSwap = SwapMode.texts().contains(setting.transport());
        int carriers = Integer.getInteger("jdk.virtualThreadScheduler.parallelism",
                Math.max(1, Runtime.getRuntime().availableProcessors() - 1));
        LinkSetup link = LoopbackSetup.config(hardware, setting.seed(), placement,
                isSwap ? SwapMode.of(setting.transport()) : SwapMode.SWAP1);
        if (setting.oneWayNanos() != AS_CONFIGURED) {
            link = LoopbackSetup.withLink(link, oneWay(link.device().profile(), setting.oneWayNanos()));
        }
        boolean isHere = isLocal || !chosen.place().isAway();
        return new RunPlan(
                RunPlan.Column.ofTransports(List.of(isSwap ? SwapProtocol.NAME : setting.transport()), policy),
                new RunPlan.Load(Arrivals.POISSON, setting.parts(), setting.pointNanos(), WARM_NANOS, setting.seed(),
                        Map.of(), Map.of()),
                new RunPlan.Agent(setting.urgentFirst() ? URGENT_FIRST : policy, 1, RunPlan.AgentPlace.PROCESS, 0, 0,
                        0, by, null),
                new RunPlan.Host(carriers, carriers, pin && Cores.count() > 1, setting.polling(),
                        AgentWait.of(hardware.watchdog(), carriers, isHere ? 1 : 0, Cores.count()),
                        hardware.queues().channelEntries(), setting.staged(), Durations.parseNanos("1s"), 0, WORKERS, 1,
                        List.of(), null),
                new RunPlan.Region(link, null, chosen.place()),
                1, false, EnclavePlan.NONE);
    }

    /** As the simulated sweep has it: reads are round trips, an interrupt crosses the link once. */
    private static LinkProfile oneWay(LinkProfile usual, long nanos) {
        return new LinkProfile(2 * nanos, 2 * nanos, 2 * nanos, usual.mmioWriteNanos(), nanos, 2 * nanos, nanos, nanos,
                usual.coherentLineNanos());
    }
}
