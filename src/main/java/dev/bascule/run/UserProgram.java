package dev.bascule.run;

import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.ProgramStart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A user's program, which a command runs on his behalf: its words are the bytes that stand behind {@code --} on this process's
 * command line, its environment the one that this process was started with. Thread rule: any thread.
 */
public final class UserProgram {
    private static final Path OWN = Path.of("/proc/self");

    private static final String LOCALE = "LC_ALL=";
    private static final String USERS_LOCALE = "BASCULE_USER_LC_ALL=";
    private static final char REPLACED = '\ufffd';

    private final List<byte[]> words;

    private UserProgram(List<byte[]> words) {
        this.words = words;
    }

    /**
     * The last words of this process's command line.
     *
     * @param decoded those words as the JVM took them
     */
    static UserProgram of(List<String> decoded) {
        List<byte[]> all = read("cmdline");
        List<byte[]> last = all.subList(Math.max(0, all.size() - decoded.size()), all.size());
        return new UserProgram(areThose(decoded, last) ? last : encoded(decoded));
    }

    /**
     * Complaint about a word of the command line before {@code --} that the JVM could not decode: changed as it is, it
     * would name another file. Null if there is none.
     */
    public static @Nullable String changedWord(List<String> decoded) {
        for (int n = 0; n < decoded.size() && !decoded.get(n).equals("--"); n++) {
            if (decoded.get(n).indexOf(REPLACED) >= 0 && !isForShell(decoded, n)) {
                List<byte[]> all = read("cmdline");
                byte[] raw = all.get(all.size() - decoded.size() + n);
                if (!Arrays.equals(raw, decoded.get(n).getBytes(StandardCharsets.UTF_8))) {
                    return "word " + (n + 1) + " of the command line, '" + decoded.get(n) + "', is no "
                            + System.getProperty("sun.jnu.encoding") + ", which this locale has; LC_ALL=C.UTF-8, or"
                            + " another name";
                }
            }
        }
        return null;
    }

    /** The value of an option that a shell reads is passed on as it is. */
    private static boolean isForShell(List<String> decoded, int n) {
        return UserShell.OPTIONS.stream().anyMatch(option -> decoded.get(n).startsWith(option + "=")
                || n > 0 && decoded.get(n - 1).equals(option));
    }

    /**
     * The bytes of an option's value, of this process's command line.
     *
     * @param decoded that value as the JVM took it
     */
    static byte[] optionValue(String option, String decoded) {
        List<byte[]> all = read("cmdline");
        byte[] start = (option + "=").getBytes(StandardCharsets.US_ASCII);
        for (int n = 0; n < all.size(); n++) {
            byte[] word = all.get(n);
            boolean isJoined = word.length >= start.length
                    && Arrays.equals(word, 0, start.length, start, 0, start.length);
            boolean isApart = n > 0
                    && Arrays.equals(all.get(n - 1), 0, all.get(n - 1).length, start, 0, start.length - 1);
            byte[] value = isJoined ? Arrays.copyOfRange(word, start.length, word.length) : word;
            if ((isJoined || isApart) && areThose(List.of(decoded), List.of(value))) {
                return value;
            }
        }
        return encoded(List.of(decoded)).getFirst();
    }

    /** Of a command that was called within its process, not by its command line. */
    private static List<byte[]> encoded(List<String> words) {
        return words.stream().map(word -> word.getBytes(Charset.defaultCharset())).toList();
    }

    /** Plain characters tell: others may have been changed by decoding. */
    private static boolean areThose(List<String> decoded, List<byte[]> raw) {
        if (decoded.size() != raw.size()) {
            return false;
        }
        for (int n = 0; n < raw.size(); n++) {
            if (!plain(decoded.get(n)).equals(plain(new String(raw.get(n), StandardCharsets.ISO_8859_1)))) {
                return false;
            }
        }
        return true;
    }

    private static String plain(String text) {
        return text.replaceAll("[^\\x01-\\x7e]", "");
    }

    private static List<byte[]> read(String file) {
        try {
            return KernelText.words(OWN.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException("read " + OWN.resolve(file) + ": " + e.getMessage(), e);
        }
    }

    /** The launcher gives the JVM a locale of its own, and says what the user's was: {@code =VALUE}, or nothing for none. */
    static List<byte[]> environment(List<byte[]> own) {
        List<String> all = new ArrayList<>(
                own.stream().map(one -> new String(one, StandardCharsets.ISO_8859_1)).toList());
        usersLocale(all).ifPresent(value -> {
            all.removeIf(one -> one.startsWith(USERS_LOCALE) || one.startsWith(LOCALE));
            if (!value.isEmpty()) {
                all.add(LOCALE + value.substring(1));
            }
        });
        return all.stream().map(one -> one.getBytes(StandardCharsets.ISO_8859_1)).toList();
    }

    private static Optional<String> usersLocale(List<String> environment) {
        return environment.stream().filter(one -> one.startsWith(USERS_LOCALE)).findFirst()
                .map(told -> told.substring(USERS_LOCALE.length()));
    }

    /** Note of the launcher about the user's LC_ALL: {@code =VALUE} or nothing for none; empty if it said nothing. */
    static Optional<byte[]> changedLocale() {
        return usersLocale(read("environ").stream().map(one -> new String(one, StandardCharsets.ISO_8859_1)).toList())
                .map(value -> value.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Gives a program that {@link ProcessBuilder} starts the user's locale. */
    public static void giveBack(Map<String, String> environment) {
        String told = environment.remove("BASCULE_USER_LC_ALL");
        if (told != null) {
            environment.remove("LC_ALL");
            if (!told.isEmpty()) {
                environment.put("LC_ALL", told.substring(1));
            }
        }
    }

    /**
     * Starts it.
     *
     * @throws dev.bascule.ffi.NativeException if it cannot be started
     */
    Process start() {
        return ProgramStart.start(words, environment(read("environ")));
    }
}
