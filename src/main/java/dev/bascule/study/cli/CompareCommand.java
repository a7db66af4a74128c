package dev.bascule.study.cli;

import dev.bascule.host.LinkSetup;
import dev.bascule.host.MirrorPlace;
import dev.bascule.host.Session;
import dev.bascule.local.LocalProtocol;
import dev.bascule.run.AgentStart;
import dev.bascule.cli.CommandBase;
import dev.bascule.run.Cores;
import dev.bascule.run.Errors;
import dev.bascule.run.GcLog;
import dev.bascule.run.JvmFlags;
import dev.bascule.cli.LoopbackSetup;
import dev.bascule.run.Misuse;
import dev.bascule.cli.OneWordMode;
import dev.bascule.run.OutputFile;
import dev.bascule.cli.PolicyOption;
import dev.bascule.run.RunAgents;
import dev.bascule.run.Progress;
import dev.bascule.cli.Range;
import dev.bascule.cli.RegionOption;
import dev.bascule.run.SteeredRun;
import dev.bascule.cli.SteeringOptions;
import dev.bascule.run.Transports;
import dev.bascule.config.HardwareConfig;
import dev.bascule.ffi.NearestWord;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.AgentSupervisor;
import dev.bascule.host.Placement;
import dev.bascule.host.TimeHistogram;
import dev.bascule.registry.PolicySpec;
import dev.bascule.report.Findings;
import dev.bascule.report.Grid;
import dev.bascule.report.MachineInfo;
import dev.bascule.report.Percentiles;
import dev.bascule.study.compare.Bench;
import dev.bascule.study.compare.Comparison;
import dev.bascule.study.compare.RequestRuns;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.RpcAccount;
import dev.bascule.workload.lauberhorn.RpcLoad;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sets the transports side by side: loads, links, conflicts, many CPUs, pages, requests, faults, idleness. */
@Command(name = "compare", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Compares the transports by experiments under equal rules: E1 saturation and latency against load, E2 latency of the"
                + " link, E4 urgent requests against staging depth (all three as 'run' plays requests), E3 conflicts between decisions and events, E5 CPUs for"
                + " each agent and the window they need, E6 batches of pages and E7 requests to a card (as 'tier' and 'rpc'"
                + " have them), E8 crash, pause and garbage collection of the agent, E9"
                + " idleness. Says in words what the figures of the run show." }, footer = { "", "Examples:",
                        "  bascule compare --quick", "  bascule compare --quick --json > compare.json",
                        "  bascule compare --quick --experiment E3 --repeat 5",
                        "  bascule compare --quick --experiment E6,E7",
                        "  bascule compare --quick --experiment E1,E2,E4 --transport wave,swap0,swap1,swap-end",
                        "  bascule compare --experiment E8 --transport wave,swap1",
                        "  bascule compare --quick --experiment E8 --policy shinjuku",
                        "  bascule compare --config loopback-pcie-gen3 --report compare.html",
                        "  bascule compare --quick --experiment E3 --link rdma --peer 10.0.0.2   # there: bascule agent --link rdma --listen 10.0.0.2 --transport any --stay",
                        "  bascule compare --quick --device my-card --agent-command 'ssh root@192.168.100.2 bascule'",
                        "",
                        "Exit status 1: it could not be run, or a figure is WRONG: a task was lost, or ran without asking." })
final class CompareCommand extends CommandBase {
    private static final int UNDER_WAY = 64;
    /** The experiment that needs nothing of its agent but decisions. */
    private static final String PEERS = "E3";

    @Option(names = "--quick", description = "fewer settings, shorter runs")
    private boolean quick;

    @Range("1..1000")
    @Option(names = "--repeat", defaultValue = "1", paramLabel = "N", description = "run all of it so many times, each with a seed and agents of its own, and give 95 %% confidence intervals; what cannot be told from the reference is called not distinguishable (n.d.); default ${DEFAULT-VALUE}")
    private int repeats = 1;

    @Option(names = "--json", description = "print one JSON document instead of the text")
    private boolean json;

    @Option(names = "--experiment", split = ",", defaultValue = "E3,E5,E8,E9", paramLabel = "NAME", description = "experiments, in this order; default ${DEFAULT-VALUE}")
    private List<String> experiments = List.of();

