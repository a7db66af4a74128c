package dev.bascule.cli;

import dev.bascule.config.HardwareConfig;
import dev.bascule.ffi.NearestWord;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.MachineTopology;
import dev.bascule.host.Placement;
import dev.bascule.local.LocalProtocol;
import dev.bascule.registry.Durations;
import dev.bascule.registry.PolicySpec;
import dev.bascule.report.MachineInfo;
import dev.bascule.run.AgentWait;
import dev.bascule.run.Cores;
import dev.bascule.run.CpuFault;
import dev.bascule.run.EnclavePlan;
import dev.bascule.run.Errors;
import dev.bascule.run.MainJob;
import dev.bascule.run.Misuse;
import dev.bascule.run.OutputFile;
import dev.bascule.run.Progress;
import dev.bascule.run.RequestHints;
import dev.bascule.run.RunAgents;
import dev.bascule.run.RunPlan;
import dev.bascule.run.TransportRun;
import dev.bascule.run.Transports;
import dev.bascule.run.Workloads;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import dev.bascule.workload.Arrivals;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The main job: a service on the host, scheduled by an agent on the NIC, over each transport in turn. */
@Command(name = "run", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Runs a RocksDB service on emulated host CPUs; an agent in another process, which stands for the cores of a "
                + "loopback SmartNIC, decides which request runs next.",
        "Compares transports: 'on-host' (agent beside the host, coherent memory, as ghOSt) is the reference, 'wave' "
                + "goes through the SmartNIC's memory with one-way queues and transactions, 'swap' through the same memory by "
                + "bilateral ownership exchange." }, footer = { "", "Examples:",
                        "  bascule run --quick", "  bascule run --quick --json > result.json",
                        "  bascule run --policy shinjuku                 # Wave's experiment: RocksDB GET and RANGE",
                        "  bascule run --quick --policy my.Sejf --policy-path sejf.jar",
                        "  bascule run --policy fifo,my.Sejf --policy-path sejf.jar --repeat 5   # is it better?",
                        "  bascule run --policy a=shinjuku,b=shinjuku --policy-option b.quantum=10us --repeat 5",
                        "  bascule run --config loopback-pcie-gen3 --transport wave --policy shinjuku --policy-option quantum=20us",
                        "  bascule run --quick --transport wave,swap --swap-mode swap0 --placement push",
                        "  bascule run --quick --repeat 5               # confidence intervals",
                        "  bascule run --quick --kill-agent-at 2s",
                        "  bascule run --quick --upgrade-at 1s",
                        "  bascule run --quick --cpus 4 --agents 2",
                        "  bascule run --quick --cpus 4 --capacity 4000 --enclave web:0-1:policy=shinjuku --enclave batch:2-3 --move 1:batch@500ms",
                        "  bascule run --quick --cpus 4 --fault offline:2@500ms+1s",
                        "  bascule run --quick --workload disk",
                        "  bascule run --quick --trace run.json     # open in ui.perfetto.dev",
                        "  bascule run --web 8080                   # open http://127.0.0.1:8080/",
                        "  bascule run --device my-card --agent-command 'ssh root@192.168.100.2 bascule'",
                        "  bascule run --link rdma --peer 10.0.0.2   # there: bascule agent --link rdma --listen 10.0.0.2 --transport any --stay",
                        "  bascule run --workload spin --mix extreme-bimodal --load 0.3,0.6,0.9", "",
                        "Exit status 1: it could not be run, a request was lost, answered twice or wrongly, or it was not the"
                                + " policy that decided: the fallback made more of the decisions than --fallback-limit, the"
                                + " agent failed or was restarted without being asked, or it decided what it could have known"
                                + " to be impossible." })
final class RunCommand extends CommandBase {
    /** Options by what they are about, as the help shows them. */
    static final Map<String, List<String>> GROUPS = groups();

    private static final long SECOND_NANOS = 1_000_000_000;

    @Option(names = "--quick", description = "two load points of half a second instead of five of four")
    private boolean quick;

