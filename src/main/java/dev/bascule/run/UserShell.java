package dev.bascule.run;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * A command line of the user's, the value of an option, for the shell: a script of the bytes that he wrote, which gives back the
 * environment that he has. Thread rule: any thread.
 */
public final class UserShell {
    /** Options whose value a shell reads. */
    static final List<String> OPTIONS = List.of("--agent-command");

    private UserShell() {}

    /**
     * The words that run it with further arguments, in place of the shell.
     *
     * @param option one of {@link #OPTIONS}
     * @param decoded its value as the JVM took it
     * @param script a file that is written anew
     */
    static List<String> command(String option, String decoded, Path script) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        UserProgram.changedLocale().ifPresent(value -> {
            text.writeBytes(bytes("unset BASCULE_USER_LC_ALL LC_ALL\n"));
            if (value.length > 0) {
                text.writeBytes(bytes("export LC_ALL="));
                text.writeBytes(quoted(value));
                text.write('\n');
            }
        });
        text.writeBytes(bytes("exec "));
        text.writeBytes(UserProgram.optionValue(option, decoded));
        text.writeBytes(bytes(" \"$@\"\n"));
        try {
            if (!Files.exists(script)) {
                Files.createFile(script,
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            Files.write(script, text.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException("write " + option + " to " + script + ": " + e.getMessage(), e);
        }
        return List.of("sh", script.toString());
    }

    /** Without its {@code =}, in quotes. */
    private static byte[] quoted(byte[] value) {
        String text = new String(value, 1, value.length - 1, StandardCharsets.ISO_8859_1);
        return bytes("'" + text.replace("'", "'\\''") + "'");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
