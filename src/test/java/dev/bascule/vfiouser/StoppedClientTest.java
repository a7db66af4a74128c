package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.ProbeModel;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.Signals;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client whose process was stopped does not hold its own absence against the server. */
@Tag("process")
@Timeout(120)
class StoppedClientTest {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long STOPPED_NANOS = 2 * LIMIT_NANOS;

    @TempDir
    private Path folder = Path.of("");

    /** The client: its device is at the path that it is given; it asks when it is told to. */
    static final class Client {
        public static void main(String[] words) throws Exception {
            try (VfioUserDevice device = VfioUserDevice.open(Path.of(words[0]),
                    VfioUserOptions.DEFAULT.withTimeoutNanos(LIMIT_NANOS))) {
                System.out.println("open");
                System.in.read();
                System.out.println(device.config().read16(0) == device.info().vendorId() ? "answered" : "wrong");
            }
        }
    }

    /** Stopped before the answer, in the middle of its header, and in the middle of what it says. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 8, 20 })
    void anAnswerThatComesWhenTheClientGoesOnIsInTime(int bytesBefore) throws Exception {
        try (VfioUserServer right = VfioUserServer.serve(new ProbeModel(), folder.resolve("right"), event -> {});
                SlowServer slow = SlowServer.before(right.path(), folder.resolve("slow"))) {
            Process client = start();
            try (BufferedReader said = client.inputReader(StandardCharsets.UTF_8)) {
                assertThat(said.readLine()).isEqualTo("open");
                slow.setHeldAfter(bytesBefore);
                slow.setHeld(true);
                client.getOutputStream().write('\n');
                client.getOutputStream().flush();
                await(slow::isHolding);
                Signals.send(client.pid(), Linux.SIGSTOP);
                long stopped = System.nanoTime();
                await(() -> System.nanoTime() - stopped > STOPPED_NANOS);
                Signals.send(client.pid(), Linux.SIGCONT);
                slow.setHeld(false);
                assertThat(said.readLine()).as(Files.readString(folder.resolve("err"))).isEqualTo("answered");
                assertThat(client.waitFor()).isZero();
            } finally {
                client.destroyForcibly();
            }
        }
    }

    private Process start() throws Exception {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Client.class.getName(), folder.resolve("slow").toString())
                .redirectError(folder.resolve("err").toFile()).start();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }
}
