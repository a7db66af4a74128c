package dev.bascule.cli;

import dev.bascule.agent.TierPolicy;
import dev.bascule.doctor.Machine;
import dev.bascule.doctor.TierChecks;
import dev.bascule.host.tier.TierLink;
import dev.bascule.host.tier.Tiering;
import dev.bascule.policy.LruTiers;
import dev.bascule.policy.TieringAgent;
import dev.bascule.registry.Durations;
import dev.bascule.run.Backoff;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.run.OutputFile;
import dev.bascule.run.TierAgents;
import dev.bascule.run.TierRun;
import dev.bascule.run.TierTargets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Memory tiering of real processes by an agent. */
@Command(name = "tier", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Runs a program, and its children, with an agent that decides which of their pages belong into fast memory: the "
                + "host reads access bits of real pages and moves real pages, the agent only sees batches of 64 pages, over "
                + "Wave's bulk queues or by the swap (--link). Or does that for what runs already (--pid, --cgroup), until Ctrl-C.",
        "When the program ends, so does this command, with its exit status. Where the agent fails, nothing is demoted "
                + "until another has started. Pages keep what they hold, whoever dies." }, footer = { "", "Examples:",
                        "  bascule tier -- ./server                     # only counts: what could go",
                        "  bascule tier --to pageout -- ./server        # cold pages to swap, zram or their file; as root",
                        "  bascule tier --to node:1 --policy lru --fast-share 0.3 --pid 1234",
                        "  bascule tier --link swap --to pageout -- ./server   # batches change hands, none is in two",
                        "  bascule tier --to pageout --watch 10s --ops ops.txt --json -- ./server   # throughput lost",
                        "  bascule tier --report tier.html -- ./server  # pictures over time",
                        "", "Which access bits this machine has: bascule doctor." })
final class TierCommand extends CommandBase {
    private static final int LOOK_ROUNDS = 100;

    @OneOf({ "sol", "lru" })
    @Option(names = "--policy", defaultValue = "sol", paramLabel = "NAME", description = "sol (Thompson sampling of scan intervals) or lru; default ${DEFAULT-VALUE}")
    private String policy = "sol";

    @Option(names = "--to", defaultValue = "count", paramLabel = "TIER", description = "where cold pages go: count (nowhere), cold (reclaimed first), pageout (swap or their file), node:N (a NUMA node); default ${DEFAULT-VALUE}")
    private String to = "count";

    @OneOf({ "auto", "page-idle", "damon", "soft-dirty", "referenced" })
    @Option(names = "--source", defaultValue = "auto", paramLabel = "NAME", description = "access bits: page-idle, damon, soft-dirty, referenced, or auto: the best that is there; default ${DEFAULT-VALUE}")
    private String source = "auto";

    @Range("1..")
    @Option(names = "--pid", paramLabel = "PID", description = "a process that runs already; for several repeat it")
    private List<Integer> processes = new ArrayList<>();

    @Option(names = "--cgroup", paramLabel = "DIR", description = "the processes of a cgroup (version 2), and what comes into it; for several repeat it")
    private List<Path> groups = new ArrayList<>();

    @Range("10ms..")
    @Option(names = "--period", defaultValue = "300ms", paramLabel = "TIME", description = "time between two scans; default ${DEFAULT-VALUE}")
    private String period = "300ms";

    @Range(">0..1")
    @Option(names = "--budget", defaultValue = "0.05", paramLabel = "SHARE", description = "share of a CPU that scans may take; a period becomes longer where it does not suffice; default ${DEFAULT-VALUE}")
    private double budget = 0.05;

    @Range("1..")
    @Option(names = "--cold-periods", defaultValue = "3", paramLabel = "N", description = "sol: idle periods in a row that make a batch cold; default ${DEFAULT-VALUE}")
    private int coldPeriods = 3;

    @Range("1..")
    @Option(names = "--cold-scans", paramLabel = "N", description = "sol: idle scans in a row, whatever their intervals, make a batch cold, as in the simulator; instead of --cold-periods")
    private @Nullable Integer coldScans;

    @Range("0..1")
    @Option(names = "--fast-share", defaultValue = "0.5", paramLabel = "SHARE", description = "lru: share of the batches that may stay in fast memory; default ${DEFAULT-VALUE}")
    private double fastShare = 0.5;

    @Range(">0..")
    @Option(names = "--most-slow", defaultValue = "0.05", paramLabel = "SHARE", description = "pages touched in slow memory in a period, of those in use, above which demotions are held back; default ${DEFAULT-VALUE}")
    private double mostSlow = 0.05;

    @Range("1..")
    @Option(names = "--most-moves", defaultValue = "256", paramLabel = "N", description = "batches (of 64 pages) demoted in a period at most; default ${DEFAULT-VALUE}")
    private int mostMoves = 256;

    @Range("1..")
    @Option(names = "--batches", defaultValue = "32768", paramLabel = "N", description = "batches managed at a time, of 256 KiB each with pages of 4 KiB; default ${DEFAULT-VALUE}")
    private int batches = 32_768;

