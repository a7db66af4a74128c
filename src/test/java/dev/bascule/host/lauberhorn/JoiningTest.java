package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.UnixSocket;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
