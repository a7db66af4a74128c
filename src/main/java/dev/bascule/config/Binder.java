package dev.bascule.config;

import dev.bascule.config.FabricConfig.Place;
import dev.bascule.ffi.NearestWord;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Way from the nodes of one file to a record: each component with {@link Key} is read and checked, or has its default.
 * Finds every problem before it gives up. Not thread-safe.
 */
final class Binder {
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,31}");
    private static final String ARROW = "->";

    private final Yaml yaml;
    private final String name;
    private final String what;
    private final Map<String, String> gone;
    private final ValueReader reader;
    private final Map<String, Object> values = new LinkedHashMap<>();
    private final Map<String, Node> places = new LinkedHashMap<>();
    private Map<String, Field> known = Map.of();

    /**
     * A binder of one file.
     *
     * @param name what components without a key get
     * @param what what the file is, for messages
     * @param gone keys of former releases by path, with what to use instead
     */
    Binder(Yaml yaml, String name, String what, Map<String, String> gone) {
        this.yaml = yaml;
        this.name = name;
        this.what = what;
        this.gone = gone;
        reader = new ValueReader(yaml);
    }

    /**
     * Where a record's keys stand.
     *
     * @param section path to them
     * @param parts nodes by key
     * @param at what lacks a key that is missing; null if more is missing than that
     * @param owner name of that for messages, empty for the file
     */
    private record Level(String section, Map<String, Node> parts, @Nullable Node at, String owner) {}

    /**
     * The record that a text says. It is good if the file then has no problems.
     *
     * @param kind what {@code kind} must be; empty: the record has it as a key
     */
    <R extends Record> R read(Class<R> type, String kind, String text) {
        // elsewhere sections have much the same keys, and a guess among all would mislead
        known = kind.isEmpty() ? Field.values("", type) : Map.of();
        List<String> names = new ArrayList<>(kind.isEmpty() ? List.of() : List.of("kind"));
        names.addAll(Field.names(type));
        Node root = yaml.root(text);
        if (root == null && yaml.problems() == 0) {
            yaml.problem(kind.isEmpty() ? "the file is empty; 'kind' is required" : mustHold(what, names));
        }
        Map<String, Node> parts = root == null ? Map.of() : parts(root, "", names);
        if (!kind.isEmpty() && root instanceof MappingNode
                && !(parts.get("kind") instanceof ScalarNode word && word.getValue().equals(kind))) {
            yaml.problem(parts.getOrDefault("kind", root), what + " begins with 'kind: " + kind + "'");
        }
        return type.cast(make(type, new Level("", parts, root instanceof MappingNode ? root : null, "")));
    }

    /** Values with which the record was made, by path, in order. */
    Map<String, Object> values() {
        return values;
    }

    /** Where each key stands that the file has, by path. */
    Map<String, Node> places() {
        return places;
    }

    private Map<String, Node> parts(Node node, String section, List<String> names) {
        if (node instanceof MappingNode mapping) {
            return yaml.entries(mapping, section, names, word -> hint(section, word, names));
        }
        yaml.problem(node, mustHold(section.isEmpty() ? what : "'" + section + "'", names));
        return Map.of();
    }

    private static String mustHold(String what, List<String> names) {
        return what + " must hold keys (" + String.join(", ", names) + ")";
    }

    private String hint(String section, String word, List<String> here) {
        String instead = gone.get(section.isEmpty() ? word : section + "." + word);
        if (instead != null) {
            return "it is gone: " + instead + "; leave it out";
        }
        return NearestWord.of(word, here).or(() -> NearestWord.of(word, known.keySet())).or(() -> elsewhere(word))
                .map(near -> "did you mean '" + near + "'?").orElse("known keys here: " + String.join(", ", here));
    }

    private Optional<String> elsewhere(String word) {
        return NearestWord.of(word, known.values().stream().map(Field::name).toList()).flatMap(
                near -> known.values().stream().filter(f -> f.name().equals(near)).map(Field::path).findFirst());
    }

    private Object make(Class<?> type, Level level) {
        List<RecordComponent> components = Field.components(type);
        try {
            return type.getDeclaredConstructor(components.stream().map(RecordComponent::getType).toArray(Class[]::new))
                    .newInstance(components.stream().map(component -> argument(component, level)).toArray());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make " + type, e);
        }
    }

    private @Nullable Object argument(RecordComponent component, Level level) {
        Key key = component.getAnnotation(Key.class);
        if (key == null) {
            return component.getType() == Place.class ? Yaml.place(level.at) : name;
        }
        Field field = Field.of(level.section, component, key);
        Node node = level.parts.get(field.name());
        return switch (field.type()) {
            case INLINE -> make(field.of(), level);
            case SECTION -> section(field, node, level);
            case NAMED -> named(field, node, level);
            case WAYS, ARROWS -> ways(field, node, level);
            case REST -> rest(component.getDeclaringRecord(), level);
            default -> fit(field, component.getType(), value(field, node, level));
        };
    }

    private Object section(Field field, @Nullable Node node, Level level) {
        List<Field> fields = Field.in("", field.of());
        List<String> names = Field.names(field.of());
        if (node == null && level.at != null && fields.stream().anyMatch(Field::required)) {
            yaml.problem(level.at, "section '" + field.name() + "' is missing; it has " + String.join(", ", names));
        }
        return make(field.of(), new Level(field.path(), node == null ? Map.of() : parts(node, field.path(), names),
                node instanceof MappingNode ? node : null, "'" + field.path() + "'"));
    }

    private Map<String, Object> named(Field field, @Nullable Node node, Level level) {
        Map<String, Object> named = new LinkedHashMap<>();
        if (!(node instanceof MappingNode mapping)) {
            problem(node, level, "'" + field.name() + "' must hold what it names, each a map");
            return named;
        }
        String one = field.name().substring(0, field.name().length() - 1);
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key) || !NAME.matcher(key.getValue()).matches()) {
                yaml.problem(tuple.getKeyNode(), "a name has letters, digits, - and _, begins with a letter, and is not"
                        + " longer than 32");
            } else if (named.containsKey(key.getValue())) {
                yaml.problem(key, "two of the name '" + key.getValue() + "' in '" + field.name() + "'; rename one");
            } else if (tuple.getValueNode() instanceof MappingNode body) {
                named.put(key.getValue(), make(field.of(), new Level(field.path() + "." + key.getValue(),
                        yaml.entries(body, "", List.of()), key, one + " '" + key.getValue() + "'")));
            } else {
                yaml.problem(tuple.getValueNode(), "'" + key.getValue() + "' must be a map");
            }
        }
        return named;
    }

    private List<Object> ways(Field field, @Nullable Node node, Level level) {
        List<Object> ways = new ArrayList<>();
        if (!(node instanceof SequenceNode list)) {
            if (node != null || field.required()) {
                problem(node, level, "'" + field.name() + "' must be a list of 'a " + ARROW + " b'");
            }
            return ways;
        }
        List<String> names = Field.names(field.of());
        boolean isMap = field.type() == ValueType.WAYS;
        for (Node each : list.getValue()) {
            Map<String, Node> parts = each instanceof MappingNode mapping && isMap
                    ? yaml.entries(mapping, field.path(), names)
                    : ends(each, names);
            if (parts.keySet().containsAll(names.subList(0, 2))) {
                ways.add(make(field.of(), new Level(field.path(), parts, each, "")));
            } else {
                yaml.problem(each, "write 'a " + ARROW + " b'"
                        + (isMap ? ", or a map of " + String.join(", ", names) : ""));
            }
        }
        return ways;
    }

    private static Map<String, Node> ends(Node node, List<String> names) {
        String[] ends = node instanceof ScalarNode scalar ? scalar.getValue().split(ARROW, -1) : new String[0];
        return ends.length == 2 && !ends[0].isBlank() && !ends[1].isBlank()
                ? Map.of(names.get(0), Yaml.scalar(ends[0].strip()), names.get(1), Yaml.scalar(ends[1].strip()))
                : Map.of();
    }

    private Map<String, String> rest(Class<?> record, Level level) {
        List<String> names = Field.in("", record).stream().filter(field -> field.type() != ValueType.REST)
                .map(Field::name).toList();
        Map<String, String> rest = new LinkedHashMap<>();
        level.parts.forEach((key, node) -> {
            String value = names.contains(key) ? null : reader.plain(key, node);
            if (value != null) {
                rest.put(key, value);
            }
        });
        return rest;
    }

    private void problem(@Nullable Node node, Level level, String message) {
        Node place = node == null ? level.at : node;
        if (place != null) {
            yaml.problem(place, message);
        }
    }

    private @Nullable Object value(Field field, @Nullable Node node, Level level) {
        Object value = null;
        if (node != null) {
            places.put(field.path(), node);
            value = reader.read(field, node);
        } else if (field.required() && level.at != null) {
            yaml.problem(level.at, level.owner.isEmpty()
                    ? "'" + field.name() + "' is required; add for example '" + field.name() + ": "
                            + field.words().getFirst() + "'"
                    : level.owner + " lacks '" + field.name() + "'"
                            + (field.type() == ValueType.COST ? "; every constant of " + what + " is needed" : ""));
        }
        if (value == null && !field.required()) {
            value = reader.fallback(field);
        }
        if (value != null) {
            values.put(field.path(), value);
        }
        return value;
    }

    /** The value as the component has it: a word of a choice as what stands for it. */
    private static @Nullable Object fit(Field field, Class<?> type, @Nullable Object value) {
        if (value instanceof Long whole && type == int.class) {
            return Math.toIntExact(whole);
        }
        if (!(value instanceof String word) || type == String.class) {
            return value;
        }
        if (type == List.class) {
            return word.isBlank() ? List.of() : List.of(word.strip().split("\\s+"));
        }
        if (type == boolean.class) {
            return !word.equals(field.words().getFirst());
        }
        return type == int.class
                ? word.equals("none") ? 0 : Integer.parseInt(word)
                : type.getEnumConstants()[field.words().indexOf(word)];
    }
}
