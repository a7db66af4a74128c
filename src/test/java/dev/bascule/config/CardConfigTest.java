package dev.bascule.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a card's region lies, as files say it. */
class CardConfigTest {
    private static final String CARD = "kind: pci\ndevice: {ids: \"1234:ba5c\", driver: smartnic, seen: lab}\n";

    private static HardwareConfig read(String text) {
        return HardwareConfigs.parse("my.yaml", "my", text);
    }

    private static List<String> problemsOf(String text) {
        ConfigException e = catchThrowableOfType(ConfigException.class, () -> read(text));
        assertThat(e).as("must be refused:\n%s", text).isNotNull();
        return e.problems().stream().map(ConfigProblem::toString).toList();
    }

    @Test
    void everyKeyReachesItsOwnField() {
        CardConfig card = read(
                CARD + """
                        region: {device: "03:00.0", bar: 4, offset: 0x10000, length: 8 MiB, hostMemory: iova, vectors: 8}
                        doorbell: {bar: 1, offset: 0x40, width: 4, value: 0x80000000, stride: 8, step: 1}
                        cores: {memory: device, path: /dev/mem, argument: x, bar: 3, offset: 0x8_0000_0000, length: 8 MiB, cached: false}
                        window: {path: /dev/mem, offset: 0x9000000000, length: 512 GiB, base: 0x100}
                        interrupt: {path: /dev/mem, offset: 0x1000, width: 8, value: 5, stride: 16, step: 2}
                        """)
                .card();
        assertThat(card.region()).isEqualTo(new CardConfig.Region("03:00.0", 4, 0x10000, 8 << 20, false, 8));
        assertThat(card.doorbell())
                .isEqualTo(new CardConfig.Doorbell(1, new CardConfig.Register(0x40, 4, 0x8000_0000L, 8, 1)));
        assertThat(card.cores()).isEqualTo(new CardConfig.Cores(CardConfig.Memory.DEVICE, "/dev/mem", "x", 3,
                0x8_0000_0000L, 8 << 20, false));
        assertThat(card.window()).isEqualTo(new CardConfig.Window("/dev/mem", 0x90_0000_0000L, 512L << 30, 0x100));
        assertThat(card.interrupt())
                .isEqualTo(new CardConfig.Interrupt("/dev/mem", new CardConfig.Register(0x1000, 8, 5, 16, 2)));
    }

    @Test
    void oneThatSaysNothingIsTheWholeOfBarTwoWithHostMemoryByItsAddress() {
        CardConfig card = read(CARD).card();
        assertThat(card.region()).isEqualTo(new CardConfig.Region("", 2, 0, 0, false, 64));
        assertThat(card.doorbell().register().exists()).isFalse();
        assertThat(card.cores().memory()).isEqualTo(CardConfig.Memory.NONE);
        assertThat(card.window().exists()).isFalse();
    }

