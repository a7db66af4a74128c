package dev.bascule.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        return load(nameOrPath, CostKeys.COSTS);
    }

    /** Reads the costs of interconnects between a core and a NIC: {@code eci}, {@code cxl}, {@code pcie}. */
    public static CostProfile interconnects(String nameOrPath) {
        return load(nameOrPath, CostKeys.INTERCONNECTS);
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

    private static CostProfile load(String nameOrPath, CostKeys.Schema schema) {
        Path found = find(nameOrPath);
        if (found != null) {
            return read(found, schema);
        }
        Path shipped = HardwareConfigs.shipped().map(folder -> folder.resolve("costs").resolve(withEnding(nameOrPath)))
                .filter(Files::isRegularFile).orElseThrow(() -> new ConfigException("no cost profile '" + nameOrPath
                        + "' in " + FOLDER + "; name a file of that folder or give a path: --costs ./my.yaml"));
        return read(shipped, schema);
    }

    /** Reads one file. */
    public static CostProfile read(Path path) {
        return read(path, CostKeys.COSTS);
    }

    private static CostProfile read(Path path, CostKeys.Schema schema) {
        try {
            String text = HardwareConfigs.decode(SmallFile.read(path, HardwareConfigs.MAX_FILE_BYTES));
            return CostReader.read(path.toString(), name(String.valueOf(path.getFileName())), text, schema);
        } catch (CharacterCodingException e) {
            throw new ConfigException(path + " is not UTF-8 text; try: iconv -t UTF-8 " + path);
        } catch (IOException e) {
            throw new ConfigException("cannot read the cost profile " + HardwareConfigs.reason(path, e));
        }
    }

    private static String name(String file) {
        return file.endsWith(".yaml") ? file.substring(0, file.length() - 5) : file;
    }
}
