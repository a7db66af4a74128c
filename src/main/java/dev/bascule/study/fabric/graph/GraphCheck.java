package dev.bascule.study.fabric.graph;

import dev.bascule.config.ConfigProblem;
import dev.bascule.config.FabricConfig;
import dev.bascule.config.FabricConfig.Edge;
import dev.bascule.config.FabricConfig.Node;
import dev.bascule.config.FabricConfig.Place;
import dev.bascule.study.fabric.Program;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whether a graph makes sense: its names, its form, what its devices take and give, and what is denied. */
final class GraphCheck {
    static final List<String> REWRITES = List.of("udp-length", "udp-reply");

    private final FabricConfig config;
    private final List<ConfigProblem> problems;
    private final Map<String, DeviceAction> actions = new LinkedHashMap<>();

    private GraphCheck(FabricConfig config, List<ConfigProblem> problems) {
        this.config = config;
        this.problems = problems;
    }

    /** Action of each node; what is wrong joins {@code problems}. */
    static Map<String, DeviceAction> actions(FabricConfig config, List<ConfigProblem> problems) {
        GraphCheck check = new GraphCheck(config, problems);
        check.nodes();
        if (check.edges()) {
            check.form();
            check.contents();
            check.denied();
        }
        return check.actions;
    }

    private void nodes() {
        config.nodes().forEach((name, node) -> {
            FabricConfig.Device device = config.devices().get(node.device());
            if (device == null) {
                problem(node.place(), "node '" + name + "': no device '" + node.device() + "'; there are "
                        + String.join(", ", config.devices().keySet()));
            } else if (DeviceAction.kinds().contains(device.kind())) {
                DeviceAction.of(device.kind(), node.action()).ifPresentOrElse(action -> actions.put(name, action),
                        () -> problem(node.place(), "node '" + name + "': a " + device.kind() + " cannot '"
                                + node.action() + "'; it can " + DeviceAction.words(device.kind())));
            }
        });
        if (config.nodes().size() > Program.MOST_NODES) {
            problem(Place.NONE, "a graph has at most " + Program.MOST_NODES + " nodes, this one "
                    + config.nodes().size());
        }
        List<String> sources = actions.keySet().stream().filter(this::isSource).toList();
        if (sources.size() != 1 && actions.size() == config.nodes().size()) {
            problem(Place.NONE, "a graph has one source (receive or push); this one has " + (sources.isEmpty()
                    ? "none"
                    : String.join(", ", sources)));
        }
    }

    private boolean isSource(String node) {
        DeviceAction action = actions.get(node);
        return action != null && action.role() == DeviceAction.Role.SOURCE;
    }

    /** Whether all names are known, so that the form can be looked at. */
    private boolean edges() {
        boolean areKnown = actions.size() == config.nodes().size();
        Set<String> settled = new HashSet<>();
        for (Edge edge : config.edges()) {
            for (String end : List.of(edge.from(), edge.to())) {
                if (!config.nodes().containsKey(end)) {
                    problem(edge.place(), "no node '" + end + "'; there are " + String.join(", ",
                            config.nodes().keySet()));
                    areKnown = false;
                }
            }
            if (!edge.when().isEmpty() && Condition.parse(edge.when()).isEmpty()) {
                problem(edge.place(), words(edge) + ": cannot read '" + edge.when() + "'; " + Condition.HINT);
            }
            if (!edge.rewrite().isEmpty() && !REWRITES.contains(edge.rewrite())) {
                problem(edge.place(), words(edge) + ": no rewrite '" + edge.rewrite() + "'; there are "
                        + String.join(", ", REWRITES));
            }
            if (edge.isCopy() && !edge.rewrite().isEmpty()) {
                problem(edge.place(),
                        words(edge) + ": a copy leaves as the item does; put the rewrite on the item's own"
                                + " edge");
            }
            if (!edge.isCopy() && settled.contains(edge.from())) {
                problem(edge.place(), words(edge) + ": never taken, as an edge without a condition stands before it");
            }
            if (!edge.isCopy() && edge.when().isEmpty()) {
                settled.add(edge.from());
            }
        }
        return areKnown;
    }

    private static String words(Edge edge) {
        return edge.from() + " -> " + edge.to();
    }

