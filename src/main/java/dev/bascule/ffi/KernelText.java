package dev.bascule.ffi;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Text of the files of {@code /proc} and of cgroups: bytes, in which names that others chose stand as they are. Each
 * character is one byte, so that nothing is refused or changed, and a line ends at a line feed only: a carriage return
 * is part of a name. Any thread.
 */
public final class KernelText {
    private static final int PART_BYTES = 1 << 16;

    private KernelText() {}

    /** All of a file, a character for each byte. */
    public static String read(Path file) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] part = new byte[PART_BYTES];
        try (InputStream in = Files.newInputStream(file)) {
            // in large parts: a file of /proc/sys ends after the first read, however little that took
            for (int count = in.read(part); count > 0; count = in.read(part)) {
                all.write(part, 0, count);
            }
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    /** Lines of a file, without their ends. */
    public static List<String> lines(Path file) throws IOException {
        return lines(read(file));
    }

    /** Lines of a text, without their ends. */
    public static List<String> lines(String text) {
        return split(text, '\n');
    }

    /** Words of a list whose items end with a zero byte, as {@code cmdline} and {@code environ} have them. */
    public static List<byte[]> words(Path file) throws IOException {
        return split(read(file), '\0').stream().map(word -> word.getBytes(StandardCharsets.ISO_8859_1)).toList();
    }

    private static List<String> split(String text, char end) {
        List<String> all = new ArrayList<>();
        int from = 0;
        for (int at = text.indexOf(end); at >= 0; at = text.indexOf(end, from)) {
            all.add(text.substring(from, at));
            from = at + 1;
        }
        if (from < text.length()) {
            all.add(text.substring(from));
        }
        return all;
    }

    /**
     * Fields of {@code /proc/PID/stat} from the third on: the state first, then field 4 at 1. The name before them may hold
     * anything, also brackets.
     */
    public static String[] statFields(String stat) {
        return stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
    }

    /** For people: as UTF-8 where it is that, else a character for each byte. */
    public static String shown(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            return text;
        }
    }
}