    @Option(names = "--json", description = "print one JSON document instead of the table")
    private boolean json;

    @Option(names = "--transport", split = ",", paramLabel = "NAME", description = "transports, in this order, and no-agent: the host's own queue decides, which shows the price of delegation; default on-host,wave,swap,no-agent, or wave if --policy names several")
    private List<String> transports = List.of();

    @Option(names = "--swap-mode", defaultValue = "swap1", paramLabel = "MODE", description = "swap0 (the CPU asks and waits), swap1 (ahead of need), swap-end (several decisions in one exchange) or one-word (--placement coherent, or push with a card that sends AtomicOps); default ${DEFAULT-VALUE}")
    private String swapMode = "swap1";

    @Option(names = "--placement", defaultValue = "pull", paramLabel = "WHERE", description = "where decisions lie, for wave and swap alike: pull (NIC memory), push (host memory) or coherent; default ${DEFAULT-VALUE}")
    private String placement = "pull";

    @Option(names = "--config", paramLabel = "NAME", description = "file of hw-configs/ or a path; default: that of --device or of the link, else loopback. Of a SmartNIC's: the region is in that card")
    private @Nullable String config;

    @OneOf({ "rocksdb", "spin", "disk", "socket" })
    @Option(names = "--workload", defaultValue = "rocksdb", paramLabel = "NAME", description = "rocksdb, spin, disk (requests read a file past the page cache) or socket (requests ask a server by TCP); of the last two a request gives its CPU away while it waits; default ${DEFAULT-VALUE}")
    private String workload = "rocksdb";

    @Option(names = "--mix", defaultValue = "short-bimodal", paramLabel = "NAME", description = "service times of the spin workload; default ${DEFAULT-VALUE}")
    private String mix = "short-bimodal";

    @Option(names = "--db", paramLabel = "DIR", description = "folder of the RocksDB database, or of the disk workload's file, to keep; default: a temporary one")
    private @Nullable Path database;

    @Mixin
    private PolicyOption policy = new PolicyOption();

    @Range("-20..19")
    @Option(names = "--nice", paramLabel = "CLASS=N", description = "priority of a class of requests, as RANGE=10: -20 (first) to 19; a hint to the policy; default 0")
    private Map<String, Integer> nices = new LinkedHashMap<>();

    @Option(names = "--affinity", paramLabel = "CLASS=CPUS", description = "host CPUs that a class of requests may use, as RANGE=2-3; default: any")
    private Map<String, String> affinities = new LinkedHashMap<>();

    @Range("1.." + TransportRun.TASKS)
    @Option(names = "--workers", defaultValue = "200", paramLabel = "N", description = "tasks that carry requests, 1 to 256; default ${DEFAULT-VALUE}")
    private int workers = 200;

    @Range("1..")
    @Option(names = "--batch", defaultValue = "1", paramLabel = "N", description = "requests of one class that a task may do in a row, while such wait for a task, before it gives its CPU back; default ${DEFAULT-VALUE}")
    private int batch = 1;

    @Range(">0..4")
    @Option(names = "--load", split = ",", paramLabel = "PART", description = "offered loads as parts of the measured capacity; default 0.2,0.4,0.6,0.8,0.9")
    private @Nullable List<Double> loads;

    @Option(names = "--arrivals", defaultValue = "poisson", paramLabel = "HOW", description = "how requests arrive, at the mean rate of the load: poisson, bursts:SIZE (so many at once), or onoff:ON:OFF, two mean times as onoff:1ms:9ms; as sim's arrivals=; default ${DEFAULT-VALUE}")
    private String arrivals = "poisson";

    @Range("0..1000000000")
    @Option(names = "--capacity", defaultValue = "0", paramLabel = "N", description = "requests/s that a load of 1 stands for; default: the least that one of the transports answers, measured by more requests than the machine can take, which one under emulation works off too slowly")
    private double capacity;

