package dev.bascule.host.scx;

import dev.bascule.ffi.MissingPartException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the kernel's side is, built: {@code -Dbascule.scx.object=FILE}, else {@code native/bascule_scx.bpf.o} beside the
 * program.
 */
public final class KernelObject {
    private static final String PROPERTY = "bascule.scx.object";
    private static final String NAME = "bascule_scx.bpf.o";

    private KernelObject() {}

    /** The file, if it is there. */
    public static Optional<Path> find() {
        return Optional.of(location()).filter(Files::isRegularFile);
    }

    static Path file() {
        return find().orElseThrow(() -> new MissingPartException("the kernel's side is not built: no " + location()
                + "; with clang and libbpf-dev: scripts/build-native"));
    }

    /** Where it is looked for. */
    public static Path location() {
        String given = System.getProperty(PROPERTY);
        if (given != null) {
            return Path.of(given);
        }
        try {
            Path program = Path
                    .of(KernelObject.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return program.resolveSibling("native").resolve(NAME);
        } catch (URISyntaxException | RuntimeException e) {
            return Path.of("native", NAME);
        }
    }
}
