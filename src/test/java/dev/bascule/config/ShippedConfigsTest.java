package dev.bascule.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ShippedConfigsTest {
    private static final Map<String, Field> KEYS = Field.values("", HardwareConfig.class);
    private static final Path PAGE = Path.of("src/site/markdown/hw-configs.md");

    private static Map<String, List<String>> documentedKeys() throws Exception {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        boolean inKeys = false;
        for (String line : Files.readAllLines(PAGE)) {
            inKeys = inKeys ? !line.startsWith("## ") : line.equals("## Keys");
            if (inKeys && line.startsWith("| `")) {
                List<String> cells = List.of(line.split("\\|", -1)).stream().map(String::strip).toList();
                rows.put(cells.get(1).replace("`", ""), cells);
            }
        }
        return rows;
    }

    @Test
    void thePageDocumentsEachKeyOfTheSchemaAndNoOther() throws Exception {
        assertThat(documentedKeys().keySet()).containsExactlyInAnyOrderElementsOf(KEYS.keySet());
    }

    @Test
    void thePageStatesTypeAndDefaultAndRangeOfTheSchema() throws Exception {
        Map<String, List<String>> rows = documentedKeys();
        for (Field key : KEYS.values()) {
            List<String> cells = rows.get(key.path());
            assertThat(cells.get(2)).as("type of %s", key.path()).isEqualTo(key.type().label());
            assertThat(cells.get(3)).as("default of %s", key.path())
                    .isEqualTo(key.required() ? "required" : key.fallback());
            assertThat(cells.get(4)).as("range of %s", key.path()).isEqualTo(range(key));
            assertThat(cells.get(5)).as("meaning of %s", key.path()).isNotBlank();
        }
    }

    private static String range(Field key) {
        return switch (key.type()) {
            case WORD -> "`loopback`, `rdma`, `pci`";
            case TEXT, LIST, SWITCH, NUMBER -> "";
            case CHOICE -> "`" + String.join("`, `", key.words()) + "`";
            case COUNT -> key.key().min() + " to " + key.max() + power(key);
            case BYTES -> Quantity.print(key.key().min(), Quantity.BYTE_UNITS) + " to "
                    + Quantity.print(key.max(), Quantity.BYTE_UNITS) + power(key);
            case DURATION, CONSTANT ->
                (key.key().min() == 0 ? "0" : Quantity.print(key.key().min(), Quantity.DURATION_UNITS))
                        + " to " + (key.max() % 60_000_000_000L == 0 ? "60 s" : "1 s");
            default -> throw new AssertionError(key);
        };
    }

    private static String power(Field key) {
        return key.key().powerOfTwo() ? ", power of two" : "";
    }

    /** A key that nobody reads promises what it does not do. */
    @Test
    void everyValueOfAConfigurationIsReadOutsideThisPackage() {
        JavaClasses main = new ClassFileImporter().importPath(Path.of("target/classes"));
        List<String> unread = new ArrayList<>();
        for (Class<?> record : List.of(HardwareConfig.class, HardwareConfig.Queues.class, HardwareConfig.Watchdog.class,
                HardwareConfig.Optimisations.class, HardwareConfig.Device.class, HardwareConfig.Enso.class,
                HardwareConfig.Rdma.class, CardConfig.Region.class, CardConfig.Register.class, CardConfig.Cores.class,
                CardConfig.Window.class, CardConfig.class, LinkConfig.class)) {
            for (RecordComponent component : record.getRecordComponents()) {
                String name = component.getName();
                boolean isRead = Stream
                        .concat(main.get(record).getMethod(name).getAccessesToSelf().stream(),
                                main.get(record).getField(name).getAccessesToSelf().stream())
                        .anyMatch(access -> access.getOriginOwner().equals(main.get(record))
                                ? !List.of(name, "<init>").contains(access.getOrigin().getName())
                                : !access.getOriginOwner().getName().startsWith("dev.bascule.report."));
                if (!isRead) {
                    unread.add(record.getSimpleName() + "." + component.getName());
                }
            }
        }
        assertThat(unread).isEmpty();
    }

    @Test
    void thePageListsEachConfidenceWord() throws Exception {
        String page = Files.readString(PAGE);
        for (Confidence confidence : Confidence.values()) {
            assertThat(page).contains("| `" + confidence.word() + "` |");
        }
    }

    @Test
    void thePageListsEachShippedFile() throws Exception {
        String page = Files.readString(PAGE);
        assertThat(HardwareConfigs.available()).isNotEmpty()
                .allSatisfy(name -> assertThat(page).contains("`" + name + ".yaml`"));
    }

    @Test
    void everyShippedFileStatesEveryKey() throws Exception {
        for (String name : HardwareConfigs.available()) {
            String text = Files.readString(Path.of("hw-configs", name + ".yaml"));
            HardwareConfig config = HardwareConfigs.load(name);
            boolean pci = config.kind() == DeviceKind.PCI;
            boolean rdma = config.kind() == DeviceKind.RDMA;
            List<String> names = KEYS.values().stream().filter(key -> switch (key.section()) {
                case "" -> !key.name().equals("timing") || config.kind() == DeviceKind.LOOPBACK;
                case "region", "cores" -> config.device().driver().equals("smartnic");
                case "doorbell", "window", "interrupt" -> false;
                case "enso" -> config.device().driver().equals("enso");
                case "device" -> pci;
                case "rdma" -> rdma;
                case "watchdog" -> !pci;
                default -> !pci && !rdma; // what a link of its own has and the loopback simulates
            }).map(Field::name).toList();
            assertThat(new TreeSet<>(names)).as(name)
                    .allSatisfy(key -> assertThat(text).containsPattern("(?m)^ *" + key + ":"));
        }
    }

    @Test
    void theLinksConstantsAreThoseTheLoopbackCanInject() throws Exception {
        // By name, because config lies below loopback and must not know it.
        Class<?> profile = Class.forName("dev.bascule.loopback.LinkProfile");
        assertThat(profile.getRecordComponents()).extracting(RecordComponent::getName)
                .containsExactlyElementsOf(Field.names(LinkConfig.class).stream().map(n -> n + "Nanos").toList());
    }

    @Test
    void loopbackInjectsNothing() {
        assertThat(HardwareConfigs.load("loopback").link().isZero()).isTrue();
    }

    @Test
    void pcieGen3StatesWhatItsSourcesStateAndHowSure() {
        LinkConfig link = HardwareConfigs.load("loopback-pcie-gen3").link();
        assertThat(link.mmioReadUc().nanos()).isEqualTo(750);
        assertThat(link.mmioReadUc().confidence()).isEqualTo(Confidence.SECOND_HAND);
        assertThat(link.msix().nanos()).isEqualTo(1600);
        assertThat(link.msix().confidence()).isEqualTo(Confidence.SECOND_HAND);
        assertThat(link.mmioWrite().confidence()).isEqualTo(Confidence.RECOLLECTION);
        assertThat(link.byName().values()).filteredOn(c -> c.nanos() != 0)
                .allSatisfy(c -> assertThat(c.source()).isNotBlank());
        assertThat(HardwareConfigs.load("loopback-pcie-gen3").watchdog().hardLimitNanos()).isEqualTo(20_000_000);
    }

    @Test
    void devicesSayWhereTheirDriverHasBeenSeen() {
        assertThat(HardwareConfigs.load("lab-edu").device().seenText()).startsWith("seen in the lab guest");
        assertThat(HardwareConfigs.load("corundum-au50").device().ids()).contains("1234:1001");
        assertThat(HardwareConfigs.available().stream().map(HardwareConfigs::load)
                .filter(config -> config.kind() == DeviceKind.PCI)).isNotEmpty()
                .noneMatch(config -> config.device().seen().equals("hardware"));
    }
}
