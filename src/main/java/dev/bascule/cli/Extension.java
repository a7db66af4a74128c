package dev.bascule.cli;

import dev.bascule.model.WireEnd;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The door by which a jar beside the product's adds to the program; a {@link java.util.ServiceLoader} finds it on the
 * class path. {@link Commands} says where the help shows a command of that jar.
 */
public interface Extension {
    /** A new command of this name, with picocli's annotations; null: it has none. */
    @Nullable
    Object command(String name);

    /** A cable for {@code --wire KIND:REST}; null: it has no such kind. */
    @Nullable
    WireEnd wire(String kind, String rest) throws IOException;
}
