package dev.bascule.study.experiment;

import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.config.CostProfile;
import dev.bascule.ffi.NearestWord;
import dev.bascule.registry.Durations;
import dev.bascule.registry.PolicySpec;
import dev.bascule.study.sim.ExtendedLoad;
import dev.bascule.study.sim.SimBalance;
import dev.bascule.study.sim.SimChurn;
import dev.bascule.study.sim.SimCluster;
import dev.bascule.study.sim.SimEnclaves;
import dev.bascule.study.sim.SimHost;
import dev.bascule.study.sim.SimOptions;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimSetup;
import dev.bascule.study.sim.SimTrace;
import dev.bascule.study.sim.SimTransport;
import dev.bascule.study.sim.SimTransports;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One simulation, described by words: what a point of a sweep is. Keys that are not given have defaults.
 *
 * @param values value of every key, in order; {@code policy.NAME} is an option of the policy, and
 *         {@code policy.quantum} stands instead of {@code quantum}
 * @param policyPath where the policy's class is, if it is the user's own: jars and folders
 */
public record PointSpec(Map<String, String> values, List<Path> policyPath) {
    /** Keys with their defaults. Times are ns or have a unit, latency is one way over the link, churn per waiting task
     * and us, siblings 2 with SMT and turbo, stages ns of a chain's stages, clients 0 an open loop, load as recorded
     * where the mix is a trace and nothing is said, arrivals as {@link dev.bascule.workload.Arrivals#named},
     * think a client's ns, residents as {@link dev.bascule.study.sim.ExtendedLoad.Residents#named},
     * hints as {@link dev.bascule.study.sim.ExtendedLoad.Hints#named}, warmup the part
     * of a run that is not measured, wire ns from load balancer to host, cores those that the agents of all enclaves
     * share, each its own where nothing is said. */
    public static final Map<String, String> DEFAULTS = defaults();
    /** Beginning of the key of a policy's option, as {@code policy.quantum}. */
    private static final String OPTION = "policy.";
    private static final String NO_LOAD = "";
    /** Keys that are times: ns, or with a unit. */
    private static final Set<String> TIMES = Set.of("wire", "think", "quantum", "latency");
    /** Each has tables of all CPUs and tasks. */
    private static final int MOST_AGENTS = 256;

