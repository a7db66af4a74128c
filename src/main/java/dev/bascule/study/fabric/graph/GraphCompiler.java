package dev.bascule.study.fabric.graph;

import dev.bascule.config.ConfigProblem;
import dev.bascule.config.FabricConfig;
import dev.bascule.config.FabricConfig.Edge;
import dev.bascule.config.FabricConfig.Place;
import dev.bascule.study.fabric.Field;
import dev.bascule.study.fabric.Match;
import dev.bascule.study.fabric.Op;
import dev.bascule.study.fabric.Port;
import dev.bascule.study.fabric.Program;
import dev.bascule.study.fabric.Stage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Makes the tables of a switch from a graph: count, load what conditions look at, choose the edge, make copies, rewrite
 * headers. What does not fit the stages' budget is a problem with its node.
 */
final class GraphCompiler {
    private static final int COUNT = 0;
    private static final int LOAD = 1;
    private static final int CHOOSE = 2;
    private static final int COPY = 3;
    private static final int REWRITE = 4;
    private static final int IPV4_AT = 14;
    private static final int UDP_AT = 34;

    private final FabricConfig config;
    private final Map<String, DeviceAction> actions;
    private final List<ConfigProblem> problems;
    private final List<String> names;
    private final List<List<Stage.Entry>> stages = new ArrayList<>();

    private GraphCompiler(FabricConfig config, Map<String, DeviceAction> actions, List<ConfigProblem> problems) {
        this.config = config;
        this.actions = actions;
        this.problems = problems;
        names = List.copyOf(config.nodes().keySet());
    }

    /**
     * The program of a graph that has no other problem.
     *
     * @param ports the devices by name
     * @param stages of the switch
     */
    static Program compile(FabricConfig config, Map<String, DeviceAction> actions, Function<String, Port> ports,
            int stages, List<ConfigProblem> problems) {
        GraphCompiler compiler = new GraphCompiler(config, actions, problems);
        List<Program.Node> nodes = compiler.nodes(ports);
        int source = compiler.source();
        compiler.entry(COUNT, List.of(new Match(Field.NODE, Match.Test.EQ, source)),
                List.of(Op.add(Field.STATE0, 1), Op.add(Field.STATE1, Field.LENGTH)));
        for (int i = 0; i < compiler.names.size(); i++) {
            compiler.node(i);
        }
        if (compiler.stages.size() > stages) {
            problems.add(config.problem(Place.NONE, "the graph needs " + compiler.stages.size()
                    + " stages and the switch has " + stages));
        }
        if (!problems.isEmpty()) {
            throw new GraphException(problems);
        }
        int copies = (int) config.edges().stream().filter(Edge::isCopy).count();
        return new Program(config.name(), nodes, source, copies, compiler.stages.stream().map(Stage::new).toList());
    }

    private List<Program.Node> nodes(Function<String, Port> ports) {
        List<Program.Node> nodes = new ArrayList<>();
        for (String name : names) {
            FabricConfig.Node node = at(name);
            DeviceAction action = action(name);
            Settings settings = new Settings(config, node.place(), "node '" + name + "'", node.settings(), problems);
            settings.only(action.kind().equals("crypto") ? List.of("offset", "key") : List.of("offset"));
            nodes.add(new Program.Node(name, ports.apply(node.device()), action.command(),
                    (int) settings.number("key", 0, 0, 0xffff), (int) settings.number("offset", 0, 0, 0xffff),
                    action.role() == DeviceAction.Role.END));
        }
        return nodes;
    }

    private FabricConfig.Node at(String name) {
        FabricConfig.Node node = config.nodes().get(name);
        if (node == null) {
            throw new IllegalStateException(name);
        }
        return node;
    }

    private DeviceAction action(String name) {
        DeviceAction action = actions.get(name);
        if (action == null) {
            throw new IllegalStateException(name);
        }
        return action;
    }

    private int source() {
        for (int i = 0; i < names.size(); i++) {
            if (action(names.get(i)).role() == DeviceAction.Role.SOURCE) {
                return i;
            }
        }
        throw new IllegalStateException("no source");
    }

    private void node(int number) {
        List<Edge> edges = config.edges().stream().filter(edge -> edge.from().equals(names.get(number))).toList();
        if (edges.isEmpty()) {
            return;
        }
        Map<Condition, Field> loaded = loads(number, edges);
        boolean isSettled = false;
        for (Edge edge : edges) {
            List<Match> when = new ArrayList<>(List.of(new Match(Field.NODE, Match.Test.EQ, number)));
            Condition.parse(edge.when()).ifPresent(condition -> when.add(match(condition, loaded)));
            int to = names.indexOf(edge.to());
            if (edge.isCopy()) {
                copyEntry(number, when, to, edge);
            } else {
                entry(CHOOSE, when, List.of(Op.set(Field.NEXT, to)));
                isSettled |= edge.when().isEmpty();
                rewrite(number, to, edge);
            }
        }
        if (!isSettled) {
            entry(CHOOSE, List.of(new Match(Field.NODE, Match.Test.EQ, number)), List.of(Op.of(Op.Code.DROP, 0)));
        }
    }