    @Range("1ms..")
    @Option(names = "--duration", paramLabel = "TIME", description = "length of a load point; default 4s, or 0.5s with --quick; longer if --kill-agent-at asks for it")
    private @Nullable String duration;

    @Range("1..1000")
    @Option(names = "--repeat", defaultValue = "1", paramLabel = "N", description = "run all of it so many times, each with a seed and agents of its own, and give 95 %% confidence intervals; two whose ratio may be 1 are called not distinguishable (n.d.); default ${DEFAULT-VALUE}")
    private int repeats = 1;

    @Range("1..4096")
    @Option(names = "--cpus", paramLabel = "N", description = "emulated host CPUs; default: cores less the agent's")
    private int cpus;

    @Range("1..4096")
    @Option(names = "--agents", defaultValue = "1", paramLabel = "N", description = "agents, each of which decides for CPUs of its own and is watched, replaced and upgraded alone; as many as CPUs: one a CPU; default ${DEFAULT-VALUE}")
    private int agents = 1;

    @Mixin
    private EnclaveOptions enclaves = new EnclaveOptions();

    @Option(names = "--in-process", description = "agent as a thread of this process instead of one of its own")
    private boolean inProcess;

    @Option(names = "--external-agent", description = "start no agent: 'bascule agent --attach DIR --stay' is started by hand, with the directory of --region")
    private boolean externalAgent;

    @Option(names = "--no-pin", description = "do not give host and agent a core each")
    private boolean noPin;

    @Option(names = "--bind", description = "emulated CPU N is one of this machine's cores: its requests run there, and the agent sees which share a core or a socket, as sysfs tells; without it they run on any core of the host's, and the agent sees CPUs that share nothing")
    private boolean bind;

    @Option(names = "--interrupt", description = "idle CPUs sleep until the agent's interrupt instead of polling")
    private boolean interrupt;

    @Range("0s..")
    @Option(names = "--starvation", defaultValue = "1s", paramLabel = "TIME", description = "a task that waits longer while later ones are started is an incident, and after twice the time the host runs it by itself; default ${DEFAULT-VALUE}, 0s: never")
    private String starvation = "1s";

    @Range(value = "1ms..", or = "0s")
    @Option(names = "--tick", defaultValue = "0s", paramLabel = "TIME", description = "time between two ticks of a CPU that runs a task, 1ms or more: the agent hears CPU_TICK; default ${DEFAULT-VALUE}: none")
    private String tick = "0s";

