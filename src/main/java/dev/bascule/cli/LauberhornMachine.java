package dev.bascule.cli;

import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.ffi.Affinity;
import dev.bascule.host.lauberhorn.AgentScheduler;
import dev.bascule.host.lauberhorn.CoreRange;
import dev.bascule.host.lauberhorn.CoreUse;
import dev.bascule.host.lauberhorn.LauberhornHost;
import dev.bascule.host.lauberhorn.LauberhornOptions;
import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.NicCounters;
import dev.bascule.model.lauberhorn.NicCounters.OfCore;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.registry.Durations;
import dev.bascule.registry.PolicySpec;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.run.CpuSet;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.run.RunAgents;
import dev.bascule.run.Summary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The machine behind the NIC: what {@code serve} and {@code bench} have in common. */
final class LauberhornMachine {
    /** The policy of the NIC itself. */
    static final String OWN = "nic";

    @Range("1..256")
    @Option(names = "--cores", defaultValue = "2", paramLabel = "N", description = "emulated cores that do RPC; default ${DEFAULT-VALUE}")
    private int cores;

    @Range("0..")
    @Option(names = "--least-cores", paramLabel = "N", description = "cores that always do RPC; the others come when threads wait for one, and retire when it is calm; default: --cores, so none comes or goes")
    private @Nullable Integer leastCores;

    @Range("0s..")
    @Option(names = "--calm", defaultValue = "50ms", paramLabel = "TIME", description = "with --least-cores: how long a core idles before one retires; default ${DEFAULT-VALUE}")
    private String calm = "50ms";

    @Range("1..256")
    @Option(names = "--threads", defaultValue = "2", paramLabel = "N", description = "threads of each process, and so the cores that it can have at a time; default ${DEFAULT-VALUE}")
    private int threads;

    @Range("1..65536")
    @Option(names = "--queue", defaultValue = "32", paramLabel = "N", description = "requests that a process may have queued; what comes beyond is refused; default ${DEFAULT-VALUE}, as in the prototype")
    private int queue;

    @OneOf({ "64", "128" })
    @Option(names = "--line", defaultValue = "64", paramLabel = "BYTES", description = "bytes of a coherent line: 64, or 128 as on Enzian; default ${DEFAULT-VALUE}")
    private int line;

    @Range("0..1048576")
    @Option(names = "--dma-above", defaultValue = "4096", paramLabel = "BYTES", description = "payloads longer than this go by DMA; default ${DEFAULT-VALUE}")
    private int dmaAbove;

    @Range("0s..")
    @Option(names = "--line-latency", defaultValue = "0s", paramLabel = "TIME", description = "injected for each line that crosses the interconnect; default ${DEFAULT-VALUE}: none")
    private String lineLatency = "0s";

    @OneOf({ "eci", "cxl", "pcie" })
    @Option(names = "--interconnect", paramLabel = "NAME", description = "inject the latencies of eci, cxl or pcie, by the file of --costs, instead of --line-latency")
    private @Nullable String interconnect;

    @Option(names = "--costs", defaultValue = "interconnects", paramLabel = "NAME", description = "file of hw-configs/costs/ or a path, of kind interconnects; default ${DEFAULT-VALUE}")
    private String costs = "interconnects";

    @OneOf({ "spin", "yield", "sleep" })
    @Option(names = "--wait", defaultValue = "yield", paramLabel = "HOW", description = "what a core does between two looks at a line that is held back: spin (it has a CPU of its own), yield or sleep; default ${DEFAULT-VALUE}")
    private String wait = "yield";

    @Option(names = "--pin", paramLabel = "CPU,CPU...", description = "bind threads to CPUs of this machine: the NIC's to the first, cores and what they run to the others; default: Linux places them")
    private @Nullable String pin;

    @Range("0s..")
    @Option(names = "--quantum", defaultValue = "1ms", paramLabel = "TIME", description = "the NIC's own policy: how long others wait before a thread is pre-empted; 0s: for ever; default ${DEFAULT-VALUE}")
    private String quantum = "1ms";

    @Option(names = "--policy", defaultValue = OWN, paramLabel = "NAME|CLASS", description = "who decides in the NIC which thread gets a core: nic (its own rules), a policy that ships ('bascule policies'), or a class of your own; default ${DEFAULT-VALUE}")
    private String policy = OWN;

    @Option(names = "--policy-path", split = ":", paramLabel = "JAR|DIR", description = PolicyOption.PATH)
    private @Nullable List<Path> policyPath;

    @Option(names = "--policy-option", paramLabel = "KEY=VALUE", description = "option of the policy; for several, repeat it")
    private Map<String, String> policyOptions = new LinkedHashMap<>();

    /** Sizes for so many processes. */
    LauberhornConfig config(int processes) {
        LineLayout lines = new LineLayout(line, 4096, 16_384);
        return Misuse.reading("--cores, --threads and services", () -> LauberhornConfig.DEFAULT
                .withMachine(cores, processes, threads).withQueueEntries(queue).withLines(lines, dmaAbove)
                .withCosts(injected()));
    }

