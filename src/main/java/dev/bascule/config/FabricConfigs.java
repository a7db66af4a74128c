package dev.bascule.config;

import java.nio.file.Path;
import java.util.Map;

/**
 * Reads a fabric's devices and graph. Finds every problem before it gives up. Thread-safe. Errors: {@link ConfigException}
 * with file, line and column.
 */
public final class FabricConfigs {
    private FabricConfigs() {}

    /** Reads a file. */
    public static FabricConfig read(Path path) {
        return parse(path.toString(), HardwareConfigs.textOf(path, "graph"));
    }

    /** Reads a text; {@code file} is for messages. */
    public static FabricConfig parse(String file, String text) {
        Yaml yaml = new Yaml(file);
        FabricConfig config = new Binder(yaml, file, "a fabric's file", Map.of()).read(FabricConfig.class, "fabric",
                text);
        yaml.end();
        return config;
    }
}