    @Option(names = "--fault", split = ",", paramLabel = "WHAT:CPU@TIME[+TIME]", description = "what happens to a CPU, how long after each transport's first load point began, and how long until it is back: take:1@1s+500ms (something outside has it), offline:2@500ms (unplugged), give:CPU@TIME and online:CPU@TIME bring it back. Now: bascule cpu")
    private List<String> faults = List.of();

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "arrivals and keys; default 1")
    private long seed = 1;

    @Range("0s..")
    @Option(names = "--kill-agent-at", paramLabel = "TIME", description = "kill the agent (SIGKILL) this long after each transport's first load point began")
    private @Nullable String killAt;

    @Range("0..1")
    @Option(names = "--fallback-limit", defaultValue = "0.05", paramLabel = "PART", description = "largest part of the decisions that the host's fallback may make before the run is called WRONG, with exit status 1; default ${DEFAULT-VALUE}; 1: any")
    private double fallbackLimit;

    @Mixin
    private WaitOptions waits = new WaitOptions();

    @Range("0s..")
    @Option(names = "--upgrade-at", paramLabel = "TIME", description = "replace the agent by a new one that takes over from it, this long after each transport's first load point began, and say how long there was no agent, step by step; the run goes on until it has ended")
    private @Nullable String upgradeAt;

    @Range("1ms..")
    @Option(names = "--upgrade-every", paramLabel = "TIME", description = "with --upgrade-at: and again so long after each upgrade, until the run ends")
    private @Nullable String upgradeEvery;

    @Option(names = "--region", paramLabel = "DIR", description = "run directory to use, and to leave in place; a host killed in it can be started again on it")
    private @Nullable Path region;

    @Mixin
    private RegionOption device = new RegionOption();

    @OutputFile.AtEnd
    @Option(names = "--report", defaultValue = "bascule-report.html", paramLabel = "FILE", description = "HTML report; default ${DEFAULT-VALUE}; 'none' for none")
    private String report = "bascule-report.html";

    @OutputFile.AtEnd
    @Option(names = "--trace", paramLabel = "FILE", description = "write the last runs and decisions over each transport as a Perfetto/Chrome trace")
    private @Nullable Path trace;

    @Option(names = "--web", paramLabel = "[HOST:]PORT", description = LiveWeb.OPTION)
    private @Nullable String web;

    private static Map<String, List<String>> groups() {
        Map<String, List<String>> groups = new LinkedHashMap<>();
        groups.put("Length and load:",
                List.of("--quick", "--load", "--arrivals", "--capacity", "--duration", "--repeat",
                        "--seed"));
        groups.put("What is compared:", List.of("--transport", "--swap-mode", "--placement", "--config"));
        groups.put("Policy and agents:", List.of("--policy", "--policy-path", "--policy-option", "--agents",
                "--in-process", "--external-agent", "--agent-command", "--fallback-limit"));
        groups.put("What is printed and written:", List.of("--json", "--report", "--trace", "--web"));
        groups.put("Workload:",
                List.of("--workload", "--mix", "--db", "--nice", "--affinity", "--workers", "--batch"));
        groups.put("Emulated CPUs:", List.of("--cpus", "--no-pin", "--bind", "--interrupt", "--tick", "--starvation",
                "--window", "--patient"));
        groups.put("Faults and upgrades:", List.of("--kill-agent-at", "--upgrade-at", "--upgrade-every", "--fault"));
        groups.put("Enclaves side by side:", List.of("--enclave", "--move"));
        groups.put("Where the region is:", List.of("--region", "--device", "--device-timeout", "--link", "--peer"));
        groups.put("Help:", List.of("--help", "--version"));
        return groups;
    }

    @Override
    public Integer call() throws Exception {
        SequencedMap<String, PolicySpec> policies = policy.specs();
        chooseTransports(policies.size() > 1);
        RegionOption.Chosen chosen = device.choose(config, externalAgent, placement());
        HardwareConfig hardware = chosen.hardware();
        for (String name : transports) {
            if (!Transports.NAMES.contains(name) && !name.equals(Transports.NO_AGENT)) {
                throw new Misuse(
                        NearestWord.none("transport", name, Transports.NAMES) + ", and " + Transports.NO_AGENT);
            }
        }
        enclaves.require(capacity, List.of(web == null ? "" : "--web", faults.isEmpty() ? "" : "--fault",
                externalAgent ? "--external-agent" : "", bind ? "--bind" : "",
                chosen.place().isCard() ? "--device" : "", device.hasLink() ? "--link rdma" : ""));
        // wrong words are an error here, and a crashed agent later
        policies.values().forEach(one -> RunAgents.checked(one.withDefault("work", "1")));
        Workloads.Spec service = Workloads.spec(workload, mix, database, seed);
        RunPlan plan = plan(chosen, service.classes(), policies);
        Progress progress = new Progress(System.err);
        MachineInfo machine = MachineInfo.current(); // before this process is confined to its cores
        List<MainJob.Result> results;
        try (LiveWeb page = LiveWeb.open(web, progress)) {
            results = new MainJob(plan, hardware, service, progress, capacity, page.hosts()).run(repeats);
        }
        RunOutput output = new RunOutput(plan, hardware, machine, results,
                "scripts/" + String.join(" ", typed()));
        if (json) {
            output.printJson(out());
        } else {
            output.printTable(out());
        }
        if (!report.equals("none")) {
            output.writeReport(Path.of(report));
            progress.say("report written to " + report);
        }
        if (trace != null) {
            output.writeTrace(trace);
            progress.say("trace written to " + trace);
        }
        return results.stream().allMatch(result -> result.isClean() && result.isPolicys()) ? 0 : Errors.FAILED;
    }

    /** Several policies are compared over one transport, each by agents that this command starts. */
    private void chooseTransports(boolean isOfPolicies) {
        if (transports.isEmpty()) {
            transports = isOfPolicies
                    ? List.of(WaveProtocol.NAME)
                    : List.of(LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME, Transports.NO_AGENT);
        }
        if (!isOfPolicies) {
            return;
        }
        if (transports.stream().filter(name -> !name.equals(Transports.NO_AGENT)).count() != 1) {
            throw new Misuse("--policy names several, --transport " + String.join(",", transports)
                    + ": policies are compared over one transport; name that, and no-agent if you like");
        }
        for (String other : List.of(externalAgent ? "--external-agent" : "", device.hasPeers() ? "--peer" : "",
                enclaves.isEmpty() ? "" : "--enclave")) {
            if (!other.isEmpty()) {
                throw new Misuse("--policy names several, and " + other + ": agents there have a policy of their own;"
                        + " name one policy, or leave " + other + " out");
            }
        }
    }

    private List<RunPlan.Column> columns(SequencedMap<String, PolicySpec> policies) {
        PolicySpec first = policies.firstEntry().getValue();
        if (policies.size() == 1) {
            return RunPlan.Column.ofTransports(transports, first);
        }
        List<RunPlan.Column> columns = new ArrayList<>();
        for (String transport : transports) {
            if (transport.equals(Transports.NO_AGENT)) {
                columns.add(new RunPlan.Column(transport, transport, first));
            } else {
                policies.forEach((name, one) -> columns.add(new RunPlan.Column(name, transport, one)));
            }
        }
        return columns;
    }

    private RunPlan plan(RegionOption.Chosen chosen, List<String> classes, SequencedMap<String, PolicySpec> policies) {
        PolicySpec first = policies.firstEntry().getValue();
        HardwareConfig hardware = chosen.hardware();
        int carriers = Integer.getInteger("jdk.virtualThreadScheduler.parallelism",
                Math.max(1, Runtime.getRuntime().availableProcessors() - 1));
        List<Double> parts = loads != null ? loads : quick ? List.of(0.3, 0.7) : List.of(0.2, 0.4, 0.6, 0.8, 0.9);
        long kill = killAt == null ? 0 : Durations.parseNanos(killAt);
        long upgrade = upgradeAt == null ? 0 : Durations.parseNanos(upgradeAt);
        int emulated = cpus > 0 ? cpus : carriers;
        if (agents < 1 || agents > emulated) {
            throw new Misuse("--agents " + agents + ": 1 to the number of CPUs, " + emulated
                    + ", as each decides for CPUs of its own; more CPUs: --cpus N");
        }
        List<CpuFault> planned = faults.stream().map(text -> CpuFault.of(text, emulated)).toList();
        EnclavePlan together = enclaves.plan(emulated, transports, first, agents);
        long last = Math.max(together.endNanos(),
                planned.stream().mapToLong(CpuFault::endNanos).max().orElse(0));
        long point = duration != null
                ? Durations.parseNanos(duration)
                : pointNanos(Math.max(last, Math.max(kill, upgrade)), parts.size());
        LinkSetup link = LoopbackSetup.config(hardware, seed, placement(), swapMode(chosen.place().isCard()));
        RunPlan.Load load = new RunPlan.Load(Misuse.reading("--arrivals", () -> Arrivals.named(arrivals)), parts, point,
                quick ? 500_000_000L : 2_000_000_000L, seed,
                RequestHints.checked(nices, classes), RequestHints.masks(affinities, classes, emulated));
        RunPlan.Host host = new RunPlan.Host(emulated, carriers, !noPin && Cores.count() > 1,
                !interrupt, patience(chosen, Math.min(emulated, carriers), together),
                hardware.queues().channelEntries(), hardware.queues().stagedDecisions(),
                Durations.parseNanos(starvation), Durations.parseNanos(tick), workers, batch, planned,
                bind ? machine(emulated, carriers) : null);
        return new RunPlan(columns(policies), load,
                new RunPlan.Agent(first, agents, agentPlace(chosen), kill, upgrade, upgradeAgain(),
                        device.by(), report.equals("none") ? null : Path.of(report)),
                host,
                new RunPlan.Region(link, region, chosen.place()),
                fallbackLimit,
                trace != null || web != null, together);
    }

    /** The machine's CPUs that the emulated ones are. */
    private MachineTopology machine(int emulated, int carriers) {
        List<Integer> cores = Cores.forHost(agents, carriers).stream().boxed().toList();
        if (noPin || emulated > Math.min(carriers, cores.size())) {
            throw new Misuse(
                    "--bind: each of " + emulated + " emulated CPUs takes a core of the host's, of which there"
                            + " are " + Math.min(carriers, cores.size()) + " (" + cores + "), and a carrier thread"
                            + (noPin ? "; leave --no-pin out" : "; fewer CPUs: --cpus N, more carriers: --carriers N"));
        }
        return MachineTopology.ofSome(cores, emulated);
    }

    private AgentWait patience(RegionOption.Chosen chosen, int busy, EnclavePlan together) {
        int all = together.isEmpty()
                ? agents
                : together.enclaves().stream().mapToInt(EnclavePlan.One::agents).sum();
        int here = !chosen.place().isAway() || transports.contains(LocalProtocol.NAME) ? all : 0;
        return waits.choose(chosen.hardware().watchdog(), busy, here, Cores.count());
    }

    private long upgradeAgain() {
        if (upgradeEvery == null) {
            return 0;
        }
        if (upgradeAt == null) {
            throw new Misuse(
                    "--upgrade-every " + upgradeEvery + " says how often again; say when first: --upgrade-at 1s");
        }
        return Durations.parseNanos(upgradeEvery);
    }

    private Placement placement() {
        return Misuse.reading("--placement", () -> Placement.of(placement));
    }

    private SwapMode swapMode(boolean isCard) {
        SwapMode mode = Misuse.reading("--swap-mode", () -> SwapMode.of(swapMode));
        OneWordMode.require("--swap-mode", mode, placement(), isCard);
        return mode;
    }

    /** Short, but long enough that an agent is killed or upgraded while there is load, and its successor is seen at work. */
    private long pointNanos(long eventNanos, int points) {
        long least = eventNanos == 0 ? 0 : (eventNanos + SECOND_NANOS) / points;
        return Math.max(quick ? SECOND_NANOS / 2 : 4 * SECOND_NANOS, least);
    }

    private RunPlan.AgentPlace agentPlace(RegionOption.Chosen chosen) {
        if (device.hasPeers()
                && (externalAgent || inProcess || region != null || killAt != null || upgradeAt != null)) {
            throw new Misuse("--peer: the agents are started by hand, where they are, and ended there; leave"
                    + " --external-agent, --in-process, --region, --kill-agent-at and --upgrade-at out");
        }
        if (externalAgent && (inProcess || region == null && !chosen.place().isCard())) {
            throw new Misuse(inProcess
                    ? "--external-agent and --in-process: an agent is either started by hand or a thread; leave one out"
                    : "--external-agent: agents find the host by its run directory, so name one: --region DIR");
        }
        if (externalAgent && upgradeAt != null) {
            throw new Misuse(
                    "--external-agent and --upgrade-at: an agent that was started by hand is upgraded by hand:"
                            + " bascule agent --attach DIR --take-over");
        }
        if (device.by() != null && (externalAgent || inProcess)) {
            throw new Misuse("--agent-command starts the agent; leave --external-agent and --in-process out");
        }
        return externalAgent || device.hasPeers()
                ? RunPlan.AgentPlace.EXTERNAL
                : inProcess ? RunPlan.AgentPlace.THREAD : RunPlan.AgentPlace.PROCESS;
    }
}
