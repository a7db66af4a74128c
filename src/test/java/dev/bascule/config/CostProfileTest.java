package dev.bascule.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CostProfileTest {
    private static final Path SHIPPED = Path.of("hw-configs/costs/published.yaml");
    private static String text = "";

    @BeforeAll
    static void read() throws Exception {
        text = Files.readString(SHIPPED);
    }

    @Test
    void theShippedProfileIsCompleteAndEveryFigureHasASource() {
        CostProfile profile = CostProfiles.load("published");
        assertThat(List.copyOf(profile.constants().keySet())).hasSizeGreaterThan(40).isEqualTo(
                Field.values("", CostKeys.Costs.class).keySet().stream().filter(path -> path.contains(".")).toList());
        assertThat(profile.constants().values()).allSatisfy(c -> assertThat(c.source()).isNotBlank());
        assertThat(profile.nanos("link.mmioReadUc")).isEqualTo(750);
        assertThat(profile.nanos("hostAgent.restart")).as("20 ms").isEqualTo(20_000_000);
        assertThat(profile.value("link.dmaBandwidth")).isEqualTo(12e9);
    }

    @Test
    void aProfileWrittenAsAFileIsReadAsTheSame(@TempDir Path folder) throws Exception {
        CostProfile fitted = CostProfiles.load("published").calibrated("hostAgent.decision", 1_234.4,
                "fitted to a \"row\"");
        Path file = Files.writeString(folder.resolve("published.yaml"), fitted.yaml());
        CostProfile again = CostProfiles.load(file.toString());
        assertThat(again.constants().get("hostAgent.decision")).isEqualTo(new CostConstant("hostAgent.decision", 1_234,
                "1234 ns", "fitted to a 'row'", Confidence.CALIBRATED));
        assertThat(again.yaml()).isEqualTo(fitted.yaml());
    }

    @Test
    void theFileThatANameStandsForIsSaid(@TempDir Path folder) throws Exception {
        assertThat(Path.of(CostProfiles.file("published")).toRealPath()).isEqualTo(SHIPPED.toRealPath());
        assertThat(CostProfiles.file("published.yaml")).isEqualTo(CostProfiles.file("published"));
        Path own = Files.writeString(folder.resolve("published.yaml"), text);
        assertThat(CostProfiles.file(own.toString())).isEqualTo(own.toString());
        assertThat(CostProfiles.load(own.toString()).name()).as("a name alone does not tell").isEqualTo("published");
        assertThat(CostProfiles.file("nowhere")).isEqualTo("jar:hw-configs/costs/nowhere.yaml");
    }

    @Test
    void derivedFiguresAreWhatTheirSourcesSay() {
        CostProfile p = CostProfiles.load("published");
        assertThat(p.nanos("kernel.message") + p.nanos("link.coherentLine")).isEqualTo(265);
        assertThat(p.nanos("kernel.commit") + p.nanos("kernel.contextSwitch")).isEqualTo(888);
        assertThat(p.nanos("kernel.interprocessor") + p.nanos("link.coherentLine") + p.nanos("kernel.commit")
                + p.nanos("kernel.contextSwitch")).isEqualTo(1064);
        assertThat(p.nanos("link.postedWrite") * 2).isEqualTo(p.nanos("link.mmioReadUc"));
    }

    @Test
    void aMissingConstantIsRefusedWithItsPlace() {
        refuse(text.replaceFirst("(?s)  entry:.*?(?=  contextSwitch)", ""), "kernel' lacks 'entry'", 8);
    }

    @Test
    void aNegativeConstantIsRefusedWithItsPlace() {
        refuse(text.replaceFirst("value: 72", "value: -72"), "not negative", lineOf("value: 72"));
    }

    @Test
    void aConstantWithoutUnitIsRefused() {
        refuse(text.replaceFirst("    unit: ns\n", ""), "lacks 'unit'", lineOf("value: 72"));
        refuse(text.replaceFirst("unit: ns", "unit: parsec"), "has the unit 'parsec'", lineOf("value: 72") + 1);
        refuse(text.replaceFirst("unit: ns", "unit: ''"), "has the unit ''", lineOf("value: 72") + 1);
    }

    @Test
    void aPlainNumberIsNoConstant() {
        refuse(text.replaceFirst("(?s)  entry:\n.*?(?=  contextSwitch)", "  entry: 72\n"),
                "must give value, unit, source and confidence", lineOf("entry:"));
    }

    @Test
    void wrongWordsAreNamedWithWhatWasMeant() {
        refuse(text.replaceFirst("contextSwitch", "contextSwich"), "did you mean 'contextSwitch'?",
                lineOf("contextSwitch:"));
        refuse(text.replaceFirst("confidence: second-hand", "confidence: sure"), "unknown confidence 'sure'",
                lineOf("value: 72") + 3);
        refuse(text.replaceFirst("value: 72", "value: many"), "expected a number", lineOf("value: 72"));
        refuse(text.replaceFirst("source: \"ghOSt[^\n]*", "source: ''"), "has an empty source",
                lineOf("value: 72") + 2);
    }

    @Test
    void otherKindsOfFilesAreRefused() {
        refuse("kind: loopback\n", "begins with 'kind: costs'", 1);
        refuse("", "must hold keys", 1);
        refuse("kind: [", "not YAML", 1);
    }

    @Test
    void aProfileThatIsNotThereNamesTheFolder() {
        assertThatThrownBy(() -> CostProfiles.load("nowhere")).isInstanceOf(ConfigException.class)
                .hasMessageContaining("nowhere").hasMessageContaining("hw-configs/costs");
    }

    @Test
    void aChangedConstantSaysThatItWasChosen() {
        CostProfile changed = CostProfiles.load("published").with("link.msix", 700, "sweep");
        assertThat(changed.nanos("link.msix")).isEqualTo(700);
        assertThat(changed.constants().get("link.msix").confidence()).isEqualTo(Confidence.CHOSEN);
        assertThatThrownBy(() -> changed.with("link.msx", 1, "sweep")).hasMessageContaining("link.msx");
    }

    private static int lineOf(String part) {
        return (int) text.substring(0, text.indexOf(part)).lines().count();
    }

    private static void refuse(String changed, String message, int line) {
        assertThat(changed).isNotEqualTo(text);
        assertThatThrownBy(() -> CostProfiles.parse("my.yaml", "my", changed, CostKeys.Costs.class))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message).hasMessageMatching("(?s).*my\\.yaml:" + line + ":\\d+: .*");
    }
}
