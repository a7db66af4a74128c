package dev.bascule.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeType;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Reads the value of one key; reports what is wrong at the value's place and then gives null. */
final class ValueReader {
    private final Yaml yaml;

    ValueReader(Yaml yaml) {
        this.yaml = yaml;
    }

    /** The value: DeviceKind, String, Boolean, Long (counts, bytes, nanoseconds) or Constant. */
    @Nullable
    Object read(Key key, Node node) {
        if (key.type() == ValueType.CONSTANT && node instanceof MappingNode mapping) {
            return longForm(key, mapping);
        }
        if (key.type() == ValueType.LIST) {
            return list(key, node);
        }
        if (!(node instanceof ScalarNode scalar)) {
            String found = node.getNodeType() == NodeType.SEQUENCE ? "a list" : "a map";
            yaml.problem(node, wrongType(key, found));
            return null;
        }
        return switch (key.type()) {
            case WORD -> kind(scalar);
            case TEXT -> text(key, scalar);
            case LIST -> throw new IllegalStateException("a list is no single value");
            case CHOICE -> choice(key, scalar);
            case NUMBER -> number(key, scalar);
            case SWITCH -> onOff(key, scalar);
            case COUNT -> count(key, scalar);
            case BYTES -> quantity(key, scalar, Quantity.BYTE_UNITS);
            case DURATION -> quantity(key, scalar, Quantity.DURATION_UNITS);
            case CONSTANT -> {
                Long nanos = quantity(key, scalar, Quantity.DURATION_UNITS);
                yield nanos == null ? null : Constant.chosen(nanos);
            }
        };
    }

    private @Nullable DeviceKind kind(ScalarNode node) {
        Optional<DeviceKind> kind = DeviceKind.of(node.getValue());
        if (kind.isEmpty()) {
            List<String> known = Stream.of(DeviceKind.values()).map(DeviceKind::word).toList();
            yaml.problem(node, "unknown kind '" + node.getValue() + "'; one of " + String.join(", ", known));
        }
        return kind.orElse(null);
    }

    private @Nullable String text(Key key, ScalarNode node) {
        if (node.isPlain() && !node.getTag().equals(Tag.STR)) {
            yaml.problem(node, wrongType(key, "'" + node.getValue() + "'"));
            return null;
        }
        return node.getValue();
    }

    private @Nullable List<String> list(Key key, Node node) {
        if (!(node instanceof SequenceNode sequence)
                || !sequence.getValue().stream().allMatch(ScalarNode.class::isInstance)) {
            yaml.problem(node, wrongType(key, "something else"));
            return null;
        }
        return sequence.getValue().stream().map(one -> ((ScalarNode) one).getValue()).toList();
    }

    private @Nullable String choice(Key key, ScalarNode node) {
        if (!key.words().contains(node.getValue())) {
            yaml.problem(node, "'" + key.name() + "' cannot be '" + node.getValue() + "'; one of "
                    + String.join(", ", key.words()));
            return null;
        }
        return node.getValue();
    }

    private @Nullable Long number(Key key, ScalarNode node) {
        String text = node.getValue().replace("_", "");
        boolean hexadecimal = text.matches("0[xX][0-9a-fA-F]+");
        if (!hexadecimal && !node.getTag().equals(Tag.INT)) {
            yaml.problem(node, wrongType(key, "'" + node.getValue() + "'"));
            return null;
        }
        try {
            return inRange(key, node, hexadecimal ? Long.parseLong(text.substring(2), 16) : Long.parseLong(text));
        } catch (NumberFormatException e) {
            yaml.problem(node, "'" + key.name() + "' is out of range: " + node.getValue());
            return null;
        }
    }

    private @Nullable Boolean onOff(Key key, ScalarNode node) {
        if (!node.getTag().equals(Tag.BOOL)) {
            yaml.problem(node, wrongType(key, "'" + node.getValue() + "'"));
            return null;
        }
        return Boolean.valueOf(node.getValue());
    }

    private @Nullable Long count(Key key, ScalarNode node) {
        if (!node.getTag().equals(Tag.INT)) {
            yaml.problem(node, wrongType(key, "'" + node.getValue() + "'"));
            return null;
        }
        try {
            return inRange(key, node, Long.parseLong(node.getValue()));
        } catch (NumberFormatException e) {
            yaml.problem(node, "'" + key.name() + "' is out of range: " + node.getValue());
            return null;
        }
    }