    @Option(names = "--transport", split = ",", paramLabel = "NAME", description = "on-host, wave, and the swap by its mode: swap0, swap1, swap-end, one-word (--placement coherent, or push with a card that sends AtomicOps); the reference first; default on-host,wave,swap0,swap1")
    private List<String> transports = List.of(LocalProtocol.NAME, WaveProtocol.NAME, "swap0", "swap1");

    @Mixin
    private PolicyOption policy = new PolicyOption();

    @Option(names = "--placement", defaultValue = "pull", paramLabel = "WHERE", description = "where decisions lie, for wave and swap alike: pull (NIC memory), push (host memory) or coherent; default ${DEFAULT-VALUE}")
    private String placement = "pull";

    @Option(names = "--config", paramLabel = "NAME", description = "file of hw-configs/ or a path; default: that of --device or of the link, else loopback. Of a SmartNIC's: the region is in that card")
    private @Nullable String config;

    @Mixin
    private RegionOption device = new RegionOption();

    @Option(names = "--no-pin", description = "do not give host and agent a core each")
    private boolean noPin;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "moments of changes and faults; default 1")
    private long seed = 1;

    @OutputFile.AtEnd
    @Option(names = "--report", defaultValue = "bascule-compare.html", paramLabel = "FILE", description = "report; default ${DEFAULT-VALUE}; 'none' for none")
    private String report = "bascule-compare.html";

    @OutputFile.AtEnd
    @Option(names = "--csv", paramLabel = "FILE", description = "write a line for each figure of each run")
    private @Nullable Path csv;

    @Override
    public Integer call() throws InterruptedException {
        RegionOption.Chosen chosen = device.choose(config, false, placement());
        if (device.hasPeers() && !experiments.equals(List.of(PEERS))) {
            throw new Misuse("--peer: agents elsewhere are started and ended there, and choose their policy, so "
                    + PEERS + " alone can be played with them; add --experiment " + PEERS
                    + ", or leave --peer out: the others start, kill and pause processes of this machine");
        }
        HardwareConfig hardware = chosen.hardware();
        for (String name : experiments) {
            String objection = Comparison.objection(name);
            if (!objection.isEmpty()) {
                throw new Misuse("--experiment " + name + ": " + objection);
            }
        }
        for (String name : transports) {
            if (!names().contains(name)) {
                throw new Misuse(NearestWord.none("transport", name, names()));
            }
            if (name.equals(SwapMode.ONE_WORD.text())) {
                OneWordMode.require("--transport", SwapMode.ONE_WORD, placement(), chosen.place().isCard());
            }
        }
        if (experiments.contains("E2") && chosen.place().isAway()) {
            throw new Misuse(
                    "--experiment E2: it gives the loopback SmartNIC's link other latencies, and that of a card or"
                            + " a peer is what it is; leave --device and --link out");
        }
        RunAgents.checked(policy()); // wrong words are an error here, and a crashed agent later
        Progress progress = new Progress(System.err);
        Findings findings = Comparison.run(bench(chosen, progress), CompareCommand::requests,
                new LivePoints(chosen, placement(), policy(), device.by(), !noPin, progress), experiments, repeats,
                "scripts/bascule " + String.join(" ", typed()),
                LocalDateTime.now().truncatedTo(ChronoUnit.SECONDS).toString(), hardware.name(),
                !hardware.link().isZero(), MachineInfo.current());
        return report(findings, progress);
    }

    /** Writes what was found; the exit status tells whether a figure is wrong. */
    int report(Findings findings, Progress progress) {
        if (json) {
            out().print(findings.json().pretty());
        } else {
            out().print(findings.text());
        }
        out().flush();
        if (!report.equals("none")) {
            write(findings, progress);
        }
        if (csv != null) {
            csv(csv, findings);
        }
        return findings.isWrong() ? Errors.FAILED : 0;
    }

    private static void csv(Path file, Findings findings) {
        List<List<String>> lines = new ArrayList<>();
        findings.sections().forEach(section -> section.grids().forEach(grid -> grid.rows().forEach(row -> {
            List<Grid.Row> runs = row.repeats().isEmpty() ? List.of(row) : row.repeats();
            for (int i = 0; i < runs.size() * grid.columns().size(); i++) {
                int run = i / grid.columns().size();
                int column = i % grid.columns().size();
                lines.add(List.of(section.id(), grid.caption(), grid.columns().get(column), row.label(), row.unit(),
                        Integer.toString(run), SimOutput.cell(runs.get(run).values().get(column))));
            }
        })));
        try {
            SimOutput.lines(file, List.of("experiment", "table", "column", "what", "unit", "run", "value"),
                    lines.stream());
        } catch (IOException e) {
            throw new UncheckedIOException("write CSV " + file + ": " + e.getMessage()
                    + "; name another file with --csv", e);
        }
    }

    /** The swap is named by its mode: its modes are compared with each other too. */
    private static List<String> names() {
        return Stream.concat(Stream.of(LocalProtocol.NAME, WaveProtocol.NAME), SwapMode.texts().stream()).toList();
    }

    private static Session open(String name, Path directory, LinkSetup link,
            RegionOption.Chosen chosen) {
        if (!name.equals(LocalProtocol.NAME)) {
            chosen.place().assign(directory);
        }
        boolean swap = SwapMode.texts().contains(name);
        return Transports.open(swap ? SwapProtocol.NAME : name, directory,
                link.with(link.swap().withMode(swap ? SwapMode.of(name) : SwapMode.SWAP1)), false);
    }

    private Placement placement() {
        return Misuse.reading("--placement", () -> Placement.of(placement));
    }

    /** The tasks of the experiments are of one class. */
    private PolicySpec policy() {
        return policy.spec().withDefault("work", "1");
    }

    private Bench bench(RegionOption.Chosen chosen, Progress progress) {
        HardwareConfig hardware = chosen.hardware();
        LinkSetup setup = LoopbackSetup.config(hardware, seed, placement(), SwapMode.SWAP1);
        boolean pin = !noPin && Cores.count() > 1;
        PolicySpec agents = policy();
        AgentStart start = new AgentStart(device.by(), chosen.place().agentDevice(),
                pin ? Cores.forAgent(0, 1, 1) : -1);
        return new Bench(transports, (name, directory) -> open(name, directory, setup, chosen),
                (session, collecting) -> session.place() instanceof MirrorPlace linked && device.hasPeers()
                        ? elsewhere(linked, chosen, progress)
                        : agent(session, collecting, start, agents),
                progress::say, quick, seed,
                hardware.watchdog().softWindowNanos(), hardware.watchdog().hardLimitNanos(),
                hardware.queues().channelEntries(), hardware.queues().stagedDecisions(),
                pin ? Cores.forHost(1, 1).nextSetBit(0) : -1);
    }

    static RequestRuns.Figures requests(String transport, int depth, long count, long seed) {
        TimeHistogram latency = TimeHistogram.single();
        RpcLoad early = new RpcLoad(new RpcLoad.Plan(count / 4, 0, UNDER_WAY, 1, 0, 0, seed), nanos -> {});
        RpcLoad load = new RpcLoad(new RpcLoad.Plan(count, 0, UNDER_WAY, 1, 0, 0, seed), latency::record);
        SteeredRun.Use use = SteeredRun.play(SteeringOptions.plain(transport, depth),
                List.of(DemoService.number(0)), early, load, () -> false);
        RpcAccount account = load.account();
        return new RequestRuns.Figures(account.answered() * 1e9 / load.nanos(), Percentiles.known(latency),
                account.answered(), account.refused(), load.lost(), load.unaccounted(),
                account.twice() + account.unknown() + account.wrong(), use.alone(),
                use.host() / 1e3 / Math.max(1, account.answered()), use.steering() / (double) load.nanos());
    }

    private static AgentSupervisor elsewhere(MirrorPlace mirror, RegionOption.Chosen chosen, Progress progress) {
        progress.say("waiting for: bascule agent --link rdma --listen ADDRESS --transport any --stay, at "
                + String.join(" or ", chosen.place().peers()));
        return mirror.linkedAgent(0);
    }

    private static AgentProcess agent(Session session, boolean collecting, AgentStart start,
            PolicySpec policy) {
        List<String> flags = new ArrayList<>(JvmFlags.forAgent());
        List<String> words = new ArrayList<>();
        if (collecting) {
            flags.add(GcLog.flag(session.directory()));
            words.add("--garbage");
        }
        return new AgentProcess(start.command(session, policy.arguments(), flags, words.toArray(String[]::new)),
                session.directory().resolve("agent.log"));
    }

    private void write(Findings findings, Progress progress) {
        try {
            OutputFile.write(Path.of(report), findings.html());
        } catch (IOException e) {
            throw new UncheckedIOException("write report " + report + ": " + e.getMessage()
                    + "; name another file with --report, or 'none'", e);
        }
        progress.say("report written to " + report);
    }
}
