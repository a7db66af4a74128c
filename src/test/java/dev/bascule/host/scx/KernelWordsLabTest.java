package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.ShellCall;
import dev.bascule.ffi.HostileNames;
import dev.bascule.ffi.SchedulingClass;
import dev.bascule.host.AgentProcess;
import dev.bascule.junit.ByTurns;
import dev.bascule.lab.Lab;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Words and environment of a ruled program: they are the user's, byte for byte, and its wrapper shows in neither. The summary counts
 * who came into the class and was not ruled.
 */
@Tag("scx")
class KernelWordsLabTest {
    private static final String ALL = new String(HostileNames.bytes('\''), StandardCharsets.ISO_8859_1);

    @TempDir
    private Path folder = Path.of("");

    /** Status of the program is its scheduling class, so one that was never ruled fails. */
    @ByTurns(of = 3, place = 2)
    @Test
    void wordsAndEnvironmentOfARuledProgramAreTheUsers() throws Exception {
        Lab.require();
        Files.writeString(folder.resolve("f"), "one two\n");
        Files.writeString(folder.resolve("program"), """
                touch begun
                until [ -e asked ]; do sleep 0.2; done
                read -r all </proc/self/stat
                printf '%s\\n' "$@" "$ALL" "${LC_ALL-none}" "${JAVA_HOME-none}"
                set -- $all
                exit ${41}
                """);
        ShellCall ran = besideAStranger("export ALL='" + ALL + "' BASCULE_USER_LC_ALL==de_DE JAVA_HOME=/another/jdk\n"
                + "bascule kernel --policy fifo --in-process -- sh ./program @f -- '${sys:user.home}' --quiet '' '"
                + ALL
                + "'");
        assertThat(ran.status()).as("SCHED_EXT; " + ran.err()).isEqualTo(7);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        expected.writeBytes("@f\n--\n${sys:user.home}\n--quiet\n\n".getBytes(StandardCharsets.UTF_8));
        expected.writeBytes((ALL + "\n" + ALL + "\n").getBytes(StandardCharsets.ISO_8859_1));
        expected.writeBytes("de_DE\n/another/jdk\n".getBytes(StandardCharsets.UTF_8));
        assertThat(ran.out()).as(ran.err()).isEqualTo(expected.toByteArray());
        assertThat(ran.err()).contains("; 1 times a thread came that nobody had asked for, and was not ruled");
    }

    /**
     * Runs the script, and lets a stranger into the class meanwhile: one that started later, as one that was there before is
     * refused by the kernel, which tells nobody.
     */
    private ShellCall besideAStranger(String script) throws Exception {
        List<String> own = new ArrayList<>(AgentProcess.ownCommand(Rule.flags(), List.of()));
        own.replaceAll(word -> word.equals(System.getProperty("java.class.path")) ? fromAnywhere(word) : word);
        FutureTask<@Nullable Void> asks = new FutureTask<>(() -> {
            Work.await("the program has begun", () -> Files.exists(folder.resolve("begun")));
            Process stranger = new ProcessBuilder("sleep", "600").start();
            try {
                SchedulingClass.set((int) stranger.pid(), SchedulingClass.EXT, 0);
            } finally {
                stranger.destroyForcibly();
                Files.createFile(folder.resolve("asked"));
            }
            return null;
        });
        Thread.ofPlatform().daemon().start(asks);
        ShellCall ran = ShellCall.run(folder, own, "C", script);
        asks.get();
        return ran;
    }

    private static String fromAnywhere(String classes) {
        return Stream.of(classes.split(File.pathSeparator)).map(one -> Path.of(one).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
