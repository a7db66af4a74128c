package dev.bascule.config;

import dev.bascule.ffi.NearestWord;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.ProviderNotFoundException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds and reads hardware configurations. A {@code --config} argument is a path when such a file exists or when it
 * has a separator (then also looked up from the installation's folder), otherwise a name in the installation's
 * {@code hw-configs} folder, with or without {@code .yaml}. The installation is the system property {@value #HOME_PROPERTY}, else the environment
 * variable {@value #HOME_VARIABLE}, else the nearest folder above these classes that has a {@code hw-configs} folder;
 * without any of these the configurations that the jar has in it are read.
 * <p>
 * Thread-safe. Errors: {@link ConfigException}, with a message for the user.
 */
public final class HardwareConfigs {
    /** System property naming the installation's folder. */
    public static final String HOME_PROPERTY = "bascule.home";
    /** Environment variable naming the installation's folder. */
    public static final String HOME_VARIABLE = "BASCULE_HOME";

    private static final String FOLDER = "hw-configs";
    private static final String SUFFIX = ".yaml";
    /** Of a configuration or cost profile. */
    private static final int MAX_FILE_BYTES = 1 << 20;

    /** Keys of former releases that did nothing, with what to use instead. */
    private static final Map<String, String> GONE = Map.of("cpus", "say 'bascule run --cpus N' and '--agents N'",
            "smartnic", "the memories are as large as the enclave needs", "optimisations.dma",
            "messages of bulk queues always go by DMA", "rdma.relaxedOrdering",
            "writes are always placed in their order, on which a reader relies");

    private HardwareConfigs() {}

    /** Reads what {@code --config} names: a path or the name of an installed configuration. */
    public static HardwareConfig load(String nameOrPath) {
        return load(nameOrPath, home());
    }

    static HardwareConfig load(String nameOrPath, Optional<Path> home) {
        Path asPath = Path.of(nameOrPath);
        if (Files.isRegularFile(asPath)) {
            return read(asPath);
        }
        if (nameOrPath.contains("/")) {
            return read(home.map(h -> h.resolve(asPath)).filter(Files::isRegularFile).orElse(asPath));
        }
        String file = nameOrPath.endsWith(SUFFIX) ? nameOrPath : nameOrPath + SUFFIX;
        Optional<Path> installed = folder(home).map(f -> f.resolve(file)).filter(Files::isRegularFile);
        return read(installed.orElseThrow(() -> notFound(nameOrPath, home)));
    }

    /** Reads one file. */
    public static HardwareConfig read(Path path) {
        String fileName = String.valueOf(path.getFileName());
        String name = fileName.endsWith(SUFFIX) ? fileName.substring(0, fileName.length() - SUFFIX.length()) : fileName;
        return parse(path.toString(), name, textOf(path));
    }

    /** Reads a text; {@code file} is for messages and {@code name} for the result. */
    static HardwareConfig parse(String file, String name, String text) {
        Yaml yaml = new Yaml(file);
        Binder binder = new Binder(yaml, name, "the file", GONE);
        HardwareConfig config = binder.read(HardwareConfig.class, "", text);
        new HardwareChecks(yaml, binder.values(), binder.places()).run();
        yaml.end();
        return config;
    }

    /** Names of the installed configurations, or of those in the jar, sorted. */
    public static List<String> available() {
        return available(home());
    }

    private static List<String> available(Optional<Path> home) {
        Path folder = folder(home).filter(Files::isDirectory).orElse(null);
        if (folder == null) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(f -> String.valueOf(f.getFileName())).filter(f -> f.endsWith(SUFFIX))
                    .map(f -> f.substring(0, f.length() - SUFFIX.length())).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static ConfigException notFound(String wanted, Optional<Path> home) {
        List<String> names = available(home);
        String near = NearestWord.of(wanted, names).map(n -> "; did you mean '" + n + "'?").orElse("");
        String where = home.map(h -> "in " + h.resolve(FOLDER)).orElse("in the jar, and no installation was found (set "
                + HOME_VARIABLE + " to the folder that holds hw-configs)");
        String list = names.isEmpty() ? "none" : String.join(", ", names);
        return new ConfigException("no configuration '" + wanted + "' " + where + near + "\navailable: " + list
                + "\nor give the path of a file: --config ./my.yaml");
    }

    private static String textOf(Path path) {
        try {
            if (Files.isDirectory(path)) {
                throw new ConfigException(path + " is a folder; give a file in it");
            }
            return decode(SmallFile.read(path, MAX_FILE_BYTES));
        } catch (NoSuchFileException e) {
            throw new ConfigException("no such file: " + path + "\navailable by name: "
                    + String.join(", ", available()));
        } catch (AccessDeniedException e) {
            throw new ConfigException("not allowed to read " + path + " (EACCES); try: chmod u+r " + path);
        } catch (CharacterCodingException e) {
            throw new ConfigException(path + " is not UTF-8 text; try: iconv -t UTF-8 " + path);
        } catch (IOException e) {
            throw new ConfigException("cannot read the hardware configuration " + reason(path, e));
        }
    }

    /** Text of a file of another kind. */
    static String textOf(Path path, String kind) {
        try {
            return decode(SmallFile.read(path, MAX_FILE_BYTES));
        } catch (CharacterCodingException e) {
            throw new ConfigException(path + " is not UTF-8 text; try: iconv -t UTF-8 " + path);
        } catch (IOException e) {
            throw new ConfigException("cannot read the " + kind + " " + reason(path, e));
        }
    }

    private static String decode(byte[] text) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
    }

    /** Text of a failure, with the file's name once. */
    private static String reason(Path path, IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return message.contains(path.toString()) ? message : path + ": " + message;
    }

    /** The installation's folder, which has {@code hw-configs}; empty if there is none. */
    public static Optional<Path> installation() {
        return home();
    }

    static Optional<Path> home() {
        String given = System.getProperty(HOME_PROPERTY, System.getenv(HOME_VARIABLE));
        return given != null && !given.isBlank() ? Optional.of(Path.of(given)) : homeAboveClasses();
    }

    /** The folder of configurations: that of the installation, else that of the jar. */
    private static Optional<Path> folder(Optional<Path> home) {
        return home.isPresent() ? home.map(h -> h.resolve(FOLDER)) : shipped();
    }

    /** The configurations that lie beside these classes: in their jar, which is opened once, or in their folder. */
    static Optional<Path> shipped() {
        return Shipped.FOLDER;
    }

    private static final class Shipped {
        static final Optional<Path> FOLDER = find();

        private Shipped() {}

        private static Optional<Path> find() {
            Path classes = classes().orElse(null);
            if (classes == null || Files.isDirectory(classes)) {
                return Optional.ofNullable(classes).map(folder -> folder.resolve(HardwareConfigs.FOLDER));
            }
            try { // of its own, as the program around this one may have opened the same jar
                return Optional.of(FileSystems.newFileSystem(classes).getPath("/", HardwareConfigs.FOLDER));
            } catch (IOException | ProviderNotFoundException e) {
                return Optional.empty();
            }
        }
    }

    /** The jar or the folder that these classes come from. */
    private static Optional<Path> classes() {
        var source = HardwareConfigs.class.getProtectionDomain().getCodeSource();
        return source == null || !"file".equals(source.getLocation().getProtocol())
                ? Optional.empty()
                : Optional.of(Path.of(URI.create(source.getLocation().toString())));
    }

    private static Optional<Path> homeAboveClasses() {
        @Nullable
        Path folder = classes().map(Path::getParent).orElse(null);
        while (folder != null && !Files.isDirectory(folder.resolve(FOLDER))) {
            folder = folder.getParent();
        }
        return Optional.ofNullable(folder);
    }
}
