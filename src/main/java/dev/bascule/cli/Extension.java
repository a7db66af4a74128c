package dev.bascule.cli;

import dev.bascule.model.WireEnd;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The door by which a jar beside the product's adds to the program; a {@link java.util.ServiceLoader} finds it on the
 * class path.
 */
public interface Extension {
    /**
     * Command of a jar, and its place in the help.
     *
     * @param name by which users call it
     * @param after the command behind which the help shows it: the product's, or one before it in the list
     * @param group the heading of its group; the empty string: that of {@code after}
     * @param made a new command of this name, with picocli's annotations
     */
    record Entry(String name, String after, String group, Supplier<Object> made) {}

    /** Commands of the jar, in the order in which they take their places. */
    List<Entry> commands();

    /** A cable for {@code --wire KIND:REST}; null: it has no such kind. */
    @Nullable
    WireEnd wire(String kind, String rest) throws IOException;
}
