package dev.bascule.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Walks the node tree of one file against the schema; finds every problem before it gives up. */
final class ConfigReader {
    private final String file;
    private final List<ConfigProblem> problems = new ArrayList<>();
    private final Map<String, Object> values = new HashMap<>();
    private final Map<String, Node> places = new HashMap<>();
    private final ValueReader valueReader = new ValueReader(this::problem);

    private ConfigReader(String file) {
        this.file = file;
    }

    /** Reads a text; {@code file} is only for messages and {@code name} for the result. */
    static HardwareConfig read(String file, String name, String text) {
        ConfigReader reader = new ConfigReader(file);
        reader.walk(text);
        reader.checkTogether();
        if (!reader.problems.isEmpty()) {
            reader.problems.sort(Comparator.comparingInt(ConfigProblem::line).thenComparingInt(ConfigProblem::column));
            throw new ConfigException(reader.problems);
        }
        return ConfigBuilder.build(name, reader.values);
    }

    private void walk(String text) {
        try {
            Node root = Yaml.compose(file, text).orElse(null);
            if (root == null) {
                problems.add(new ConfigProblem(file, 1, 1, "the file is empty; 'kind' is required"));
            } else {
                section("", root);
                if (!places.containsKey("kind") && root instanceof MappingNode) {
                    problem(root, "'kind' is required; add for example 'kind: loopback'");
                }
            }
        } catch (MarkedYamlEngineException e) {
            Mark mark = e.getProblemMark().or(e::getContextMark).orElse(null);
            int line = mark == null ? 1 : mark.getLine() + 1;
            int column = mark == null ? 1 : mark.getColumn() + 1;
            problems.add(new ConfigProblem(file, line, column, "not YAML: " + e.getProblem()));
        } catch (ReaderException e) {
            problems.add(at(text, e.getPosition(), String.format("not text: character U+%04X", e.getCodePoint())));
        } catch (YamlEngineException e) {
            problems.add(new ConfigProblem(file, 1, 1, "not YAML: " + e.getMessage()));
        }
    }

    private void section(String name, Node node) {
        if (!(node instanceof MappingNode mapping)) {
            String what = name.isEmpty() ? "the file" : "'" + name + "'";
            problem(node, what + " must hold keys (" + String.join(", ", Schema.namesIn(name)) + ")");
            return;
        }
        Set<String> seen = new HashSet<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (tuple.getKeyNode() instanceof ScalarNode key) {
                entry(name, seen, key, tuple.getValueNode());
            } else {
                problem(tuple.getKeyNode(), "a key must be a plain word");
            }
        }
    }

    private void entry(String section, Set<String> seen, ScalarNode keyNode, Node value) {
        String word = keyNode.getValue();
        if (!seen.add(word)) {
            problem(keyNode, "duplicate key '" + word + "'; keep one of the two");
            return;
        }
        if (section.isEmpty() && Schema.isSection(word)) {
            section(word, value);
            return;
        }
        Key key = Schema.KEYS.get(section.isEmpty() ? word : section + "." + word);
        if (key == null) {
            unknown(section, keyNode);
            return;
        }
        places.put(key.path(), value);
        Object read = valueReader.read(key, value);
        if (read != null) {
            values.put(key.path(), read);
        }
    }

    private void unknown(String section, ScalarNode keyNode) {
        String word = keyNode.getValue();
        List<String> here = Schema.namesIn(section);
        String where = section.isEmpty() ? "" : " in '" + section + "'";
        String hint = NearestWord.of(word, here).map(near -> "did you mean '" + near + "'?")
                .or(() -> NearestWord.of(word, Schema.KEYS.keySet()).map(near -> "did you mean '" + near + "'?"))
                .or(() -> elsewhere(word)).orElse("known keys here: " + String.join(", ", here));
        problem(keyNode, "unknown key '" + word + "'" + where + "; " + hint);
    }

    private static Optional<String> elsewhere(String word) {
        List<String> names = Schema.KEYS.values().stream().map(Key::name).distinct().toList();
        return NearestWord.of(word, names).flatMap(
                near -> Schema.KEYS.values().stream().filter(k -> k.name().equals(near)).map(Key::path).findFirst())
                .map(path -> "did you mean '" + path + "'?");
    }

    private void checkDevice() {
        Node kind = places.get("kind");
        if (values.get("kind") != DeviceKind.PCI || kind == null) {
            return;
        }
        String ids = String.valueOf(values.getOrDefault("device.ids", ""));
        if (!ids.matches("\\s*[0-9a-f]{4}:[0-9a-f]{4}(\\s+[0-9a-f]{4}:[0-9a-f]{4})*\\s*")) {
            problem(places.getOrDefault("device.ids", kind),
                    "device.ids must be vendor and device, lower-case hexadecimal: \"1234:1001 5543:1001\"");
        }
        String seen = String.valueOf(values.getOrDefault("device.seen", ""));
        if (!List.of("simulated", "lab", "hardware", "nowhere").contains(seen)) {
            problem(places.getOrDefault("device.seen", kind),
                    "device.seen must be one of simulated, lab, hardware, nowhere");
        }
        if (String.valueOf(values.getOrDefault("device.driver", "")).isBlank()) {
            problem(places.getOrDefault("device.driver", kind), "device.driver must name a driver, or be none");
        }
    }

    private void checkTogether() {
        checkDevice();
        long soft = (Long) ConfigBuilder.valueOrDefault(values, "watchdog.softWindow");
        long hard = (Long) ConfigBuilder.valueOrDefault(values, "watchdog.hardLimit");
        Node place = places.getOrDefault("watchdog.softWindow", places.get("watchdog.hardLimit"));
        if (soft >= hard && place != null && problems.isEmpty()) {
            problem(place, "watchdog.softWindow (" + Quantity.print(soft, Quantity.DURATION_UNITS)
                    + ") must be below watchdog.hardLimit (" + Quantity.print(hard, Quantity.DURATION_UNITS) + ")");
        }
    }

    private void problem(Node node, String message) {
        int line = node.getStartMark().map(Mark::getLine).orElse(0) + 1;
        int column = node.getStartMark().map(Mark::getColumn).orElse(0) + 1;
        problems.add(new ConfigProblem(file, line, column, message));
    }

    private ConfigProblem at(String text, int index, String message) {
        int end = Math.min(Math.max(index, 0), text.length());
        int line = 1 + (int) text.substring(0, end).chars().filter(c -> c == '\n').count();
        int column = end - (text.lastIndexOf('\n', end - 1) + 1) + 1;
        return new ConfigProblem(file, line, column, message);
    }
}
