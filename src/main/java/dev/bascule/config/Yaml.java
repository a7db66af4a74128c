package dev.bascule.config;

import dev.bascule.config.FabricConfig.Place;
import dev.bascule.ffi.NearestWord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.ComposerException;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import org.snakeyaml.engine.v2.schema.JsonSchema;

/**
 * The walk through one YAML file: its nodes, and every problem found at one, so that a reader can find all before it gives
 * up. Not thread-safe.
 */
final class Yaml {
    private static final int MOST_LEVELS = 64;
    private static final int MOST_CHARACTERS = 4_096;

    private static final ScalarResolver TAGS = new JsonSchema().getScalarResolver();

    private final String file;
    private final List<ConfigProblem> problems = new ArrayList<>();

    /** A walk; {@code file} is only for messages. */
    Yaml(String file) {
        this.file = file;
    }

    /** The node that the whole text is; null if the text is empty, or no YAML, which is then a problem. */
    @Nullable
    Node root(String text) {
        try {
            return compose(file, text).orElse(null);
        } catch (MarkedYamlEngineException e) {
            problem(e.getProblemMark().or(e::getContextMark), "not YAML: " + e.getProblem());
        } catch (ReaderException e) {
            problems.add(at(text, e.getPosition(), String.format("not text: character U+%04X", e.getCodePoint())));
        } catch (YamlEngineException e) {
            problem(Optional.empty(), "not YAML: " + e.getMessage());
        }
        return null;
    }

    /**
     * The nodes of a mapping by key. A key that is no word, is not known or comes twice is a problem, and is left out.
     *
     * @param where the mapping's key, for messages; empty for the file
     * @param known all keys that there are; empty: any
     * @param hint what to say of a word that is not known
     */
    Map<String, Node> entries(MappingNode mapping, String where, Collection<String> known,
            Function<String, String> hint) {
        Map<String, Node> entries = new LinkedHashMap<>();
        Set<String> seen = new HashSet<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                problem(tuple.getKeyNode(), "a key must be a plain word");
            } else if (!seen.add(key.getValue())) {
                problem(key, "duplicate key '" + key.getValue() + "'; keep one of the two");
            } else if (!known.isEmpty() && !known.contains(key.getValue())) {
                problem(key, "unknown key '" + key.getValue() + "'" + (where.isEmpty() ? "" : " in '" + where + "'")
                        + "; " + hint.apply(key.getValue()));
            } else {
                entries.put(key.getValue(), tuple.getValueNode());
            }
        }
        return entries;
    }

    /** Entries of a mapping by word; of a word that is not known, the nearest one is named. */
    Map<String, Node> entries(MappingNode mapping, String where, Collection<String> known) {
        return entries(mapping, where, known, word -> NearestWord.of(word, known)
                .map(near -> "did you mean '" + near + "'?").orElse("known keys here: " + String.join(", ", known)));
    }

    /** A node that a file could have. */
    static ScalarNode scalar(String text) {
        return new ScalarNode(TAGS.resolve(text, true), text, ScalarStyle.DOUBLE_QUOTED);
    }

    static Place place(@Nullable Node node) {
        Optional<Mark> mark = node == null ? Optional.empty() : node.getStartMark();
        return new Place(mark.map(Mark::getLine).orElse(0) + 1, mark.map(Mark::getColumn).orElse(0) + 1);
    }

    /** Notes what is wrong with a node. */
    void problem(Node node, String message) {
        problem(node.getStartMark(), message);
    }

    /** Notes what is wrong with the file as a whole. */
    void problem(String message) {
        problem(Optional.empty(), message);
    }

    private void problem(Optional<Mark> place, String message) {
        problems.add(new ConfigProblem(file, place.map(Mark::getLine).orElse(0) + 1,
                place.map(Mark::getColumn).orElse(0) + 1, message));
    }

    private ConfigProblem at(String text, int index, String message) {
        int end = Math.min(Math.max(index, 0), text.length());
        int line = 1 + (int) text.substring(0, end).chars().filter(c -> c == '\n').count();
        int column = end - (text.lastIndexOf('\n', end - 1) + 1) + 1;
        return new ConfigProblem(file, line, column, message);
    }

    /** How many problems were noted. */
    int problems() {
        return problems.size();
    }

    /** Ends the walk: {@link ConfigException} with all problems in the order of the file, if there are any. */
    void end() {
        if (!problems.isEmpty()) {
            problems.sort(Comparator.comparingInt(ConfigProblem::line).thenComparingInt(ConfigProblem::column));
            throw new ConfigException(problems);
        }
    }

    /**
     * Composes as {@code Compose} does; that class is in a package its module does not export. The composer calls
     * itself for every level, so levels are counted before it sees them.
     */
    private static Optional<Node> compose(String file, String text) {
        LoadSettings settings = LoadSettings.builder().setLabel(file).setAllowNonScalarKeys(true).build();
        return new Composer(settings, new Shallow(new ParserImpl(settings, new StreamReader(settings, text))))
                .getSingleNode();
    }

    /** Refuses what is nested too deep, and values that would take long to read and longer to print. */
    private static final class Shallow implements Parser {
        private final Parser events;
        private int level;

        Shallow(Parser events) {
            this.events = events;
        }

        @Override
        public Event next() {
            Event event = events.next();
            level += event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
            if (level > MOST_LEVELS) {
                throw new ComposerException("nested deeper than " + MOST_LEVELS + " levels", event.getStartMark());
            }
            if (event instanceof ScalarEvent scalar && scalar.getValue().length() > MOST_CHARACTERS) {
                throw new ComposerException(String.format(Locale.ROOT, "a value of %,d characters; at most %,d",
                        scalar.getValue().length(), MOST_CHARACTERS), event.getStartMark());
            }
            return event;
        }

        @Override
        public boolean hasNext() {
            return events.hasNext();
        }

        @Override
        public boolean checkEvent(Event.ID choice) {
            return events.checkEvent(choice);
        }

        @Override
        public Event peekEvent() {
            return events.peekEvent();
        }
    }
}