    private LauberhornConfig.Costs injected() {
        String name = interconnect;
        if (name == null) {
            long nanos = Durations.parseNanos(lineLatency);
            return new LauberhornConfig.Costs(nanos, nanos / 8, 0, 0);
        }
        CostProfile file = CostProfiles.interconnects(costs);
        long dma = file.nanos("pcie.dmaWrite");
        long bytesPerMicro = Math.round(file.value("pcie.dmaBandwidth") / 1e6);
        return switch (name) {
            case "eci", "cxl" -> new LauberhornConfig.Costs(file.nanos(name + ".receiveLine"),
                    file.nanos(name + ".nextSendLine"), dma, bytesPerMicro);
            case "pcie" -> new LauberhornConfig.Costs( // a line is uncached loads of 8 bytes
                    Math.round(file.value("pcie.receive") + line / 8.0 * file.value("pcie.receiveWord")),
                    file.nanos("pcie.sendLine"), dma, bytesPerMicro);
            default -> throw new AssertionError(name);
        };
    }

    /** Injected latency in words, for people. */
    String injection() {
        if (interconnect != null) {
            return interconnect + ", by " + costs;
        }
        return Durations.parseNanos(lineLatency) == 0 ? "none" : lineLatency + " a line";
    }

    LauberhornOptions options() {
        long quantumNanos = Durations.parseNanos(quantum);
        LauberhornOptions options = LauberhornOptions.DEFAULT
                .withScheduler(nic -> nic.queueScheduler(quantumNanos));
        options = switch (wait) {
            case "spin" -> options.withIdle(IdleStrategy::spin);
            case "yield" -> options;
            case "sleep" -> options.resting();
            default -> throw new AssertionError(wait);
        };
        options = pin == null ? options : options.withCpus(cpus(pin));
        options = leastCores == null ? options : options.withCores(range(leastCores));
        if (policy.equals(OWN)) {
            return options;
        }
        PolicySpec spec = new PolicySpec(policy, policyOptions, policyPath == null ? List.of() : policyPath)
                .withDefault("work", "1");
        return options.withScheduler(AgentScheduler.of(RunAgents.checked(spec)));
    }

    /** Some CPUs, each usable here, the NIC's first. */
    private static List<Integer> cpus(String text) {
        List<Integer> cpus = CpuSet.parse("--pin", text);
        BitSet allowed = Affinity.current();
        if (cpus.size() < 2) {
            throw new Misuse("--pin " + text + ": the NIC's CPU, then one or more for the cores");
        }
        if (!cpus.stream().allMatch(allowed::get)) {
            throw new Failure("--pin " + text + ": this process may use the CPUs " + CpuSet.text(allowed)
                    + " (taskset -p $$)");
        }
        return cpus;
    }

    boolean isPinned() {
        return pin != null;
    }

    private CoreRange range(int least) {
        if (least < 0 || least > cores) {
            throw new Misuse("--least-cores " + least + ": 0 to " + cores + ", the cores that there are (--cores)");
        }
        return CoreRange.from(least).withCalmNanos(Durations.parseNanos(calm));
    }

    String policy() {
        return policy;
    }

    int cores() {
        return cores;
    }

    /** The cores that there are, in words. */
    String coreWords() {
        return leastCores == null ? cores + " cores" : leastCores + " to " + cores + " cores";
    }

    int leastCores() {
        return leastCores == null ? cores : leastCores;
    }

    /** Adds what the NIC counted, and the use of the cores. */
    static void describe(LauberhornHost host, Summary summary) {
        NicCounters counters = host.counters();
        summary.put("requests", counters.get(Total.REQUESTS)).put("answered", counters.get(Total.ANSWERED))
                .put("refused", counters.get(Total.REFUSED)).put("repeated", counters.get(Total.REPEATED));
        List<String> reasons = new ArrayList<>();
        for (Refusal why : Refusal.values()) {
            if (counters.get(why) > 0) {
                reasons.add(why.word() + " " + counters.get(why));
            }
        }
        summary.put("refused because", reasons.isEmpty() ? "-" : String.join(", ", reasons))
                .put("nested calls", counters.get(Total.NESTED)).put("by DMA", counters.get(Total.BY_DMA))
                .put("frames", counters.get(Total.FRAMES)).put("for the kernel", counters.get(Total.BYPASSED))
                .put("dropped", counters.get(Total.DROPPED)).put("lost on the wire", counters.get(Total.LOST_ON_WIRE))
                .put("stray loads", counters.get(Total.STRAY_LOADS))
                .put("cores switched", host.switches()).put("told to yield", counters.sum(OfCore.YIELDS))
                .put("interrupts", counters.sum(OfCore.INTERRUPTS))
                .put("tried again", counters.sum(OfCore.TRY_AGAINS)).put("retired", counters.sum(OfCore.RETIRED));
        CoreUse use = host.coreUse();
        summary.put("cores now", use.now()).put("most cores", use.most()).put("mean cores", use.mean())
                .put("cores came", use.came()).put("cores left", use.left());
    }
}
