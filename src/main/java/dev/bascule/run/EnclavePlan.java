package dev.bascule.run;

import dev.bascule.ffi.NearestWord;
import dev.bascule.registry.Durations;
import dev.bascule.registry.PolicySpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The enclaves of a run, which share its CPUs; none: the run plays transports one after the other.
 *
 * @param enclaves in the order in which they were named
 * @param moves CPUs that go from one to another
 */
public record EnclavePlan(List<One> enclaves, List<Move> moves) {
    /** Plan of a run that has one enclave. */
    public static final EnclavePlan NONE = new EnclavePlan(List.of(), List.of());

    private static final Pattern NAMED = Pattern.compile("([A-Za-z][\\w-]*):([\\d,-]+)((?::[a-z]+=[^:]+)*)");
    private static final Pattern MOVED = Pattern.compile("(\\d{1,4}):([A-Za-z][\\w-]*)@(.+)");

    /**
     * One enclave.
     *
     * @param name what it is called
     * @param cpus which are its own when it starts
     * @param transport its agents' way to the host
     * @param policy what its agents run
     * @param agents how many there are
     */
    public record One(String name, List<Integer> cpus, String transport, PolicySpec policy, int agents) {}

    /** A CPU that an enclave is given, so long after the load points began. */
    record Move(int cpu, String to, long atNanos) {}

    /**
     * Reads {@code web:0-1:transport=wave:policy=shinjuku:agents=2} and {@code 1:batch@1s}.
     *
     * @param usual what is not said of an enclave; its policy also says where classes of one's own are
     * @throws Failure if one is none, or CPUs and names do not fit
     */
    public static EnclavePlan of(List<String> enclaves, List<String> moves, int cpus, One usual) {
        if (enclaves.isEmpty() && !moves.isEmpty()) {
            throw new Misuse(
                    "--move " + moves.getFirst() + ": CPUs go from one enclave to another; say which there are:"
                            + " --enclave web:0-1 --enclave batch:2-3");
        }
        List<One> all = new ArrayList<>();
        Set<Integer> taken = new HashSet<>();
        for (String text : enclaves) {
            One one = one(text, cpus, usual);
            if (all.stream().anyMatch(other -> other.name.equals(one.name))) {
                throw new Misuse("--enclave " + text + ": there are two of that name");
            }
            for (int cpu : one.cpus) {
                if (!taken.add(cpu)) {
                    throw new Misuse("--enclave " + text + ": CPU " + cpu + " is an enclave's already");
                }
            }
            all.add(one);
        }
        return new EnclavePlan(List.copyOf(all), moves.stream().map(text -> move(text, cpus, all)).toList());
    }

    private static One one(String text, int cpus, One usual) {
        Matcher matcher = NAMED.matcher(text);
        if (!matcher.matches()) {
            throw new Misuse("--enclave " + text + ": its name and CPUs, then what is not as for the whole run, as in"
                    + " web:0-1 or batch:2-3:transport=swap:policy=fifo:agents=2");
        }
        String transport = usual.transport;
        PolicySpec own = usual.policy;
        String agents = Integer.toString(usual.agents);
        for (String part : matcher.group(3).substring(Math.min(1, matcher.group(3).length())).split(":")) {
            String[] word = part.split("=", 2);
            switch (word[0]) {
                case "" -> {
                }
                case "transport" -> transport = transport(text, word[1]);
                case "policy" -> own = new PolicySpec(word[1], Map.of(), usual.policy.path());
                case "agents" -> agents = word[1];
                default -> throw new Misuse("--enclave " + text + ": there is no '" + word[0]
                        + "'; there are transport, policy and agents");
            }
        }
        RunAgents.checked(own.withDefault("work", "1"));
        List<Integer> mine = cpus(text, matcher.group(2), cpus);
        return new One(name(text, matcher.group(1)), mine, transport, own, agents(text, agents, mine.size()));
    }

    private static String name(String text, String name) {
        if (Transports.NAMES.contains(name) || name.equals(Transports.NO_AGENT)) {
            throw new Misuse("--enclave " + text + ": that is a transport's name; call the enclave otherwise, and say"
                    + " :transport=" + name);
        }
        return name;
    }

    private static List<Integer> cpus(String text, String words, int cpus) {
        List<Integer> all = CpuSet.parse("--enclave " + text, words);
        for (int cpu : all) {
            if (cpu >= cpus) {
                throw new Misuse("--enclave " + text + ": there is no CPU " + cpu + "; CPUs are 0 to " + (cpus - 1)
                        + ", and --cpus says how many");
            }
        }
        return all;
    }

    private static String transport(String text, String name) {
        if (!Transports.NAMES.contains(name)) {
            throw new Misuse("--enclave " + text + ": " + NearestWord.none("transport", name, Transports.NAMES));
        }
        return name;
    }

    private static int agents(String text, String number, int most) {
        int agents = number.matches("\\d{1,4}") ? Integer.parseInt(number) : 0;
        if (agents < 1 || agents > most) {
            throw new Misuse("--enclave " + text + ": agents are 1 to the number of its CPUs, " + most);
        }
        return agents;
    }

    private static Move move(String text, int cpus, List<One> all) {
        Matcher matcher = MOVED.matcher(text);
        if (!matcher.matches()) {
            throw new Misuse("--move " + text + ": which CPU, to which enclave and when, as in 1:batch@500ms");
        }
        int cpu = Integer.parseInt(matcher.group(1));
        if (cpu >= cpus) {
            throw new Misuse("--move " + text + ": there is no CPU " + cpu + "; CPUs are 0 to " + (cpus - 1));
        }
        if (all.stream().noneMatch(one -> one.name.equals(matcher.group(2)))) {
            throw new Misuse("--move " + text + ": there is no enclave " + matcher.group(2) + "; there are "
                    + all.stream().map(One::name).toList());
        }
        return new Move(cpu, matcher.group(2), Durations.parseNanos(matcher.group(3)));
    }

    /** Whether the run has any. */
    public boolean isEmpty() {
        return enclaves.isEmpty();
    }

    /** When the last CPU moves, ns. */
    public long endNanos() {
        return moves.stream().mapToLong(Move::atNanos).max().orElse(0);
    }

    /** The enclave of this name; null if there is none. */
    @Nullable
    public One named(String name) {
        return enclaves.stream().filter(one -> one.name.equals(name)).findFirst().orElse(null);
    }
}
