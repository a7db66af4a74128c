package dev.bascule.config;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Walks the node tree of one cost profile; finds every problem before it gives up. */
final class CostReader {
    private final Yaml yaml;
    private final CostKeys.Schema schema;
    private final Map<String, CostConstant> found = new HashMap<>();
    private String description = "";

    private CostReader(String file, CostKeys.Schema schema) {
        yaml = new Yaml(file);
        this.schema = schema;
    }

    /** Reads a text; {@code file} is for messages and {@code name} for the result. */
    static CostProfile read(String file, String name, String text) {
        return read(file, name, text, CostKeys.COSTS);
    }

    /** Reads a profile with the constants of another schema. */
    static CostProfile read(String file, String name, String text, CostKeys.Schema schema) {
        CostReader reader = new CostReader(file, schema);
        reader.walk(text);
        reader.yaml.end();
        Map<String, CostConstant> ordered = new LinkedHashMap<>();
        for (String path : schema.keys().keySet()) {
            CostConstant constant = reader.found.get(path);
            if (constant != null) {
                ordered.put(path, constant);
            }
        }
        return new CostProfile(name, reader.description, ordered);
    }

    private void walk(String text) {
        Node root = yaml.root(text);
        if (root instanceof MappingNode mapping) {
            top(mapping);
        } else if (yaml.problems() == 0) {
            yaml.problem("a " + schema.what() + " must hold keys (kind, description, "
                    + String.join(", ", schema.sections())
                    + ")");
        }
    }

    private void top(MappingNode root) {
        Map<String, Node> parts = yaml.entries(root, "", topNames());
        if (!(parts.get("kind") instanceof ScalarNode kind) || !kind.getValue().equals(schema.kind())) {
            yaml.problem(parts.getOrDefault("kind", root),
                    "a " + schema.what() + " begins with 'kind: " + schema.kind() + "'");
        }
        if (parts.get("description") instanceof ScalarNode text) {
            description = text.getValue();
        }
        for (String section : schema.sections()) {
            Node node = parts.get(section);
            if (node == null) {
                yaml.problem(root, "section '" + section + "' is missing; it has "
                        + String.join(", ", schema.namesIn(section)));
            } else if (node instanceof MappingNode mapping) {
                section(section, mapping);
            } else {
                yaml.problem(node, "'" + section + "' must hold constants");
            }
        }
    }

    private List<String> topNames() {
        List<String> names = new ArrayList<>(List.of("kind", "description"));
        names.addAll(schema.sections());
        return names;
    }

    private void section(String section, MappingNode mapping) {
        List<String> names = schema.namesIn(section);
        Map<String, Node> parts = yaml.entries(mapping, section, names);
        for (String name : names) {
            Node node = parts.get(name);
            if (node == null) {
                yaml.problem(mapping,
                        "'" + section + "' lacks '" + name + "'; every constant of a " + schema.what() + " is needed");
            } else if (node instanceof MappingNode constant) {
                constant(section + "." + name, constant);
            } else {
                yaml.problem(node, "'" + section + "." + name + "' must give value, unit, source and confidence");
            }
        }
    }

    private void constant(String path, MappingNode mapping) {
        Map<String, Node> parts = yaml.entries(mapping, path, Schema.CONSTANT_KEYS);
        boolean whole = true;
        for (String needed : Schema.CONSTANT_KEYS) {
            if (!(parts.get(needed) instanceof ScalarNode)) {
                yaml.problem(parts.getOrDefault(needed, mapping), "'" + path + "' lacks '" + needed
                        + "'; a constant has value, unit, source and confidence");
                whole = false;
            }
        }
        if (whole) {
            Optional<Confidence> confidence = Confidence.of(text(parts, "confidence"));
            Double value = value(path, parts);
            if (confidence.isEmpty()) {
                yaml.problem(place(parts, "confidence"), "unknown confidence '" + text(parts, "confidence")
                        + "'; one of primary, second-hand, derived, recollection, chosen");
            } else if (text(parts, "source").isBlank()) {
                yaml.problem(place(parts, "source"), "'" + path + "' has an empty source");
            } else if (value != null) {
                found.put(path, new CostConstant(path, value, text(parts, "value") + " " + text(parts, "unit"),
                        text(parts, "source"), confidence.get()));
            }
        }
    }

    private @Nullable Double value(String path, Map<String, Node> parts) {
        CostKeys.Dimension dimension = schema.keys().getOrDefault(path, CostKeys.Dimension.TIME);
        String unit = text(parts, "unit");
        Double factor = dimension.units.get(unit);
        if (factor == null) {
            yaml.problem(place(parts, "unit"), "'" + path + "' has the unit '" + unit + "'; one of "
                    + String.join(", ", dimension.units.keySet().stream().sorted().toList()));
            return null;
        }
        try {
            double value = new BigDecimal(text(parts, "value").replace("_", "")).doubleValue() * factor;
            if (value < 0 || value > 1e12) {
                yaml.problem(place(parts, "value"),
                        "'" + path + "' is out of range: " + text(parts, "value") + " " + unit
                                + "; a cost is not negative");
                return null;
            }
            if (value == 0 && dimension != CostKeys.Dimension.TIME) {
                yaml.problem(place(parts, "value"), "'" + path + "' must be more than 0");
                return null;
            }
            return value;
        } catch (NumberFormatException e) {
            yaml.problem(place(parts, "value"),
                    "'" + path + "': expected a number, found '" + text(parts, "value") + "'");
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
}
