package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class KernelTextTest {
    private static final Path PROC = Path.of("/proc");

    @TempDir
    private Path folder = Path.of("");

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** They end after the first read, so that one of a few bytes gives a part of a number. */
    @Test
    void aSettingOfTheKernelIsReadWhole() throws Exception {
        Process cat = new ProcessBuilder("cat", "/proc/sys/vm/max_map_count").start();
        assertThat(KernelText.read(Path.of("/proc/sys/vm/max_map_count")))
                .isEqualTo(new String(cat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                .hasSizeGreaterThan(3);
    }

    @Test
    void everyFileOfAProcessWithAllBytesInItsNamesIsReadAsItIs() throws Exception {
        Set<Integer> inComm = new TreeSet<>();
        try (HostileNames names = new HostileNames(folder)) {
            for (Process one : names.processes()) {
                Path own = PROC.resolve(Long.toString(one.pid()));
                String comm = KernelText.read(own.resolve("comm"));
                assertThat(comm).endsWith("\n").hasSize(16);
                comm.substring(0, 15).chars().forEach(inComm::add);
                assertThat(KernelText.statFields(KernelText.read(own.resolve("stat")))[1])
                        .isEqualTo(Long.toString(ProcessHandle.current().pid()));
                assertThat(KernelText.words(own.resolve("environ"))).containsExactly(HostileNames.variable());
                List<byte[]> words = KernelText.words(own.resolve("cmdline"));
                assertThat(words).hasSize(2);
                assertThat(words.get(1)).isEqualTo(ascii("1000"));
                String path = new String(words.getFirst(), StandardCharsets.ISO_8859_1);
                assertThat(KernelText.lines(own.resolve("maps")))
                        .anyMatch(line -> line.endsWith(path.replace("\n", "\\012")))
                        .allMatch(line -> line.matches("(?s)[0-9a-f]+-[0-9a-f]+ [r-][w-][x-][ps] .*"));
                assertThat(KernelText.lines(own.resolve("smaps"))).anyMatch(line -> line.startsWith("Referenced:"));
                assertThat(KernelText.lines(own.resolve("status"))).anyMatch(line -> line.startsWith("PPid:\t"));
            }
        }
        assertThat(inComm).as("byte values seen in names of processes").hasSize(254);
    }

    @Test
    void aLineEndsAtALineFeedOnly() {
        assertThat(KernelText.lines("a\rb\u0085c\u000bd\ne\r\n\nf")).containsExactly("a\rb\u0085c\u000bd", "e\r", "",
                "f");
        assertThat(KernelText.lines("")).isEmpty();
    }

    @Test
    void peopleReadUtf8WhereItIsThat() {
        assertThat(KernelText.shown("gr\u00c3\u00bc\u00c3\u009fe")).isEqualTo("grüße");
        assertThat(KernelText.shown("caf\u00e9")).isEqualTo("café");
    }

    @Test
    void aProgramGetsItsWordsAndEnvironmentAndEndsWithItsOwnStatus() throws Exception {
        Process ended = ProgramStart.start(List.of(ascii("sh"), ascii("-c"), ascii("test \"$X\" = y && exit $1"),
                ascii("sh"), ascii("7")), List.of(ascii("X=y"), ascii("PATH=/bin:/usr/bin")));
        assertThat(ended.waitFor()).isEqualTo(7);
        assertThat(ended.isAlive()).isFalse();
        Process killed = ProgramStart.start(List.of(ascii("sleep"), ascii("1000")), List.of());
        assertThat(killed.waitFor(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(killed.toHandle().pid()).isEqualTo(killed.pid());
        killed.destroy();
        assertThat(killed.waitFor()).isEqualTo(128 + 15);
        killed.destroyForcibly(); // its number may be another's by now
        assertThatThrownBy(() -> ProgramStart.start(List.of(ascii("no-such-program")), List.of()))
                .isInstanceOf(NativeException.class).hasMessageContaining("start no-such-program: ENOENT");
    }

    @Test
    void aProgramInheritsNoFileButTheStandardOnesAndNoBlockedSignal() throws Exception {
        try (Fd file = Libc.open("/dev/null", Linux.O_RDONLY); var other = Files.newInputStream(Path.of("/bin/sh"))) {
            Process process = ProgramStart.start(List.of(ascii("sleep"), ascii("1000")), List.of());
            try {
                Path own = PROC.resolve(Long.toString(process.pid()));
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                while (!own.resolve("exe").toRealPath().getFileName().toString().matches("sleep|coreutils|busybox")
                        || files(own).size() > 3 && System.nanoTime() < deadline) {
                    Thread.onSpinWait(); // it begins, and its loader still reads libraries
                }
                assertThat(files(own)).containsExactlyInAnyOrder("0", "1", "2");
                assertThat(blocked(PROC.resolve(Long.toString(process.pid()))))
                        .isEqualTo(blocked(PROC.resolve("self")));
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static List<String> files(Path process) throws IOException {
        try (var open = Files.list(process.resolve("fd"))) {
            return open.map(one -> String.valueOf(one.getFileName())).toList();
        }
    }

    private static String blocked(Path process) throws IOException {
        return KernelText.lines(process.resolve("status")).stream().filter(line -> line.startsWith("SigBlk:"))
                .findFirst().orElseThrow();
    }
}
