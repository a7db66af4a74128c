package dev.bascule.config;

import dev.bascule.config.FabricConfig.Device;
import dev.bascule.config.FabricConfig.Edge;
import dev.bascule.config.FabricConfig.Place;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads a fabric's devices and graph. Finds every problem before it gives up. Thread-safe. Errors: {@link ConfigException}
 * with file, line and column.
 */
public final class FabricConfigs {
    private static final String KIND = "fabric";
    private static final List<String> TOP = List.of("kind", "name", "devices", "nodes", "edges", "deny");
    private static final List<String> EDGE = List.of("from", "to", "when", "rewrite", "copy");
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,31}");
    private static final String ARROW = "->";

    private final String file;
    private final Yaml yaml;

    private FabricConfigs(String file) {
        this.file = file;
        yaml = new Yaml(file);
    }

    /** Reads a file. */
    public static FabricConfig read(Path path) {
        try {
            return parse(path.toString(), HardwareConfigs.decode(SmallFile.read(path, HardwareConfigs.MAX_FILE_BYTES)));
        } catch (CharacterCodingException e) {
            throw new ConfigException(path + " is not UTF-8 text; try: iconv -t UTF-8 " + path);
        } catch (IOException e) {
            throw new ConfigException("cannot read the graph " + HardwareConfigs.reason(path, e));
        }
    }

    /** Reads a text; {@code file} is for messages. */
    public static FabricConfig parse(String file, String text) {
        FabricConfigs reader = new FabricConfigs(file);
        FabricConfig config = reader.walk(text);
        reader.yaml.end();
        return config;
    }

    private FabricConfig walk(String text) {
        Node root = yaml.root(text);
        Map<String, Node> parts = root instanceof MappingNode mapping ? yaml.entries(mapping, "", TOP) : Map.of();
        if (!(root instanceof MappingNode) && yaml.problems() == 0) {
            yaml.problem("a fabric's file must hold keys (" + String.join(", ", TOP) + ")");
        } else if (root instanceof MappingNode && !(parts.get("kind") instanceof ScalarNode kind
                && kind.getValue().equals(KIND))) {
            yaml.problem(parts.getOrDefault("kind", root), "a fabric's file begins with 'kind: " + KIND + "'");
        }
        Map<String, Device> devices = new LinkedHashMap<>();
        Map<String, FabricConfig.Node> nodes = new LinkedHashMap<>();
        named(parts, root, "devices").forEach((key, mapping) -> device(devices, key, mapping));
        named(parts, root, "nodes").forEach((key, mapping) -> node(nodes, key, mapping));
        String name = parts.get("name") instanceof ScalarNode word ? word.getValue() : "graph";
        return new FabricConfig(file, name, devices, nodes, edges(parts, root, "edges", true),
                edges(parts, root, "deny", false));
    }

    private Map<ScalarNode, MappingNode> named(Map<String, Node> parts, @Nullable Node root,
            String section) {
        Map<ScalarNode, MappingNode> named = new LinkedHashMap<>();
        Node node = parts.get(section);
        if (!(node instanceof MappingNode mapping)) {
            if (root instanceof MappingNode) {
                yaml.problem(node == null ? root : node, "'" + section + "' must hold what it names, each a map");
            }
            return named;
        }
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key) || !NAME.matcher(key.getValue()).matches()) {
                yaml.problem(tuple.getKeyNode(), "a name has letters, digits, - and _, begins with a letter, and is not"
                        + " longer than 32");
            } else if (named.keySet().stream().anyMatch(other -> other.getValue().equals(key.getValue()))) {
                yaml.problem(key, "two of the name '" + key.getValue() + "' in '" + section + "'; rename one");
            } else if (tuple.getValueNode() instanceof MappingNode body) {
                named.put(key, body);
            } else {
                yaml.problem(tuple.getValueNode(), "'" + key.getValue() + "' must be a map");
            }
        }
        return named;
    }

    private void device(Map<String, Device> devices, ScalarNode key, MappingNode body) {
        Map<String, String> settings = settings(body);
        String kind = settings.remove("kind");
        if (kind == null) {
            yaml.problem(key, "device '" + key.getValue() + "' lacks 'kind'");
        } else {
            devices.put(key.getValue(), new Device(place(key), kind, settings));
        }
    }

    private void node(Map<String, FabricConfig.Node> nodes, ScalarNode key, MappingNode body) {
        Map<String, String> settings = settings(body);
        String device = settings.remove("device");
        String action = settings.remove("do");
        if (device == null || action == null) {
            yaml.problem(key, "node '" + key.getValue() + "' lacks '" + (device == null ? "device" : "do") + "'");
        } else {
            nodes.put(key.getValue(), new FabricConfig.Node(place(key), device, action, settings));
        }
    }

    /** Single values by key; a list of single values becomes one, separated by blanks. */
    private Map<String, String> settings(MappingNode body) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (NodeTuple tuple : body.getValue()) {
            String value = value(tuple.getValueNode());
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                yaml.problem(tuple.getKeyNode(), "a key must be a plain word");
            } else if (value == null) {
                yaml.problem(tuple.getValueNode(), "'" + key.getValue() + "' must be a value or a list of values");
            } else if (settings.put(key.getValue(), value) != null) {
                yaml.problem(key, "duplicate key '" + key.getValue() + "'; keep one of the two");
            }
        }
        return settings;
    }

    private static @Nullable String value(Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar.getValue();
        }
        if (!(node instanceof SequenceNode list)) {
            return null;
        }
        List<String> values = new ArrayList<>();
        for (Node each : list.getValue()) {
            if (!(each instanceof ScalarNode scalar)) {
                return null;
            }
            values.add(scalar.getValue());
        }
        return String.join(" ", values);
    }

    private List<Edge> edges(Map<String, Node> parts, @Nullable Node root, String section,
            boolean isNeeded) {
        List<Edge> edges = new ArrayList<>();
        Node node = parts.get(section);
        if (node instanceof SequenceNode list) {
            list.getValue().forEach(each -> edge(edges, section, each));
        } else if (node != null || isNeeded && root instanceof MappingNode) {
            yaml.problem(node == null && root != null ? root : Objects.requireNonNull(node),
                    "'" + section + "' must be a list of 'a " + ARROW + " b'");
        }
        return edges;
    }

    private void edge(List<Edge> edges, String section, Node node) {
        if (node instanceof ScalarNode scalar) {
            String[] ends = scalar.getValue().split(ARROW, -1);
            if (ends.length == 2 && !ends[0].isBlank() && !ends[1].isBlank()) {
                edges.add(new Edge(place(node), ends[0].strip(), ends[1].strip(), "", "", false));
                return;
            }
        } else if (node instanceof MappingNode mapping && section.equals("edges")) {
            Map<String, String> words = new LinkedHashMap<>();
            yaml.entries(mapping, section, EDGE).forEach((key, value) -> {
                if (value instanceof ScalarNode scalar) {
                    words.put(key, scalar.getValue());
                }
            });
            if (words.containsKey("from") && words.containsKey("to")) {
                edges.add(new Edge(place(node), words.get("from"), words.get("to"), words.getOrDefault("when", ""),
                        words.getOrDefault("rewrite", ""), words.getOrDefault("copy", "false").equals("true")));
                return;
            }
        }
        yaml.problem(node, "write 'a " + ARROW + " b'"
                + (section.equals("edges") ? ", or a map of " + String.join(", ", EDGE) : ""));
    }

    private static Place place(Node node) {
        return new Place(node.getStartMark().map(Mark::getLine).orElse(0) + 1,
                node.getStartMark().map(Mark::getColumn).orElse(0) + 1);
    }
}
