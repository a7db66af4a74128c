package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.json.JsonFormatException;
import dev.bascule.json.JsonReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Outputs as they are meant to be, a file each below {@code src/test/resources/goldens}. A change of one is a change that
 * users see; it is made on purpose, by running its test with {@code -Dbascule.goldens=write}, and the commit says why.
 */
public final class Golden {
    private static final Path FOLDER = House.BASE.resolve("src/test/resources/goldens");
    private static final Pattern REAL_TIME = Pattern.compile("[0-9,]+(?= scheduling events per second of real time)");
    private static final boolean WRITE = System.getProperty("bascule.goldens", "").equals("write");

    private Golden() {}

    /** The printed text is that of the file, but for where the clone is and what follows the machine's own clock. */
    public static void check(String file, String printed) throws IOException {
        String text = steady(printed);
        Path golden = file(file, path -> Files.writeString(path, text));
        assertThat(text.lines()).as("%s; a change that is meant: -Dbascule.goldens=write", House.relative(golden))
                .containsExactlyElementsOf(Files.readAllLines(golden));
    }

    /** Writes a golden, for the first time or because a change of it is meant. */
    interface Writer {
        void write(Path golden) throws IOException;
    }

    /** The file of a golden, which {@code writer} has written anew if that was asked for. */
    static Path file(String name, Writer writer) throws IOException {
        Path golden = FOLDER.resolve(name);
        if (WRITE) {
            Files.createDirectories(FOLDER);
            writer.write(golden);
        }
        assertThat(golden).as("no golden; make it: mvn test -Dbascule.goldens=write -Dtest=...").isRegularFile();
        return golden;
    }

    /**
     * A JSON text has the keys of the file, each with its type. A figure that one of the two could not tell (null) has any
     * type, and an array that is empty in one of the two any elements: that is the machine's doing.
     */
    public static void checkKeys(String file, String json) throws IOException, JsonFormatException {
        Path golden = FOLDER.resolve(file);
        String keys = keys(json);
        if (WRITE) {
            check(file, keys);
        }
        assertThat(differences(Files.readString(golden), keys))
                .as("%s; a change that is meant: -Dbascule.goldens=write", House.relative(golden)).isEmpty();
    }

    /** Lines that only one of two sets of keys has, each with where it is. */
    static List<String> differences(String golden, String found) {
        Set<String> then = golden.lines().collect(Collectors.toCollection(TreeSet::new));
        Set<String> now = found.lines().collect(Collectors.toCollection(TreeSet::new));
        List<String> all = new ArrayList<>();
        then.stream().filter(line -> !isIn(now, line)).forEach(line -> all.add("gone:" + line));
        now.stream().filter(line -> !isIn(then, line)).forEach(line -> all.add("new:" + line));
        return all;
    }

    private static boolean isIn(Set<String> keys, String line) {
        String path = line.substring(0, line.lastIndexOf(' '));
        if (keys.contains(line) || keys.contains(path + " null")) {
            return true;
        }
        if (line.endsWith(" null") && keys.stream().anyMatch(key -> key.startsWith(path + " "))) {
            return true;
        }
        for (int at = path.lastIndexOf("[]"); at >= 0; at = path.lastIndexOf("[]", at - 1)) {
            String array = path.substring(0, at);
            if (keys.contains(array + " array") && keys.stream().noneMatch(key -> key.startsWith(array + "[]"))) {
                return true;
            }
        }
        return false;
    }

    /** A text without the folder of the clone and without figures of real time. */
    public static String steady(String printed) {
        return REAL_TIME.matcher(printed.replace(House.BASE + "/", "")).replaceAll("N");
    }

    /**
     * The paths of a JSON text with the types of what is there, sorted, a line each: {@code .points[].load number}. What
     * arrays hold is put together; a value that is null now and a number then has both lines.
     */
    public static String keys(String json) throws JsonFormatException {
        Set<String> lines = new TreeSet<>();
        collect("", JsonReader.parse(json), lines);
        return String.join("\n", lines) + "\n";
    }

    /** The first 16 hexadecimal digits of the bytes' SHA-256. */
    public static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The digest of a text in UTF-8. */
    public static String digest(String text) {
        return digest(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void collect(String path, Object value, Set<String> lines) {
        switch (value) {
            case Map<?, ?> object -> {
                lines.add(path + " object");
                object.forEach((name, inner) -> collect(path + "." + name, inner, lines));
            }
            case List<?> array -> {
                lines.add(path + " array");
                array.forEach(inner -> collect(path + "[]", inner, lines));
            }
            case Number number -> lines.add(path + " number");
            case String text -> lines.add(path + " string");
            case Boolean truth -> lines.add(path + " boolean");
            case null, default -> lines.add(path + " null");
        }
    }
}