    private @Nullable Long quantity(Key key, ScalarNode node, Map<String, Long> units) {
        try {
            boolean bareBytes = key.type() == ValueType.BYTES && node.getTag().equals(Tag.INT);
            return inRange(key, node, bareBytes
                    ? Quantity.scale(node.getValue(), "B", units)
                    : Quantity.parse(node.getValue(), units));
        } catch (Quantity.Malformed e) {
            yaml.problem(node, "'" + key.name() + "': " + e.getMessage());
            return null;
        }
    }

    private @Nullable Long inRange(Key key, Node node, long value) {
        if (value < key.min() || value > key.max()) {
            yaml.problem(node, "'" + key.name() + "' is out of range: " + print(key, value) + "; from "
                    + print(key, key.min()) + " to " + print(key, key.max()));
            return null;
        }
        if (key.powerOfTwo() && Long.bitCount(value) != 1) {
            yaml.problem(node, "'" + key.name() + "' must be a power of two; nearest below: "
                    + print(key, Long.highestOneBit(value)));
            return null;
        }
        return value;
    }

    private @Nullable Constant longForm(Key key, MappingNode mapping) {
        int before = yaml.problems();
        Map<String, ScalarNode> parts = new HashMap<>();
        yaml.entries(mapping, key.name(), Schema.CONSTANT_KEYS).forEach((word, node) -> {
            if (node instanceof ScalarNode value) {
                parts.put(word, value);
            } else {
                yaml.problem(node, "'" + word + "' must be a single value");
            }
        });
        for (String needed : Schema.CONSTANT_KEYS) {
            if (yaml.problems() == before && !parts.containsKey(needed)) {
                yaml.problem(mapping, "'" + key.name() + "' lacks '" + needed + "'; a constant has value, unit,"
                        + " source and confidence, or is short: '" + key.name() + ": 750 ns'");
            }
        }
        return yaml.problems() == before ? constant(key, parts) : null;
    }

    private @Nullable Constant constant(Key key, Map<String, ScalarNode> parts) {
        ScalarNode value = parts.get("value");
        ScalarNode unit = parts.get("unit");
        ScalarNode source = parts.get("source");
        ScalarNode word = parts.get("confidence");
        if (value == null || unit == null || source == null || word == null) {
            return null;
        }
        Optional<Confidence> confidence = Confidence.of(word.getValue());
        if (confidence.isEmpty()) {
            List<String> known = Stream.of(Confidence.values()).map(Confidence::word).toList();
            yaml.problem(word, "unknown confidence '" + word.getValue() + "'; one of " + String.join(", ", known));
            return null;
        }
        if (source.getValue().isBlank()) {
            yaml.problem(source, "'source' is empty; say where the figure stands, or use the short form");
            return null;
        }
        Node place = Quantity.DURATION_UNITS.containsKey(unit.getValue()) ? value : unit;
        try {
            long nanos = Quantity.scale(value.getValue(), unit.getValue(), Quantity.DURATION_UNITS);
            Long checked = inRange(key, value, nanos);
            return checked == null ? null : new Constant(checked, source.getValue(), confidence.get());
        } catch (Quantity.Malformed e) {
            yaml.problem(place, "'" + key.name() + "': " + e.getMessage());
            return null;
        }
    }

    private static String wrongType(Key key, String found) {
        return "'" + key.name() + "' takes " + expected(key.type()) + ", found " + found;
    }

    private static String expected(ValueType type) {
        return switch (type) {
            case WORD -> "a word";
            case TEXT -> "text (put it in quotes)";
            case LIST -> "a list of texts ([\"program\", \"argument\"])";
            case CHOICE -> "one of its words";
            case NUMBER -> "a whole number, decimal or hexadecimal (0x1000)";
            case SWITCH -> "true or false";
            case COUNT -> "a whole number";
            case BYTES -> "a size (4 MiB)";
            case DURATION -> "a time with its unit (20 ms)";
            case CONSTANT -> "a time with its unit (750 ns) or {value, unit, source, confidence}";
        };
    }

    private static String print(Key key, long value) {
        return switch (key.type()) {
            case BYTES -> Quantity.print(value, Quantity.BYTE_UNITS);
            case DURATION, CONSTANT -> Quantity.print(value, Quantity.DURATION_UNITS);
            default -> Long.toString(value);
        };
    }
}
