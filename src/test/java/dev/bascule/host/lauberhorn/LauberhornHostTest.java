package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.NativeException;
import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.NicAddress;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A host that cannot start, and one whose NIC fails. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LauberhornHostTest {
    private static final NicAddress ADDRESS = NicAddress.of(Rig.MAC, Rig.IPV4);

    @TempDir
    private Path folder = Path.of("");

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .filter(name -> name.matches("nic|bypass|core-[0-9]+|lauberhorn-process")).sorted().toList();
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(one -> named(one).matches(".*(eventfd|memfd).*")).count();
        }
    }

    private static String named(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    @ParameterizedTest(name = "{0} cores")
    @ValueSource(ints = { 1, 2, 4 })
    void aHostThatCannotListenLeavesNothing(int cores) throws IOException {
        Path deep = Files.createDirectories(folder.resolve("d".repeat(120)));
        LauberhornConfig config = LauberhornConfig.DEFAULT.withMachine(cores, 16, 4);
        List<String> before = threads();
        long open = descriptors();
        WireEnd wire = Cables.cross().getFirst();
        assertThatThrownBy(() -> LauberhornHost.start(config, ADDRESS, wire,
                LauberhornOptions.DEFAULT.withDirectory(deep))).isInstanceOfAny(NativeException.class,
                        IllegalArgumentException.class);
        assertThat(threads()).isEqualTo(before);
        assertThat(descriptors()).isEqualTo(open);
    }

    /** A bug of the model, played by a wire: who asks the NIC afterwards hears of it at once, and the end comes. */
    @Test
    void aNicThatFailedIsToldToWhoAsksIt() {
        WireEnd bad = (WireEnd) Proxy.newProxyInstance(WireEnd.class.getClassLoader(), new Class<?>[] { WireEnd.class },
                (proxy, method, arguments) -> {
                    throw new IllegalStateException("planted");
                });
        try (LauberhornHost host = LauberhornHost.start(LauberhornConfig.DEFAULT, ADDRESS, bad,
                LauberhornOptions.DEFAULT)) {
            assertThatThrownBy(host::inUse).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the NIC's thread has ended").hasStackTraceContaining("planted");
        }
    }
}
