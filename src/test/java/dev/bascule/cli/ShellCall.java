package dev.bascule.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Output, as bytes, and status of a script that called this program in a shell. */
public record ShellCall(int status, byte[] out, String err) {
    /**
     * Runs a script in which {@code bascule} stands for this program; its characters are bytes, and its folder is the working one.
     *
     * @param own the words that start this program
     */
    public static ShellCall run(Path folder, List<String> own, String locale, String script)
            throws IOException, InterruptedException {
        StringBuilder call = new StringBuilder("bascule() { ");
        own.forEach(word -> call.append('\'').append(word).append("' "));
        Path file = folder.resolve("try.sh");
        Files.writeString(file, call + "\"$@\"; }\n" + script + "\n", StandardCharsets.ISO_8859_1);
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        ProcessBuilder shell = new ProcessBuilder("sh", "try.sh").directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile()).redirectOutput(out.toFile()).redirectError(err.toFile());
        shell.environment().put("LC_ALL", locale);
        Process process = shell.start();
        if (!process.waitFor(100, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("did not end: " + Files.readString(err, StandardCharsets.ISO_8859_1));
        }
        return new ShellCall(process.exitValue(), Files.readAllBytes(out),
                Files.readString(err, StandardCharsets.ISO_8859_1));
    }

    /** Whole output as text. */
    public String text() {
        return new String(out, StandardCharsets.UTF_8);
    }
}