    @OneOf({ "wave", "swap" })
    @Option(names = "--link", defaultValue = "wave", paramLabel = "NAME", description = "wave (messages by DMA queues) or swap (batches change hands); default ${DEFAULT-VALUE}")
    private String link = "wave";

    @Option(names = "--agent-process", description = "the agent is a process of its own instead of a thread of this one")
    private boolean agentProcess;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "sol: seed of its random draws; default ${DEFAULT-VALUE}")
    private long seed = 1;

    @Range("0s..")
    @Option(names = "--duration", paramLabel = "TIME", description = "end after this time; a program that was started goes on to its end without tiering")
    private @Nullable String duration;

    @Range("0s..")
    @Option(names = "--watch", defaultValue = "0ms", paramLabel = "TIME", description = "leave the program alone for this time first, so that its throughput can be compared; default ${DEFAULT-VALUE}")
    private String watch = "0ms";

    @Option(names = "--ops", paramLabel = "FILE", description = "file in which the program keeps the number of operations it has done, a decimal number")
    private @Nullable Path ops;

    @OutputFile.AtEnd
    @Option(names = "--report", paramLabel = "FILE", description = "write a page with memory, what it served and throughput over time")
    private @Nullable Path report;

    @Option(names = "--json", description = "print one JSON document at the end, on standard error as the text would be")
    private boolean json;

    @Option(names = "--quiet", description = "no progress, only the summary")
    private boolean quiet;

    @Option(names = "--attach", hidden = true, paramLabel = "DIR", description = "be the agent of the host in this run directory")
    private @Nullable Path attach;

    @Option(names = "--key", hidden = true, defaultValue = "", paramLabel = "KEY", description = "what the agent needs to join")
    private String key = "";

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "program with its arguments, after --")
    private List<String> command = List.of();

    @Override
    public Integer call() throws InterruptedException {
        TierPolicy decides = policy();
        if (attach != null) {
            return serve(attach, decides);
        }
        if (command.isEmpty() && processes.isEmpty() && groups.isEmpty()) {
            throw new Misuse("nothing to manage: name a program after --, or --pid or --cgroup");
        }
        if ((to.equals("cold") || to.equals("pageout")) && !TierChecks.mayMove(Machine.real())) {
            throw new Failure(
                    "--to " + to + ": process_madvise takes CAP_SYS_NICE, which this process does not hold; sudo"
                            + " scripts/bascule tier ..., or only count: --to count");
        }
        for (int pid : processes) {
            if (!Files.exists(Path.of("/proc", Integer.toString(pid)))) {
                throw new Failure("--pid " + pid + ": there is no such process; see: ps -e");
            }
        }
        for (Path group : groups) {
            if (!Files.exists(group.resolve(TierTargets.MEMBERS))) {
                throw new Failure("--cgroup " + group + ": there is no " + group.resolve(TierTargets.MEMBERS)
                        + "; name a folder of a cgroup file system (version 2), as /sys/fs/cgroup/batch");
            }
        }
        Tiering.Settings settings = Misuse.reading("--to", () -> new Tiering.Settings(source, to,
                Durations.parseNanos(period), budget, batches, mostMoves, mostSlow));
        TierAgents agents = new TierAgents(agentProcess, decides, batches, agentWords());
        TierRun.Plan plan = new TierRun.Plan(command, Durations.parseNanos(watch),
                duration == null ? Long.MAX_VALUE : Durations.parseNanos(duration), ops, link,
                quiet || json, report);
        return new TierRun(settings, new TierTargets(processes, groups), agents, plan, policy, json, err()).run();
    }

    private TierPolicy policy() {
        return switch (policy) {
            case "sol" -> coldScans == null
                    ? TieringAgent.byAge(batches, coldPeriods, mostSlow, seed)
                    : new TieringAgent(batches, coldScans, mostSlow, seed);
            case "lru" -> new LruTiers(batches, fastShare);
            default -> throw new AssertionError(policy);
        };
    }

    private List<String> agentWords() {
        return List.of("--policy", policy, "--batches", Integer.toString(batches),
                coldScans == null ? "--cold-periods" : "--cold-scans",
                Integer.toString(coldScans == null ? coldPeriods : coldScans), "--fast-share",
                Double.toString(fastShare), "--most-slow",
                Double.toString(mostSlow), "--seed", Long.toString(seed));
    }

    /** The agent's process: ends with SIGTERM, or when whoever started it has ended. */
    private int serve(Path directory, TierPolicy decides) {
        long parent = parent();
        try (TierLink.Far far = new TierLink.Far(link, directory, key, batches, decides)) {
            Backoff backoff = new Backoff(TierAgents.MOST_NAP_NANOS);
            for (int round = 1; round % LOOK_ROUNDS != 0 || parent() == parent; round++) {
                while (far.agent().doWork() > 0) {
                    backoff.worked();
                }
                backoff.rest();
            }
        }
        return 0;
    }

    private static long parent() {
        return ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L);
    }
}
