package dev.bascule.config;

import dev.bascule.ffi.NearestWord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/** Walks the node tree of one file against the schema; finds every problem before it gives up. */
final class ConfigReader {
    private final Yaml yaml;
    private final Map<String, Object> values = new HashMap<>();
    private final Map<String, Node> places = new HashMap<>();
    private final ValueReader valueReader;

    private ConfigReader(String file) {
        yaml = new Yaml(file);
        valueReader = new ValueReader(yaml);
    }

    /** Reads a text; {@code file} is only for messages and {@code name} for the result. */
    static HardwareConfig read(String file, String name, String text) {
        ConfigReader reader = new ConfigReader(file);
        reader.walk(text);
        reader.checkTogether();
        reader.yaml.end();
        return ConfigBuilder.build(name, reader.values);
    }

    private void walk(String text) {
        Node root = yaml.root(text);
        if (root != null) {
            section("", root);
            if (!places.containsKey("kind") && root instanceof MappingNode) {
                yaml.problem(root, "'kind' is required; add for example 'kind: loopback'");
            }
        } else if (yaml.problems() == 0) {
            yaml.problem("the file is empty; 'kind' is required");
        }
    }

    private void section(String name, Node node) {
        List<String> known = Schema.namesIn(name);
        if (!(node instanceof MappingNode mapping)) {
            String what = name.isEmpty() ? "the file" : "'" + name + "'";
            yaml.problem(node, what + " must hold keys (" + String.join(", ", known) + ")");
            return;
        }
        yaml.entries(mapping, name, known, word -> hint(name, word, known)).forEach((key, value) -> {
            String word = key.getValue();
            if (name.isEmpty() && Schema.isSection(word)) {
                section(word, value);
            } else {
                value(Schema.KEYS.get(name.isEmpty() ? word : name + "." + word), value);
            }
        });
    }

    private void value(@Nullable Key key, Node node) {
        if (key == null) {
            throw new IllegalStateException("the schema has a name without its key");
        }
        places.put(key.path(), node);
        Object read = valueReader.read(key, node);
        if (read != null) {
            values.put(key.path(), read);
        }
    }

    private static String hint(String section, String word, List<String> here) {
        String gone = Schema.GONE.get(section.isEmpty() ? word : section + "." + word);
        if (gone != null) {
            return "it is gone: " + gone + "; leave it out";
        }
        return NearestWord.of(word, here).map(near -> "did you mean '" + near + "'?")
                .or(() -> NearestWord.of(word, Schema.KEYS.keySet()).map(near -> "did you mean '" + near + "'?"))
                .or(() -> elsewhere(word)).orElse("known keys here: " + String.join(", ", here));
    }

    private static Optional<String> elsewhere(String word) {
        List<String> names = Schema.KEYS.values().stream().map(Key::name).distinct().toList();
        return NearestWord.of(word, names).flatMap(
                near -> Schema.KEYS.values().stream().filter(k -> k.name().equals(near)).map(Key::path).findFirst())
                .map(path -> "did you mean '" + path + "'?");
    }

    private void checkTogether() {
        new PciChecks(yaml, values, places).run();
        long soft = (Long) ConfigBuilder.valueOrDefault(values, "watchdog.softWindow");
        long hard = (Long) ConfigBuilder.valueOrDefault(values, "watchdog.hardLimit");
        Node place = places.getOrDefault("watchdog.softWindow", places.get("watchdog.hardLimit"));
        if (soft >= hard && place != null && yaml.problems() == 0) {
            yaml.problem(place, "watchdog.softWindow (" + Quantity.print(soft, Quantity.DURATION_UNITS)
                    + ") must be below watchdog.hardLimit (" + Quantity.print(hard, Quantity.DURATION_UNITS) + ")");
        }
    }
}
