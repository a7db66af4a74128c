package dev.bascule.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.bascule.ffi.Signals;
import java.io.BufferedReader;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only another process shows: the library missing, and Ctrl-C. */
class RocksDbProcessTest {
    @TempDir
    Path scratch;

    /** Prints what keeps RocksDB from working. */
    public static final class ProblemMain {
        public static void main(String[] args) {
            System.out.println(RocksDbLibrary.problem().orElse("works"));
            try {
                RocksDbService.open(RocksDbSetup.standard(null, 1)).close();
            } catch (WorkloadException e) {
                System.out.println("refused: " + e.getMessage());
            }
        }
    }

    /** Opens a temporary database, says where, and waits. */
    public static final class WaitMain {
        public static void main(String[] args) throws Exception {
            RocksDbService service = RocksDbService.open(new RocksDbSetup(null, 1_000, 64, 1, 0.005, 100_000, 16));
            System.out.println(service.folder());
            System.in.read();
        }
    }

    private static String classPath(boolean withRocksDb) {
        String both = System.getProperty("java.class.path") + File.pathSeparator
                + System.getProperty("jdk.module.path", "") + File.pathSeparator + "target/classes" + File.pathSeparator
                + "target/test-classes";
        return Arrays.stream(both.split(File.pathSeparator))
                .filter(e -> !e.isEmpty() && (withRocksDb || !e.contains("rocksdbjni")))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private Process start(Class<?> main, boolean withRocksDb, String... options) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m", "--enable-native-access=ALL-UNNAMED", "-cp", classPath(withRocksDb)));
        command.addAll(List.of(options));
        command.add(main.getName());
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    @Test
    void withoutTheJavaLibraryTheMessageNamesTheAlternative() throws Exception {
        Process process = start(ProblemMain.class, false);
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(output).contains("rocksdbjni").contains("--workload spin").contains("refused: ");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void withoutTheNativeLibraryTheMessageSaysWhereItIsUnpacked() throws Exception {
        Path file = Files.createFile(scratch.resolve("not-a-folder"));
        Process process = start(ProblemMain.class, true, "-Djava.io.tmpdir=" + file);
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(output).contains("native library does not load").contains(file.toString())
                .contains("--workload spin");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void aTemporaryDatabaseIsGoneAfterCtrlC() throws Exception {
        assumeThat(RocksDbLibrary.problem()).isEmpty();
        Process process = start(WaitMain.class, true, "-Djava.io.tmpdir=" + scratch);
        try (BufferedReader reader = process.inputReader()) {
            Path folder = Path.of(reader.lines().filter(l -> l.contains("bascule-rocksdb-")).findFirst().orElseThrow());
            assertThat(folder).isNotEmptyDirectory();
            Signals.send(process.pid(), 2);
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(130);
            assertThat(folder).doesNotExist();
        } finally {
            process.destroyForcibly();
        }
    }
}
