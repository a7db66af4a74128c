package dev.bascule.registry;

import dev.bascule.host.PolicyVerifier.Property;
import dev.bascule.policy.CfsAgent;
import dev.bascule.policy.ClassPerCpuAgent;
import dev.bascule.policy.DarcAgent;
import dev.bascule.policy.EdfAgent;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.GangAgent;
import dev.bascule.policy.GhostShinjukuAgent;
import dev.bascule.policy.PerCpuFifoAgent;
import dev.bascule.policy.RandomAgent;
import dev.bascule.policy.RoundRobinAgent;
import dev.bascule.policy.ShinjukuAgent;
import dev.bascule.policy.ShinjukuBestEffortAgent;
import dev.bascule.policy.ShortestFirstAgent;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The policies that ship. */
public final class Policies {
    /** All, the simplest first. */
    public static final List<ShippedPolicy> ALL = List.of(
            new ShippedPolicy("fifo", "first in, first out, to completion", options -> new FifoAgent()),
            new ShippedPolicy("fifo-per-cpu", "the same with a queue for each CPU; a task goes to the least loaded",
                    options -> new PerCpuFifoAgent()),
            new ShippedPolicy("class-per-cpu",
                    "a queue for each CPU; a task goes to the one that its class names, modulo CPUs: steering by class or flow",
                    options -> new ClassPerCpuAgent()),
            new ShippedPolicy("round-robin", "first in, first out, with a time slice",
                    options -> new RoundRobinAgent(options.nanos("quantum")),
                    new PolicyKey("quantum", "50us", "slice, a time")),
            new ShippedPolicy("shinjuku", "preempts after a quantum; with targets a queue for each class",
                    options -> new ShinjukuAgent(options.nanos("quantum"), options.allNanos("targets")),
                    new PolicyKey("quantum", "30us", "slice, a time"),
                    new PolicyKey("targets", "1s", "target latency of each class, times with colons")),
            new ShippedPolicy("ghost-shinjuku",
                    "the same as ghOSt's agent plays it: it preempts by decisions of its own, and waits for their outcomes",
                    options -> new GhostShinjukuAgent(options.nanos("quantum"),
                            options.isFirst("workers", "spin", "block")),
                    new PolicyKey("quantum", "30us", "slice, a time"),
                    new PolicyKey("workers", "block", "what a worker without a job does: block, or spin as ghOSt's")),
            new ShippedPolicy("shinjuku-best-effort", "the same beside batch work, which gets what no other task wants",
                    options -> new ShinjukuBestEffortAgent(options.nanos("quantum"), (int) options.whole("class")),
                    new PolicyKey("quantum", "30us", "slice, a time"),
                    new PolicyKey("class", "255", "number of the class that is batch work")),
            new ShippedPolicy("edf", "earliest deadline first, by the tasks' deadline hints",
                    options -> new EdfAgent()),
            new ShippedPolicy("sjf", "shortest job first, by the hints of expected run time",
                    options -> new ShortestFirstAgent(options.isFirst("preempt", "true", "false")),
                    new PolicyKey("preempt", "false",
                            "whether a shorter job takes a CPU from the longest: true or false")),
            new ShippedPolicy("cfs", "weighted fair sharing by nice levels, after Linux's CFS",
                    options -> new CfsAgent(options.nanos("latency"), options.nanos("granularity")),
                    new PolicyKey("latency", "10ms", "target latency, a time"),
                    new PolicyKey("granularity", "1ms", "shortest slice, a time")),
            new ShippedPolicy("darc", "reserves CPUs for short classes (Persephone)",
                    options -> new DarcAgent(options.allNumbers("work")),
                    new PolicyKey("work", "",
                            "work that each class brings, numbers with colons, shortest class first; the workload's")),
            new ShippedPolicy("gang", "a core's siblings never run tasks of different classes: core scheduling",
                    options -> new GangAgent(options.nanos("tenure")),
                    new PolicyKey("tenure", "5ms", "how long a class holds a core, a time")),
            new ShippedPolicy("random", "any waiting task, with a random slice: for tests",
                    options -> new RandomAgent(options.whole("seed")),
                    new PolicyKey("seed", "1", "a whole number")));
    /** Properties that some of them do not have, by their names; the page on policies says why. */
    public static final Map<String, Set<Property>> NOT_PROMISED = Map.of("fifo-per-cpu", Set.of(Property.CONSERVES),
            "class-per-cpu", Set.of(Property.CONSERVES), "sjf", Set.of(Property.FAIR), "ghost-shinjuku",
            Set.of(Property.FAIR));
    /** Their names, for people. */
    public static final String NAMES = ALL.stream().map(ShippedPolicy::name).collect(Collectors.joining(", "));

    private Policies() {}

    static Optional<ShippedPolicy> find(String name) {
        return ALL.stream().filter(one -> one.name().equals(name)).findFirst();
    }
}
