package dev.bascule.config;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Walks the node tree of one cost profile; finds every problem before it gives up. */
final class CostReader {
    static final String KIND = "costs";

    private final String file;
    private final List<ConfigProblem> problems = new ArrayList<>();
    private final Map<String, CostConstant> found = new HashMap<>();
    private String description = "";

    private CostReader(String file) {
        this.file = file;
    }

    /** Reads a text; {@code file} is for messages and {@code name} for the result. */
    static CostProfile read(String file, String name, String text) {
        CostReader reader = new CostReader(file);
        reader.walk(text);
        if (!reader.problems.isEmpty()) {
            reader.problems.sort(Comparator.comparingInt(ConfigProblem::line).thenComparingInt(ConfigProblem::column));
            throw new ConfigException(reader.problems);
        }
        Map<String, CostConstant> ordered = new LinkedHashMap<>();
        for (String path : CostKeys.KEYS.keySet()) {
            CostConstant constant = reader.found.get(path);
            if (constant != null) {
                ordered.put(path, constant);
            }
        }
        return new CostProfile(name, reader.description, ordered);
    }

    private void walk(String text) {
        try {
            Node root = Yaml.compose(file, text).orElse(null);
            if (root instanceof MappingNode mapping) {
                top(mapping);
            } else {
                problems.add(new ConfigProblem(file, 1, 1, "a cost profile must hold keys (kind, description, "
                        + String.join(", ", CostKeys.sections()) + ")"));
            }
        } catch (MarkedYamlEngineException e) {
            Mark mark = e.getProblemMark().or(e::getContextMark).orElse(null);
            int line = mark == null ? 1 : mark.getLine() + 1;
            int column = mark == null ? 1 : mark.getColumn() + 1;
            problems.add(new ConfigProblem(file, line, column, "not YAML: " + e.getProblem()));
        } catch (YamlEngineException e) {
            problems.add(new ConfigProblem(file, 1, 1, "not YAML: " + e.getMessage()));
        }
    }

    private void top(MappingNode root) {
        Map<String, Node> parts = entries(root, "", topNames());
        if (!(parts.get("kind") instanceof ScalarNode kind) || !kind.getValue().equals(KIND)) {
            problem(parts.getOrDefault("kind", root), "a cost profile begins with 'kind: " + KIND + "'");
        }
        if (parts.get("description") instanceof ScalarNode text) {
            description = text.getValue();
        }
        for (String section : CostKeys.sections()) {
            Node node = parts.get(section);
            if (node == null) {
                problem(root, "section '" + section + "' is missing; it has "
                        + String.join(", ", CostKeys.namesIn(section)));
            } else if (node instanceof MappingNode mapping) {
                section(section, mapping);
            } else {
                problem(node, "'" + section + "' must hold constants");
            }
        }
    }

    private static List<String> topNames() {
        List<String> names = new ArrayList<>(List.of("kind", "description"));
        names.addAll(CostKeys.sections());
        return names;
    }

    private void section(String section, MappingNode mapping) {
        List<String> names = CostKeys.namesIn(section);
        Map<String, Node> parts = entries(mapping, section, names);
        for (String name : names) {
            Node node = parts.get(name);
            if (node == null) {
                problem(mapping, "'" + section + "' lacks '" + name + "'; every constant of a cost profile is needed");
            } else if (node instanceof MappingNode constant) {
                constant(section + "." + name, constant);
            } else {
                problem(node, "'" + section + "." + name + "' must give value, unit, source and confidence");
            }
        }
    }

    private void constant(String path, MappingNode mapping) {
        Map<String, Node> parts = entries(mapping, path, Schema.CONSTANT_KEYS);
        boolean whole = true;
        for (String needed : Schema.CONSTANT_KEYS) {
            if (!(parts.get(needed) instanceof ScalarNode)) {
                problem(parts.getOrDefault(needed, mapping), "'" + path + "' lacks '" + needed
                        + "'; a constant has value, unit, source and confidence");
                whole = false;
            }
        }
        if (whole) {
            Optional<Confidence> confidence = Confidence.of(text(parts, "confidence"));
            Double value = value(path, parts);
            if (confidence.isEmpty()) {
                problem(place(parts, "confidence"), "unknown confidence '" + text(parts, "confidence")
                        + "'; one of primary, second-hand, derived, recollection, chosen");
            } else if (text(parts, "source").isBlank()) {
                problem(place(parts, "source"), "'" + path + "' has an empty source");
            } else if (value != null) {
                found.put(path, new CostConstant(path, value, text(parts, "value") + " " + text(parts, "unit"),
                        text(parts, "source"), confidence.get()));
            }
        }
    }

    private @Nullable Double value(String path, Map<String, Node> parts) {
        CostKeys.Dimension dimension = CostKeys.KEYS.getOrDefault(path, CostKeys.Dimension.TIME);
        String unit = text(parts, "unit");
        Double factor = dimension.units.get(unit);
        if (factor == null) {
            problem(place(parts, "unit"), "'" + path + "' has the unit '" + unit + "'; one of "
                    + String.join(", ", dimension.units.keySet().stream().sorted().toList()));
            return null;
        }
        try {
            double value = new BigDecimal(text(parts, "value").replace("_", "")).doubleValue() * factor;
            if (value < 0 || value > 1e12) {
                problem(place(parts, "value"), "'" + path + "' is out of range: " + text(parts, "value") + " " + unit
                        + "; a cost is not negative");
                return null;
            }
            if (value == 0 && dimension != CostKeys.Dimension.TIME) {
                problem(place(parts, "value"), "'" + path + "' must be more than 0");
                return null;
            }
            return value;
        } catch (NumberFormatException e) {
            problem(place(parts, "value"), "'" + path + "': expected a number, found '" + text(parts, "value") + "'");
            return null;
        }
    }

    private static String text(Map<String, Node> parts, String key) {
        return parts.get(key) instanceof ScalarNode scalar ? scalar.getValue() : "";
    }

    private static Node place(Map<String, Node> parts, String key) {
        Node node = parts.get(key);
        if (node == null) {
            throw new IllegalStateException(key);
        }
        return node;
    }

    private Map<String, Node> entries(MappingNode mapping, String section, List<String> known) {
        Map<String, Node> parts = new HashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                problem(tuple.getKeyNode(), "a key must be a plain word");
            } else if (!known.contains(key.getValue())) {
                String hint = NearestWord.of(key.getValue(), known).map(near -> "did you mean '" + near + "'?")
                        .orElse("known keys here: " + String.join(", ", known));
                problem(key, "unknown key '" + key.getValue() + "'" + (section.isEmpty() ? "" : " in '" + section + "'")
                        + "; " + hint);
            } else if (parts.put(key.getValue(), tuple.getValueNode()) != null) {
                problem(key, "duplicate key '" + key.getValue() + "'; keep one of the two");
            }
        }
        return parts;
    }

    private void problem(Node node, String message) {
        int line = node.getStartMark().map(Mark::getLine).orElse(0) + 1;
        int column = node.getStartMark().map(Mark::getColumn).orElse(0) + 1;
        problems.add(new ConfigProblem(file, line, column, message));
    }
}
