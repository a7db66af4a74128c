package dev.bascule.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HardwareConfigsTest {
    @TempDir
    Path home;

    @BeforeEach
    void installTwo() throws Exception {
        Files.createDirectory(home.resolve("hw-configs"));
        Files.writeString(home.resolve("hw-configs/one.yaml"), "kind: loopback\n");
        Files.writeString(home.resolve("hw-configs/two.yaml"), "kind: loopback\nrdma: {port: 2}\n");
    }

    private HardwareConfig load(String name) {
        return HardwareConfigs.load(name, Optional.of(home));
    }

    @Test
    void aNameIsFoundInTheInstallation() {
        assertThat(load("two").rdma().port()).isEqualTo(2);
        assertThat(load("two.yaml").name()).isEqualTo("two");
        assertThat(load("hw-configs/two.yaml").name()).isEqualTo("two");
    }

    @Test
    void modelsAnswerAtOnceUnlessTheFileAsksForTheTimingOfRtl() throws Exception {
        Files.writeString(home.resolve("hw-configs/rtl.yaml"), "kind: loopback\ntiming: rtl\n");
        assertThat(load("one").timing()).isEqualTo(ModelTiming.IMMEDIATE);
        assertThat(load("rtl").timing()).isEqualTo(ModelTiming.RTL);
        Files.writeString(home.resolve("hw-configs/rtl.yaml"), "kind: loopback\ntiming: real\n");
        assertThatThrownBy(() -> load("rtl")).isInstanceOf(ConfigException.class).hasMessageContaining("timing")
                .hasMessageContaining("immediate, rtl");
    }

    @Test
    void aPathIsReadAsItIs() throws Exception {
        Path mine = Files.writeString(home.resolve("mine.yml"), "kind: loopback\nrdma: {port: 9}\n");
        HardwareConfig config = load(mine.toString());
        assertThat(config.rdma().port()).isEqualTo(9);
        assertThat(config.name()).isEqualTo("mine.yml");
    }

    @Test
    void anUnknownNameListsWhatIsInstalled() {
        assertThatThrownBy(() -> load("tow")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("no configuration 'tow'").hasMessageContaining("did you mean 'two'?")
                .hasMessageContaining("available: one, two");
    }

    @Test
    void withoutAnInstallationTheJarHasThemAndTheMessageSaysHowToNameOne() {
        assertThat(HardwareConfigs.load("loopback", Optional.empty()).name()).isEqualTo("loopback");
        assertThatThrownBy(() -> HardwareConfigs.load("loopbak", Optional.empty())).isInstanceOf(ConfigException.class)
                .hasMessageContaining(HardwareConfigs.HOME_VARIABLE).hasMessageContaining("did you mean 'loopback'?");
    }

    @Test
    void aPathThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> load("./nowhere/x.yaml")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("no such file: ./nowhere/x.yaml");
    }

    @Test
    void aFolderIsNoConfiguration() {
        assertThatThrownBy(() -> HardwareConfigs.read(home)).isInstanceOf(ConfigException.class)
                .hasMessageContaining("is a folder");
    }

    @Test
    void whatIsNotTextIsRefused() throws Exception {
        Path binary = Files.write(home.resolve("binary.yaml"), new byte[] { (byte) 0xff, (byte) 0xfe, 0 });
        assertThatThrownBy(() -> HardwareConfigs.read(binary)).isInstanceOf(ConfigException.class)
                .hasMessageContaining("not UTF-8");
    }

    @Test
    void aHugeFileIsRefusedUnread() throws Exception {
        Path huge = Files.write(home.resolve("huge.yaml"), new byte[(1 << 20) + 1]);
        assertThatThrownBy(() -> HardwareConfigs.read(huge)).isInstanceOf(ConfigException.class)
                .hasMessageContaining("1 MiB");
    }

    @Test
    void problemsNameTheFileAsTheUserDid() throws Exception {
        Path bad = Files.writeString(home.resolve("bad.yaml"), "kind: loopback\nx: 1\n");
        assertThatThrownBy(() -> load(bad.toString())).hasMessageStartingWith(bad + ":2:1: unknown key 'x'");
    }

    @Test
    void theInstalledFilesAreFoundFromTheClassesAlone() {
        assertThat(HardwareConfigs.available()).contains("loopback", "loopback-pcie-gen3");
    }
}