    /** Registers for the numbers that the node's conditions look at; the same number at the same place once. */
    private Map<Condition, Field> loads(int number, List<Edge> edges) {
        Map<Condition, Field> loaded = new LinkedHashMap<>();
        List<Op> ops = new ArrayList<>();
        for (Edge edge : edges) {
            Condition.parse(edge.when()).filter(Condition::isInItem).map(GraphCompiler::place).ifPresent(place -> {
                if (!loaded.containsKey(place) && loaded.size() < Stage.MOST_OPS) {
                    Field register = Field.values()[Field.R0.ordinal() + loaded.size()];
                    loaded.put(place, register);
                    ops.add(Op.load(register, place.offset(), place.widthBytes()));
                } else if (!loaded.containsKey(place)) {
                    problems.add(
                            config.problem(edge.place(), "the conditions of node '" + edge.from() + "' look at more"
                                    + " than " + Stage.MOST_OPS + " places"));
                    loaded.put(place, Field.R7);
                }
            });
        }
        if (!ops.isEmpty()) {
            entry(LOAD, List.of(new Match(Field.NODE, Match.Test.EQ, number)), ops);
        }
        return loaded;
    }

    private static Condition place(Condition condition) {
        return new Condition(condition.subject(), condition.offset(), Match.Test.EQ, 0);
    }

    private static Match match(Condition condition, Map<Condition, Field> loaded) {
        Field field = switch (condition.subject()) {
            case "length" -> Field.LENGTH;
            case "sequence" -> Field.SEQUENCE;
            default -> loaded.getOrDefault(place(condition), Field.R7);
        };
        return new Match(field, condition.test(), condition.value());
    }

    /** Copies with and without condition may be wanted of one item, so each has a stage of its own. */
    private void copyEntry(int number, List<Match> when, int to, Edge edge) {
        int stage = COPY;
        while (stage < stages.size() && hasEntryOf(stage, number)) {
            stage++;
        }
        if (stage >= REWRITE + 3) {
            problems.add(
                    config.problem(edge.place(), "node '" + edge.from() + "' makes more copies than the stages can"));
            return;
        }
        entry(stage, when, List.of(Op.of(Op.Code.EMIT, to)));
    }

    private boolean hasEntryOf(int stage, int number) {
        return stages.get(stage).stream().anyMatch(entry -> entry.matches().getFirst().value() == number);
    }

    /** Headers as upper layers expect them: Ethernet II, IPv4 without options, UDP. */
    private void rewrite(int number, int to, Edge edge) {
        if (edge.rewrite().isEmpty()) {
            return;
        }
        List<Match> when = List.of(new Match(Field.NODE, Match.Test.EQ, number),
                new Match(Field.NEXT, Match.Test.EQ, to));
        int last = REWRITE;
        if (edge.rewrite().equals("udp-reply")) {
            List<Op> addresses = new ArrayList<>(swap(0, 6, 6));
            addresses.addAll(swap(IPV4_AT + 12, IPV4_AT + 16, 4));
            entry(REWRITE, when, addresses);
            entry(REWRITE + 1, when, swap(UDP_AT, UDP_AT + 2, 2));
            last = REWRITE + 2;
        }
        entry(last, when, List.of(Op.of(Op.Code.IPV4_LENGTH, IPV4_AT), Op.of(Op.Code.UDP_LENGTH, UDP_AT)));
    }

    private static List<Op> swap(int one, int other, int widthBytes) {
        return List.of(Op.load(Field.R4, one, widthBytes), Op.load(Field.R5, other, widthBytes),
                Op.store(one, widthBytes, Field.R5), Op.store(other, widthBytes, Field.R4));
    }

    private void entry(int stage, List<Match> matches, List<Op> ops) {
        while (stages.size() <= stage) {
            stages.add(new ArrayList<>());
        }
        List<Stage.Entry> entries = stages.get(stage);
        if (entries.size() == Stage.MOST_ENTRIES) {
            problems.add(config.problem(Place.NONE, "the graph needs more than " + Stage.MOST_ENTRIES
                    + " entries in stage " + stage));
            return;
        }
        entries.add(new Stage.Entry(matches, ops));
    }
}
