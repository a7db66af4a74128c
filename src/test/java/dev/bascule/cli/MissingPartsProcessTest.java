package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.run.Errors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands of somebody without privileges, from a copy of the program without its native parts. */
@Tag("process")
@Timeout(300)
class MissingPartsProcessTest {
    @TempDir
    private static Path folder = Path.of("");

    @SuppressWarnings("NullAway.Init")
    private static OrdinaryUser user;

    @BeforeAll
    static void becomeSomebody() throws Exception {
        user = OrdinaryUser.in(folder).without("rocksdbjni");
    }

    /** Commands that need a native part, a part of the kernel, or a privilege, each without it. */
    @ParameterizedTest
    @CsvSource({ "run --quick --report none,rocksdbjni", "kernel -- true,scripts/build-native",
            "kernel --pid 1,'scripts/build-native|PID namespace'",
            "kernel --whole-machine,'scripts/build-native|PID namespace'",
            "tier --source damon -- true,'sudo|CONFIG_DAMON'",
            "tier --source page-idle -- true,'sudo|CONFIG_IDLE_PAGE'",
            "tier --to pageout -- true,CAP_SYS_NICE", "tier --pid 1 --source referenced --duration 1s,EACCES",
            "run --link rdma --quick --report none,'rdma|rocksdbjni'",
            "bind 0000:00:00.0,'modprobe|root|no such PCI function'",
            "unbind 0000:00:00.0,'unbind|no such PCI function'",
            "vfs 0000:00:00.0 --create 1,'SR-IOV|no such PCI function|root'",
            "'dpdk --eal ''--no-huge --no-pci --vdev=net_null0'' --forward net_null1',DPDK" })
    void oneLineSaysWhatIsMissing(String words, String named) throws Exception {
        Cli ended = user.run(words(words));
        assertThat(ended.err()).as(ended.out()).doesNotContain("bug in Bascule").doesNotContain("\tat ");
        assertThat(ended.status()).as(ended.err()).isEqualTo(Errors.FAILED);
        assertThat(ended.err().lines().filter(line -> line.startsWith("bascule: "))).as(ended.err()).singleElement()
                .asString().containsPattern(named);
    }

    /** A device may be looked at by everybody, as far as the kernel lets him. */
    @Test
    void whoMayNotOpenADeviceIsToldWhatCanBeSeenOfIt() throws Exception {
        Path devices = Path.of("/sys/bus/pci/devices");
        Assumptions.assumeTrue(Files.exists(devices.resolve("0000:00:00.0")),
                "this machine has no PCI function 00:00.0");
        Cli ended = user.run("probe", "0000:00:00.0");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(ended.out()).contains("0000:00:00.0");
    }

    private static String[] words(String line) {
        return Pattern.compile("'([^']*)'|(\\S+)").matcher(line).results()
                .map(word -> word.group(1) == null ? word.group(2) : word.group(1)).toArray(String[]::new);
    }

    @Test
    void aLibraryThatIsNotThereIsNamedWithItsCure() throws Exception {
        Path config = Files.copy(Path.of("hw-configs/loopback.yaml"), folder.resolve("loopback.yaml"));
        Cli ended = user.run("run", "--quick", "--report", "none", "--config", config.toString());
        assertThat(ended.status()).as(ended.err()).isEqualTo(Errors.FAILED);
        assertThat(ended.err()).contains("rocksdbjni", "scripts/run");
    }
}