    @Test
    void whatTheKernelMapsUncachedIsNeverCached() {
        assertThat(read(CARD + "region: {hostMemory: bar}\ncores: {memory: uio, path: /dev/uio0}\n").card().cores()
                .cached())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            region: {offset: 0x800}                          | 3:18: 'region.offset' is 0x800; it must be whole pages of 4096 bytes
            region: {length: 5000 B}                         | 3:18: 'region.length' is 0x1388; it must be whole pages of 4096 bytes
            region: {bar: 6}                                 | 3:15: 'bar' is out of range: 6; from 0 to 5
            region: {hostMemory: there}                      | 3:22: 'hostMemory' cannot be 'there'; one of iova, bar
            region: {offset: -1}                             | 3:18: 'offset' is out of range: -1; from 0 to 9223372036854775807
            region: {offset: 1.5}                            | 3:18: 'offset' takes a whole number, decimal or hexadecimal (0x1000), found '1.5'
            region: {offset: 0x1_0000_0000_0000_0000}        | 3:18: 'offset' is out of range: 0x1_0000_0000_0000_0000
            doorbell: {offset: 0x40}                         | 3:20: 'doorbell' has no width, so there is none; add width: 4, or leave 'doorbell' out
            doorbell: {width: 3}                             | 3:19: 'width' cannot be '3'; one of none, 1, 2, 4, 8
            doorbell: {width: 4, offset: 2}                  | 3:30: 'doorbell.offset' must be a multiple of its width, 4 bytes
            doorbell: {width: 2, value: 0x10000}             | 3:29: 'doorbell.value' does not fit into 2 bytes
            region: {length: 4 MB}                           | 3:18: 'length': unknown unit 'MB'; one of B, KiB, MiB, GiB
            region: {length: 65 GiB}                         | 3:18: 'length' is out of range: 65 GiB; from 0 B to 64 GiB
            doorbell: {bar: 2, width: 4}                     | 3:27: the doorbell lies in the region's BAR, which is mapped write-combining as a whole, what no register bears; set optimisations.writeCombining: false
            cores: {memory: file}                            | 3:17: 'cores.path' is missing: the file
            cores: {memory: uio, path: /dev/uio0, cached: true} | 3:47: the kernel maps what is behind uio uncached; set cached: false, or use cores.memory: device
            interrupt: {width: 4}                            | 3:20: 'interrupt.path' is missing: the file that maps the register, such as /dev/mem
            window: {base: 4}                                | 3:16: 'window' needs a path and a length: the file that maps it, and how much of it there is
            """)
    void mistakesAreShownWithTheirPlace(String line, String expected) {
        assertThat(problemsOf(CARD + line + "\n")).anyMatch(problem -> problem.equals("my.yaml:" + expected));
    }

    @Test
    void aWindowAndHostMemoryInTheBarExcludeEachOther() {
        assertThat(problemsOf(CARD + "region: {hostMemory: bar}\nwindow: {path: /dev/mem, length: 4 KiB}\n"))
                .containsExactly(
                        "my.yaml:4:16: 'window' is for region.hostMemory: iova; with bar the cores find host memory"
                                + " in the card's");
    }

    @Test
    void coresThatSeeTheirMemoryOnlyNeedAWindowOnTheHosts() {
        assertThat(problemsOf(CARD + "cores: {memory: device, path: /dev/mem, length: 4 MiB}\n"))
                .containsExactly(
                        "my.yaml:3:17: host memory is offered by its device address, and the cores have no window"
                                + " on it; add 'window', or set region.hostMemory: bar");
    }

    @Test
    void aDoorbellInTheRegionsBarIsFineWhereThatIsUncached() {
        assertThat(
                read(CARD + "doorbell: {bar: 2, width: 4}\noptimisations: {writeCombining: false}\n").card().doorbell()
                        .bar())
                .isEqualTo(2);
    }

    @Test
    void theExampleOfThePageIsOne() throws Exception {
        String page = Files.readString(Path.of("src/site/markdown/any-pci-bar.md"));
        String yaml = page.substring(page.indexOf("```yaml") + 8);
        CardConfig card = read(yaml.substring(0, yaml.indexOf("```"))).card();
        assertThat(card.cores().offset()).isEqualTo(0x8_0000_0000L);
        assertThat(card.window().lengthBytes()).isEqualTo(1L << 30);
        assertThat(card.interrupt().register().exists()).isTrue();
    }

    @Test
    void aRegionIsForTheDriverThatKnowsIt() {
        assertThat(problemsOf("kind: loopback\nregion: {bar: 1}\n"))
                .containsExactly("my.yaml:2:15: 'region.bar' is for kind pci with device.driver: smartnic");
        assertThat(problemsOf(
                "kind: pci\ndevice: {ids: \"1af4:1041\", driver: virtio, seen: lab}\ncores: {cached: true}\n"))
                .containsExactly("my.yaml:3:17: 'cores.cached' is for kind pci with device.driver: smartnic");
    }
}
