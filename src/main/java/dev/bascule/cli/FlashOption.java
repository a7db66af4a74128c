package dev.bascule.cli;

import dev.bascule.config.SmallFile;
import dev.bascule.model.corundum.CorundumFlash;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.run.OutputFile;
import java.io.IOException;
import java.nio.file.Path;

/** The flash that {@code serve --flash} presents, from what a user writes: {@code spi:FILE} or {@code bpi:FILE}. */
final class FlashOption {
    static final String SYNTAX = "spi:FILE (serial) or bpi:FILE (parallel)";
    private static final int LARGEST_BYTES = 256 << 20;

    private FlashOption() {}

    /** Reads the file; a {@link Failure} says what is wrong with the text or the file. */
    static CorundumFlash parse(String text) {
        int colon = text.indexOf(':');
        CorundumFlash.Kind kind = switch (colon < 0 ? text : text.substring(0, colon)) {
            case "spi" -> CorundumFlash.Kind.SPI;
            case "bpi" -> CorundumFlash.Kind.BPI;
            default -> throw new Misuse("no flash is '" + text + "'; write " + SYNTAX);
        };
        if (colon < 0 || colon + 1 == text.length()) {
            throw new Misuse("'" + text + "' names no file; write " + SYNTAX);
        }
        Path file = Path.of(text.substring(colon + 1));
        try {
            return new CorundumFlash(kind, SmallFile.read(file, LARGEST_BYTES));
        } catch (IOException e) {
            throw new Failure("cannot read " + file + " for the flash: " + OutputFile.named(file, e).getMessage(), e);
        }
    }
}
