package dev.bascule.config;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    private static final List<String> CONSTANT_KEYS = List.of("value", "unit", "source", "confidence");
    /** Size of each unit in the base unit of a {@link CostConstant}. */
    private static final Map<String, Double> COST_UNITS = Map.of("ns", 1.0, "us", 1e3, "ms", 1e6, "x", 1.0, "GB/s", 1e9,
            "B", 1.0, "KiB", 1024.0);

    private final Yaml yaml;

    ValueReader(Yaml yaml) {
        this.yaml = yaml;
    }

    /** The value: String (texts, words), List, Boolean, Long (counts, bytes, nanoseconds), Constant or CostConstant. */
    @Nullable
    Object read(Field field, Node node) {
        ValueType type = field.type();
        if (type == ValueType.PLAIN) {
            return plain(field.name(), node);
        }
        if (type == ValueType.LIST) {
            return list(field, node);
        }
        if (node instanceof MappingNode mapping && (type == ValueType.CONSTANT || type == ValueType.COST)) {
            return longForm(field, mapping);
        }
        if (type == ValueType.COST) {
            yaml.problem(node, "'" + field.path() + "' must give value, unit, source and confidence");
            return null;
        }
        if (!(node instanceof ScalarNode scalar)) {
            return wrongType(field, node, node.getNodeType() == NodeType.SEQUENCE ? "a list" : "a map");
        }
        return switch (type) {
            case WORD, CHOICE -> word(field, scalar);
            case NUMBER, COUNT -> number(field, scalar);
            case SWITCH -> scalar.getTag().equals(Tag.BOOL)
                    ? Boolean.valueOf(scalar.getValue())
                    : wrongType(field, scalar, "'" + scalar.getValue() + "'");
            case BYTES -> quantity(field, scalar, Quantity.BYTE_UNITS);
            case DURATION -> quantity(field, scalar, Quantity.DURATION_UNITS);
            case CONSTANT -> {
                Long nanos = quantity(field, scalar, Quantity.DURATION_UNITS);
                yield nanos == null ? null : Constant.chosen(nanos);
            }
            default -> scalar.isPlain() && !scalar.getTag().equals(Tag.STR)
                    ? wrongType(field, scalar, "'" + scalar.getValue() + "'")
                    : scalar.getValue();
        };
    }

    /** The default, as if the file had it. */
    @Nullable
    Object fallback(Field field) {
        return field.type() == ValueType.LIST ? List.of() : read(field, Yaml.scalar(field.fallback()));
    }

    /** A single value as it stands; a list of single values becomes one, separated by blanks. */
    @Nullable
    String plain(String name, Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar.getValue();
        }
        List<String> values = words(node);
        if (values == null) {
            yaml.problem(node, "'" + name + "' must be a value or a list of values");
        }
        return values == null ? null : String.join(" ", values);
    }

    private @Nullable Object list(Field field, Node node) {
        List<String> values = words(node);
        return values == null ? wrongType(field, node, "something else") : values;
    }

    private static @Nullable List<String> words(Node node) {
        return node instanceof SequenceNode list && list.getValue().stream().allMatch(ScalarNode.class::isInstance)
                ? list.getValue().stream().map(one -> ((ScalarNode) one).getValue()).toList()
                : null;
    }

    private @Nullable String word(Field field, ScalarNode node) {
        String word = node.getValue();
        if (field.words().contains(word)) {
            return word;
        }
        yaml.problem(node, (field.required()
                ? "unknown " + field.name() + " '" + word + "'"
                : "'" + field.name() + "' cannot be '" + word + "'") + "; one of " + String.join(", ", field.words()));
        return null;
    }

    private @Nullable Object number(Field field, ScalarNode node) {
        boolean isNumber = field.type() == ValueType.NUMBER;
        String text = isNumber ? node.getValue().replace("_", "") : node.getValue();
        boolean hexadecimal = isNumber && text.matches("0[xX][0-9a-fA-F]+");
        if (!hexadecimal && !node.getTag().equals(Tag.INT)) {
            return wrongType(field, node, "'" + node.getValue() + "'");
        }
        try {
            return inRange(field, node, hexadecimal ? Long.parseLong(text.substring(2), 16) : Long.parseLong(text));
        } catch (NumberFormatException e) {
            yaml.problem(node, "'" + field.name() + "' is out of range: " + node.getValue());
            return null;
        }
    }

    private @Nullable Long quantity(Field field, ScalarNode node, Map<String, Long> units) {
        try {
            boolean bareBytes = field.type() == ValueType.BYTES && node.getTag().equals(Tag.INT);
            return inRange(field, node, bareBytes
                    ? Quantity.scale(node.getValue(), "B", units)
                    : Quantity.parse(node.getValue(), units));
        } catch (Quantity.Malformed e) {
            yaml.problem(node, "'" + field.name() + "': " + e.getMessage());
            return null;
        }
    }

    private @Nullable Long inRange(Field field, Node node, long value) {
        if (value < field.key().min() || value > field.max()) {
            yaml.problem(node, "'" + field.name() + "' is out of range: " + print(field, value) + "; from "
                    + print(field, field.key().min()) + " to " + print(field, field.max()));
            return null;
        }
        if (field.key().powerOfTwo() && Long.bitCount(value) != 1) {
            yaml.problem(node, "'" + field.name() + "' must be a power of two; nearest below: "
                    + print(field, Long.highestOneBit(value)));
            return null;
        }
        return value;
    }

    private @Nullable Object longForm(Field field, MappingNode mapping) {
        boolean isCost = field.type() == ValueType.COST;
        String name = isCost ? field.path() : field.name();
        int before = yaml.problems();
        Map<String, Node> parts = yaml.entries(mapping, name, CONSTANT_KEYS);
        boolean isKnown = yaml.problems() == before;
        for (String needed : CONSTANT_KEYS) {
            Node part = parts.get(needed);
            if (part == null && (isCost || isKnown)) {
                yaml.problem(mapping, "'" + name + "' lacks '" + needed + "'; a constant has value, unit, source and"
                        + " confidence" + (isCost ? "" : ", or is short: '" + name + ": 750 ns'"));
            } else if (part != null && !(part instanceof ScalarNode)) {
                yaml.problem(part, "'" + needed + "' must be a single value");
            }
        }
        if (!(parts.get("value") instanceof ScalarNode value) || !(parts.get("unit") instanceof ScalarNode unit)
                || !(parts.get("source") instanceof ScalarNode source)
                || !(parts.get("confidence") instanceof ScalarNode word)) {
            return null;
        }
        Optional<Confidence> confidence = Confidence.of(word.getValue());
        if (confidence.isEmpty()) {
            List<String> known = Stream.of(Confidence.values()).map(Confidence::word).toList();
            yaml.problem(word, "unknown confidence '" + word.getValue() + "'; one of " + String.join(", ", known));
        } else if (source.getValue().isBlank()) {
            yaml.problem(source, isCost
                    ? "'" + name + "' has an empty source"
                    : "'source' is empty; say where the figure stands, or use the short form");
        }
        Double cost = isCost ? cost(field, value, unit) : null;
        Long nanos = isCost ? null : nanos(field, value, unit);
        if (confidence.isEmpty() || yaml.problems() != before) {
            return null;
        }
        return cost == null
                ? new Constant(Objects.requireNonNull(nanos), source.getValue(), confidence.get())
                : new CostConstant(name, cost, value.getValue() + " " + unit.getValue(), source.getValue(),
                        confidence.get());
    }

    private @Nullable Long nanos(Field field, ScalarNode value, ScalarNode unit) {
        try {
            return inRange(field, value, Quantity.scale(value.getValue(), unit.getValue(), Quantity.DURATION_UNITS));
        } catch (Quantity.Malformed e) {
            yaml.problem(Quantity.DURATION_UNITS.containsKey(unit.getValue()) ? value : unit,
                    "'" + field.name() + "': " + e.getMessage());
            return null;
        }
    }

    private @Nullable Double cost(Field field, ScalarNode number, ScalarNode unit) {
        String path = "'" + field.path() + "'";
        Double factor = COST_UNITS.get(unit.getValue());
        if (factor == null || !field.words().contains(unit.getValue())) {
            yaml.problem(unit, path + " has the unit '" + unit.getValue() + "'; one of "
                    + String.join(", ", field.words().stream().sorted().toList()));
            return null;
        }
        try {
            double value = new BigDecimal(number.getValue().replace("_", "")).doubleValue() * factor;
            if (value >= 0 && value <= 1e12 && (value > 0 || field.words().contains("ns"))) {
                return value;
            }
            yaml.problem(number, path + (value == 0
                    ? " must be more than 0"
                    : " is out of range: " + number.getValue() + " " + unit.getValue() + "; a cost is not negative"));
        } catch (NumberFormatException e) {
            yaml.problem(number, path + ": expected a number, found '" + number.getValue() + "'");
        }
        return null;
    }

    private @Nullable Object wrongType(Field field, Node node, String found) {
        yaml.problem(node, "'" + field.name() + "' takes " + field.type().expected() + ", found " + found);
        return null;
    }

    private static String print(Field field, long value) {
        return switch (field.type()) {
            case BYTES -> Quantity.print(value, Quantity.BYTE_UNITS);
            case DURATION, CONSTANT -> Quantity.print(value, Quantity.DURATION_UNITS);
            default -> Long.toString(value);
        };
    }
}