    private static Map<String, String> defaults() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("policy", "fifo");
        map.put("transport", "wave");
        map.put("mix", "ghost-fifo");
        map.put("cpus", "16");
        map.put("agents", "1");
        map.put("enclaves", "1");
        map.put("cores", "");
        map.put("hosts", "1");
        map.put("balance", SimBalance.RANDOM.text());
        map.put("wire", "5000");
        map.put("load", "0.7");
        map.put("arrivals", "poisson");
        map.put("stages", "3000:5000:2000");
        map.put("clients", "0");
        map.put("think", "0");
        map.put("residents", "0");
        map.put("hints", "given");
        map.put("quantum", "30000");
        map.put("latency", "");
        map.put("churn", "0");
        map.put("staged", "1");
        map.put("polling", "true");
        map.put("workers", "block");
        map.put("siblings", "1");
        map.put("sockets", "1");
        map.put("agent", "profile");
        map.put("jobs", "50000");
        map.put("warmup", "0.1");
        map.put("seed", "1");
        return java.util.Collections.unmodifiableMap(map);
    }

    /**
     * A point with these values, defaults for the rest.
     *
     * @throws IllegalArgumentException if a key or a value is none
     */
    public static PointSpec of(Map<String, String> given) {
        return of(given, List.of());
    }

    /** A point with a policy that is the user's own, in jars and folders. */
    public static PointSpec of(Map<String, String> given, List<Path> policyPath) {
        Map<String, String> all = new LinkedHashMap<>(DEFAULTS);
        given.forEach((key, value) -> {
            if (!DEFAULTS.containsKey(key) && !key.startsWith(OPTION)) {
                throw new IllegalArgumentException(
                        NearestWord.none("key", key, DEFAULTS.keySet()) + ", and "
                                + OPTION + "NAME for options of the policy");
            }
            all.put(key, value);
        });
        if (given.containsKey(OPTION + "quantum") && all.remove("quantum") != null && given.containsKey("quantum")) {
            throw new IllegalArgumentException("quantum=" + given.get("quantum") + " with " + OPTION + "quantum="
                    + given.get(OPTION + "quantum") + ": both are the policy's slice; leave one out");
        }
        boolean hasLoad = !all.getOrDefault("clients", "0").equals("0")
                || all.getOrDefault("mix", "").startsWith(PointLoad.TRACE)
                || all.getOrDefault("mix", "").startsWith(PointLoad.RT_APP);
        if (hasLoad && !given.containsKey("load")) {
            all.put("load", NO_LOAD);
        }
        PointSpec spec = new PointSpec(java.util.Collections.unmodifiableMap(all), policyPath);
        spec.check();
        return spec;
    }

    private void check() {
        SimTransports.named(value("transport"));
        if (work().isRtApp() && !value("load").equals(NO_LOAD)) {
            throw new IllegalArgumentException("load=" + value("load") + " with mix=" + value("mix")
                    + ": the load follows from the file; leave load out");
        }
        if (clients() > 0 ? !value("load").equals(NO_LOAD) : value("load").equals(NO_LOAD) && !work().hasOwnLoad()) {
            throw new IllegalArgumentException("load=" + value("load") + " with clients=" + value("clients")
                    + ": the load of a closed loop follows from clients and think, that of an open one is given");
        }
        work().check(value("policy"));
        policy().factory();
        number("churn", 0, 1e3);
        number("latency", 0, 1e9);
        whole("seed", 0, 1 << 30);
        together();
        cluster();
        enclaves().check(options());
        boolean polls = value("polling").equals("true");
        if (!polls && !value("polling").equals("false")) {
            throw new IllegalArgumentException("polling=" + value("polling") + ": true or false");
        }
        if (!value("workers").equals("block") && !value("workers").equals("spin")) {
            throw new IllegalArgumentException("workers=" + value("workers") + ": block or spin");
        }
        if (!value("agent").equals("profile") && !value("agent").equals("measured")) {
            throw new IllegalArgumentException("agent=" + value("agent") + ": profile or measured");
        }
    }

    private int clients() {
        return whole("clients", 0, 100_000);
    }

    private PointLoad work() {
        return work(0);
    }

    /** Load of an enclave: each has jobs of its own, by a seed of its own. */
    private PointLoad work(int enclave) {
        long seed = whole("seed", 0, 1 << 30);
        long own = enclave == 0 ? seed : new SplittableRandom(seed * 1_000_033L + enclave).nextInt(1 << 30);
        return new PointLoad(value("mix"), hosts(), whole("cpus", 1, EnclaveShape.MAX_CPUS), number("load", 1e-6, 100),
                value("arrivals"), clients(), number("think", 0, 1e9), value("stages"), value("residents"),
                value("hints"), own);
    }

    private int hosts() {
        return whole("hosts", 1, SimCluster.MAX_HOSTS);
    }

    private SimEnclaves enclaves() {
        int number = whole("enclaves", 1, SimEnclaves.MAX_ENCLAVES);
        int agents = whole("agents", 1, MOST_AGENTS) * number;
        return new SimEnclaves(number, value("cores").isEmpty() ? agents : whole("cores", 1, agents));
    }

    private void together() {
        boolean several = !value("enclaves").equals("1");
        if (hosts() > 1 && (several || !value("cores").isEmpty())) {
            throw new IllegalArgumentException("hosts=" + hosts() + " with "
                    + (several ? "enclaves=" + value("enclaves") : "cores=" + value("cores"))
                    + ": each host of a cluster has one enclave, with a core for each of its agents; leave one out");
        }
    }

    /** Part that {@link #runEach} has one result of: a host, or one of several enclaves. */
    public String part() {
        return enclaves().enclaves() > 1 ? "enclave" : "host";
    }

    /** Cores that the agents of a host have together. */
    public int agentCores() {
        return enclaves().cores();
    }

    private SimCluster cluster() {
        long seed = new SplittableRandom(whole("seed", 0, 1 << 30) + 0x9e3779b9L).nextLong(); // not that of the jobs
        return new SimCluster(hosts(), SimBalance.named(value("balance")), Math.round(number("wire", 0, 1e9)), seed);
    }

    private String value(String key) {
        return values.getOrDefault(key, "");
    }

    private double number(String key, double low, double high) {
        String text = value(key);
        if (text.isEmpty()) {
            return 0;
        }
        try {
            double number = TIMES.contains(key) && Character.isLetter(text.charAt(text.length() - 1))
                    ? Durations.parseNanos(text)
                    : Double.parseDouble(text);
            if (number >= low && number <= high) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(key + "=" + text + ": a number is needed", e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(key + "=" + text + ": " + e.getMessage(), e);
        }
        throw new IllegalArgumentException(key + "=" + text + ": from " + plain(low) + " to " + plain(high));
    }

    private static String plain(double limit) {
        return limit == Math.rint(limit) ? Long.toString((long) limit) : Double.toString(limit);
    }

    private int whole(String key, int low, int high) {
        double number = number(key, low, high);
        if (number != Math.rint(number)) {
            throw new IllegalArgumentException(key + "=" + value(key) + ": a whole number is needed");
        }
        return (int) number;
    }

    /** Policy with its options, also those that follow from other keys. */
    public PolicySpec policy() {
        Map<String, String> options = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            if (key.startsWith(OPTION)) {
                options.put(key.substring(OPTION.length()), value);
            }
        });
        String quantum = (values.containsKey("quantum")
                ? whole("quantum", 1, 1_000_000_000)
                : DEFAULTS.get("quantum")) + "ns";
        PolicySpec spec = new PolicySpec(value("policy"), options, policyPath).withDefault("quantum", quantum)
                .withDefault("tenure", quantum).withDefault("workers", value("workers"))
                .withDefault("seed", value("seed"));
        return work().isMachines() ? spec : spec.withDefault("work", PolicySpec.numbers(work().work()));
    }

    private SimOptions options() {
        int cpus = whole("cpus", 1, EnclaveShape.MAX_CPUS);
        int agents = whole("agents", 1, Math.min(cpus, MOST_AGENTS));
        double perSecond = work().perSecond() * enclaves().enclaves();
        long horizon = Math.max(2_000_000, Math.round(whole("jobs", 100, 100_000_000) / perSecond * 1e9));
        SimOptions options = SimOptions.of(cpus, horizon)
                .withWorkers(work().isMachines() || work().isRtApp() ? 1 : 200 + 2 * cpus, 1 << 16)
                .withStaged(whole("staged", 1, 64))
                .withPolling(value("polling").equals("true"))
                .withCores(whole("siblings", 1, 2), whole("siblings", 1, 2) == 2, 0)
                .withSockets(whole("sockets", 1, 64))
                .withPhases(Math.round(horizon * number("warmup", 0, 0.9)), horizon);
        options = agents > 1 ? options.withAgents(agents).withAgentCores(agentCores()) : options;
        options = value("workers").equals("spin") ? options.withSpinningWorkers() : options;
        return value("agent").equals("measured") ? options.withMeasuredAgent() : options;
    }

    /**
     * This point with a seed of its own for each repeat; that of repeat 0 is the point's. The seeds of two points with
     * the same seed are the same, so their repeats make pairs.
     */
    public PointSpec repeat(int number) {
        if (number == 0) {
            return this;
        }
        long seed = new SplittableRandom(whole("seed", 0, 1 << 30) * 1_000_003L + number).nextInt(1 << 30);
        return with(Map.of("seed", Long.toString(seed)));
    }

    /**
     * This point with some other values; another policy begins without the options of this one.
     *
     * @throws IllegalArgumentException if a key or a value is none
     */
    public PointSpec with(Map<String, String> other) {
        Map<String, String> all = new LinkedHashMap<>(values);
        all.entrySet().removeIf(each -> each.getValue().isEmpty()
                || each.getValue().equals(DEFAULTS.get(each.getKey()))
                        && !(each.getKey().equals("load") && work().hasOwnLoad())
                || other.containsKey("policy") && each.getKey().startsWith(OPTION));
        all.putAll(other);
        return of(all, policyPath);
    }

    /** Whether runs may go at the same time: not with somebody's own class, nor where time is measured. */
    public boolean isParallel() {
        return !isOwnPolicy() && !value("agent").equals("measured");
    }

    /** Length of a run of this point beside its queue's memory. */
    PointRuns.Length length(SimResult run) {
        return work().length(run);
    }

    /** The part of a run whose jobs are not measured. */
    public double warmUp() {
        return number("warmup", 0, 0.9);
    }

    /** Whether the policy is somebody's own class. */
    public boolean isOwnPolicy() {
        return policy().isOwn();
    }

    /** Runs it. */
    public SimResult run(CostProfile profile, @Nullable SimTrace trace) {
        return run(profile, trace, UnaryOperator.identity());
    }

    /**
     * Runs it with something around each agent.
     *
     * @throws IllegalArgumentException if it is several hosts or enclaves and there is a trace: that is of one
     */
    public SimResult run(CostProfile profile, @Nullable SimTrace trace, UnaryOperator<Agent> around) {
        return SimResult.together(runEach(profile, trace, around), part());
    }

    /** Runs the point, with the result of each host, or of each enclave; one host with one enclave has one. */
    public List<SimResult> runEach(CostProfile profile, @Nullable SimTrace trace, UnaryOperator<Agent> around) {
        double latency = number("latency", 0, 1e9);
        CostProfile costs = value("latency").isEmpty() ? profile : FitoLoads.oneWay(profile, latency);
        SimTransport transport = SimTransports.named(value("transport"));
        SimSetup setup = SimSetup.of(options(), transport, costs)
                .withChurn(new SimChurn(number("churn", 0, 1e3) * 1e6, 7));
        Supplier<Agent> policy = policy().factory();
        Supplier<Agent> agent = () -> around.apply(policy.get());
        boolean deadlines = value("policy").equals("edf");
        boolean several = enclaves().enclaves() > 1;
        if (hosts() == 1 && !several) {
            return List.of(SimHost.run(setup, agent, work().make(deadlines), trace));
        }
        if (trace != null) {
            throw new IllegalArgumentException((several ? "enclaves=" + value("enclaves") : "hosts=" + hosts())
                    + " with a trace: that is of one host with one enclave; leave it out");
        }
        return several
                ? enclaves().run(setup, agent, enclave -> work(enclave).make(deadlines))
                : cluster().run(setup, agent, work().make(deadlines));
    }

    /** Names of the classes of jobs, in their order. */
    public List<String> classNames() {
        return work().classNames();
    }

    /** Residents beside the jobs, in their order; none where the mix has its own. */
    public List<ExtendedLoad.Residents> residents() {
        return work().background();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        values.forEach((key, value) -> text.append(text.isEmpty() ? "" : " ").append(key).append('=').append(value));
        return text.toString();
    }
}