    /** Sources begin, ends end, nothing goes round, everything can be reached. */
    private void form() {
        Map<String, List<Edge>> out = new HashMap<>();
        config.edges().forEach(edge -> out.computeIfAbsent(edge.from(), name -> new ArrayList<>()).add(edge));
        for (Edge edge : config.edges()) {
            if (isSource(edge.to())) {
                problem(edge.place(), words(edge) + ": '" + edge.to() + "' is the source, and nothing goes there");
            }
        }
        config.nodes().forEach((name, node) -> {
            boolean isEnd = role(name) == DeviceAction.Role.END;
            boolean goesOn = out.getOrDefault(name, List.of()).stream().anyMatch(edge -> !edge.isCopy());
            if (isEnd && out.containsKey(name)) {
                problem(node.place(), "node '" + name + "' ends items, so no edge leaves it");
            } else if (!isEnd && !goesOn) {
                problem(node.place(), "no edge leaves node '" + name + "': where do its items go?");
            }
        });
        circle(out);
        reach(out);
    }

    private DeviceAction.Role role(String name) {
        DeviceAction action = actions.get(name);
        return action == null ? DeviceAction.Role.WORK : action.role();
    }

    private void circle(Map<String, List<Edge>> out) {
        Map<String, Integer> incoming = new HashMap<>();
        config.edges().forEach(edge -> incoming.merge(edge.to(), 1, Integer::sum));
        Deque<String> ready = new ArrayDeque<>();
        config.nodes().keySet().stream().filter(name -> !incoming.containsKey(name)).forEach(ready::add);
        int seen = 0;
        while (!ready.isEmpty()) {
            seen++;
            for (Edge edge : out.getOrDefault(ready.remove(), List.of())) {
                if (incoming.merge(edge.to(), -1, Integer::sum) == 0) {
                    ready.add(edge.to());
                }
            }
        }
        if (seen < config.nodes().size()) {
            List<String> round = config.nodes().keySet().stream().filter(name -> incoming.getOrDefault(name, 0) > 0)
                    .toList();
            Node first = config.nodes().get(round.getFirst());
            if (first != null) {
                problem(first.place(), "items would go round for ever: " + String.join(", ", round));
            }
        }
    }

    private void reach(Map<String, List<Edge>> out) {
        Set<String> reached = new HashSet<>();
        Deque<String> next = new ArrayDeque<>(config.nodes().keySet().stream().filter(this::isSource).toList());
        while (!next.isEmpty()) {
            String name = next.remove();
            if (reached.add(name)) {
                out.getOrDefault(name, List.of()).forEach(edge -> next.add(edge.to()));
            }
        }
        config.nodes().forEach((name, node) -> {
            if (!reached.contains(name) && !isSource(name) && !reached.isEmpty()) {
                problem(node.place(), "no item ever comes to node '" + name + "'");
            }
        });
    }

    private void contents() {
        for (Edge edge : config.edges()) {
            DeviceAction from = actions.get(edge.from());
            DeviceAction to = actions.get(edge.to());
            if (from != null && to != null && to.role() != DeviceAction.Role.SOURCE && !to.takes(from.gives())) {
                problem(edge.place(), words(edge) + ": '" + edge.to() + "' cannot take " + from.gives().words()
                        + (from.gives() == Content.SEALED ? "; put a node that opens them in between" : ""));
            }
        }
    }

    private void denied() {
        for (Edge pair : config.denied()) {
            for (String device : List.of(pair.from(), pair.to())) {
                if (!config.devices().containsKey(device)) {
                    problem(pair.place(), "no device '" + device + "'; there are "
                            + String.join(", ", config.devices().keySet()));
                }
            }
        }
        for (Edge edge : config.edges()) {
            Node from = config.nodes().get(edge.from());
            Node to = config.nodes().get(edge.to());
            for (Edge pair : config.denied()) {
                if (from != null && to != null && pair.from().equals(from.device())
                        && pair.to().equals(to.device())) {
                    problem(edge.place(), words(edge) + ": " + pair.from() + " may not reach " + pair.to()
                            + ", says 'deny' in line " + pair.place().line());
                }
            }
        }
    }

    private void problem(Place place, String message) {
        problems.add(config.problem(place, message));
    }
}
