package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.UnixSocket;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.rpc.Signature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that go before they are there. */
class JoiningTest {
    private static final List<JavaService> SUMS = List.of(JavaService.of(Rig.Sums.class, new Rig.SumsObject()));

    @TempDir
    Path directory = Path.of(".");

    @Test
    void aProcessThatDiesBetweenItsHelloAndItsWelcomeIsNoProcess() {
        LauberhornConfig config = LauberhornConfig.DEFAULT.withMachine(1, 1, 1);
        try (Rig rig = new Rig(config, LauberhornOptions.DEFAULT.withDirectory(directory));
                Arena arena = Arena.ofConfined()) {
            byte[] hello = Greeting.hello("hasty", SUMS).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 20; i++) {
                try (UnixSocket socket = UnixSocket.connect(directory.resolve(ProcessServer.SOCKET),
                        UnixSocket.Type.MESSAGES)) {
                    socket.send(arena.allocateFrom(ValueLayout.JAVA_BYTE, hello));
                }
                rig.until(() -> rig.host.processes().isEmpty(), "the process to be gone");
            }
            rig.until(() -> joins(rig), "room for a process that stays");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void aProcessThatCutsItsLinesHarmsNobody(int others) {
        LauberhornConfig config = LauberhornConfig.DEFAULT.withMachine(1, 1 + others, 1);
        try (Rig rig = new Rig(config, LauberhornOptions.DEFAULT.withDirectory(directory));
                ServiceProcess bad = ServiceProcess.join(directory, "bad", SUMS,
                        () -> IdleStrategy.spinThenYield(100))) {
            for (int i = 0; i < others; i++) {
                rig.host.startProcess("other " + i, JavaService.empty(Rig.PROGRAM + 1 + i, 1));
            }
            assertThat(cutAll()).as("memory of lines that can be cut").isZero();
            assertThat(rig.call(1, SUMS.getFirst().signature(1), 40, 2)).isZero();
            for (int i = 0; i < others; i++) {
                assertThat(rig.call(Rig.PROGRAM + 1 + i, 1, 0, Signature.NULL, new long[0], 0)).isZero();
            }
            assertThat(rig.host.failure()).isNull();
            assertThat(bad.served()).isEqualTo(1);
        }
    }

    /** Cuts whatever lines this process has open, by name or descriptor, of which there are some; how many could be. */
    private long cutAll() {
        try (Stream<Path> named = Files.list(directory); Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            List<Path> lines = open.filter(JoiningTest::isOfLines).filter(Files::isRegularFile).toList();
            assertThat(lines).as("descriptors of lines, by the name of their memory").isNotEmpty();
            return Stream.concat(named.filter(Files::isRegularFile), lines.stream()).filter(JoiningTest::isCut).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isOfLines(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains("bascule-lines");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    private static boolean isCut(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(0);
            return channel.size() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** The NIC has room for one: none of those that died may keep it. */
    private static boolean joins(Rig rig) {
        try {
            return rig.host.startProcess("stays", SUMS).number() == 1;
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("all are there");
            return false;
        }
    }
}
