package dev.bascule.config;

import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.ComposerException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.parser.Parser;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/** The node tree of a YAML text. The composer calls itself for every level, so levels are counted before it sees them. */
final class Yaml {
    private static final int MOST_LEVELS = 64;

    private Yaml() {}

    /**
     * What {@code Compose} does; that class is in a package its module does not export.
     *
     * @param file for messages
     * @throws org.snakeyaml.engine.v2.exceptions.YamlEngineException if it is not YAML, or nested deeper than 64
     */
    static Optional<Node> compose(String file, String text) {
        LoadSettings settings = LoadSettings.builder().setLabel(file).setAllowNonScalarKeys(true).build();
        return new Composer(settings, new Shallow(new ParserImpl(settings, new StreamReader(settings, text))))
                .getSingleNode();
    }

    /** Refuses what is nested too deep. */
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
