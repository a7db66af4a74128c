package dev.bascule.nic.corundum;

import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.jspecify.annotations.Nullable;

/** The driver on a card that another process serves; one card for all tests, each is a new client. */
@Tag("process")
class ServedDriverTest extends CorundumDriverContract {
    @TempDir
    private static Path folder = Path.of("");

    private static @Nullable ServedCard card;

    @BeforeAll
    static void serve() throws IOException {
        card = ServedCard.start(folder.resolve("card.sock"), "--queues", "64");
    }

    @AfterAll
    static void end() {
        if (card != null) {
            card.close();
        }
    }

    /** The design of the contract, whose ports {@code serve} crosses by itself. */
    @Override
    Rig rig(CorundumConfig config, List<WireEnd> wires) {
        return Rig.of(java.util.Objects.requireNonNull(card).connect());
    }
}
