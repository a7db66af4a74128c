package dev.bascule.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds and reads cost profiles: a path when such a file exists, else a name in {@code hw-configs/costs}. The profiles
 * that ship are also in the jar, so that a point of a sweep needs nothing else.
 * <p>
 * Thread-safe. Errors: {@link ConfigException} with file, line and column.
 */
public final class CostProfiles {
    /** The profile used unless another is named. */
    public static final String DEFAULT = "published";

    private static final String FOLDER = "hw-configs/costs/";

    private CostProfiles() {}

    /** Reads what {@code --costs} names. */
    public static CostProfile load(String nameOrPath) {
        return load(nameOrPath, CostKeys.Costs.class);
    }

    /** Reads the costs of interconnects between a core and a NIC: {@code eci}, {@code cxl}, {@code pcie}. */
    public static CostProfile interconnects(String nameOrPath) {
        return load(nameOrPath, CostKeys.Interconnects.class);
    }

    /** The file that {@code --costs} names, as it was found: a path, or that in the jar. */
    public static String file(String nameOrPath) {
        Path found = find(nameOrPath);
        return found == null ? "jar:" + FOLDER + withEnding(nameOrPath) : found.toString();
    }

    /** The file; null if only the jar can have it. */
    private static @Nullable Path find(String nameOrPath) {
        Path path = Path.of(nameOrPath);
        if (Files.isRegularFile(path) || nameOrPath.contains("/") && Files.exists(path)) {
            return path;
        }
        String file = FOLDER + withEnding(nameOrPath);
        Path installed = HardwareConfigs.home().map(h -> h.resolve(file)).orElse(Path.of(file));
        return Files.isRegularFile(installed) ? installed : null;
    }

    private static String withEnding(String name) {
        return name.endsWith(".yaml") ? name : name + ".yaml";
    }

    private static CostProfile load(String nameOrPath, Class<? extends Record> keys) {
        Path found = find(nameOrPath);
        if (found != null) {
            return read(found, keys);
        }
        Path shipped = HardwareConfigs.shipped().map(folder -> folder.resolve("costs").resolve(withEnding(nameOrPath)))
                .filter(Files::isRegularFile).orElseThrow(() -> new ConfigException("no cost profile '" + nameOrPath
                        + "' in " + FOLDER + "; name a file of that folder or give a path: --costs ./my.yaml"));
        return read(shipped, keys);
    }

    /** Reads one file. */
    public static CostProfile read(Path path) {
        return read(path, CostKeys.Costs.class);
    }

    private static CostProfile read(Path path, Class<? extends Record> keys) {
        return parse(path.toString(), name(String.valueOf(path.getFileName())),
                HardwareConfigs.textOf(path, "cost profile"), keys);
    }

    /** Reads a text; {@code file} is for messages and {@code name} for the result. */
    static CostProfile parse(String file, String name, String text, Class<? extends Record> keys) {
        boolean isHost = keys == CostKeys.Costs.class;
        Yaml yaml = new Yaml(file);
        Binder binder = new Binder(yaml, name, isHost ? "a cost profile" : "a file of interconnects", Map.of());
        binder.read(keys, isHost ? "costs" : "interconnects", text);
        yaml.end();
        Map<String, CostConstant> constants = new LinkedHashMap<>();
        binder.values().forEach((path, value) -> {
            if (value instanceof CostConstant constant) {
                constants.put(path, constant);
            }
        });
        return new CostProfile(name, (String) binder.values().getOrDefault("description", ""), constants);
    }

    private static String name(String file) {
        return file.endsWith(".yaml") ? file.substring(0, file.length() - 5) : file;
    }
}
