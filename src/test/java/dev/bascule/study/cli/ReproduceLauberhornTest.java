package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.Cli;
import dev.bascule.run.Errors;
import dev.bascule.json.JsonReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReproduceLauberhornTest {
    @TempDir
    Path folder;

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Map<String, Object> of, String key) {
        return (List<Map<String, Object>>) of.get(key);
    }

    @Test
    void oneDocumentWhoseFiguresSayWhereTheyAreFromAndPictures() throws Exception {
        Cli said = Cli.call("reproduce", "lauberhorn", "--quick", "--json", "--plots", folder.toString());
        assertThat(said.status()).as(said.err()).isZero();
        List<String> ids = new ArrayList<>();
        for (Map<String, Object> section : list(object(JsonReader.parse(said.out())), "sections")) {
            ids.add((String) section.get("id"));
            for (Map<String, Object> figure : list(section, "figures")) {
                String what = (String) figure.get("what");
                assertThat(figure.get("origin")).as(what).isIn("computed", "simulated", "measured");
                assertThat(figure.get("kind")).as(what).isIn("predicted", "computed", "calibrated", "chosen", "limit",
                        "measured");
                assertThat("measured".equals(figure.get("kind"))).as("%s: measured, so nothing is predicted", what)
                        .isEqualTo("measured".equals(figure.get("origin")));
                if (figure.get("value") == null) {
                    assertThat(figure.get("source")).as("%s: why not", what).asString().isNotBlank();
                } else {
                    assertThat(figure.get("value")).as(what).isInstanceOf(Number.class);
                }
                if (what.startsWith("Lauberhorn, 1 under way: memory transactions")) {
                    assertThat(((Number) figure.get("value")).doubleValue()).as("a line there and back").isBetween(2.0,
                            8.0);
                }
                if (what.startsWith("Corundum") && what.contains("memory transactions")) {
                    assertThat(((Number) figure.get("value")).doubleValue()).as(what).isGreaterThanOrEqualTo(4);
                }
                if (what.endsWith("each call answered once")) {
                    assertThat(((Number) figure.get("value")).doubleValue()).as(what).isEqualTo(1);
                }
            }
        }
        assertThat(ids).containsExactly("a", "b", "c", "d", "e");
        assertThat(Files.readString(folder.resolve("lauberhorn-sizes.svg"))).contains("ECI receive, published");
        assertThat(Files.readString(folder.resolve("lauberhorn-mix.svg"))).contains("bypass, spinning");
    }

    @Test
    void tablesAndInputsForPeople() {
        Cli said = Cli.call("reproduce", "lauberhorn", "--quick", "--no-live");
        assertThat(said.status()).as(said.err()).isZero();
        assertThat(said.out()).contains("(a) 64 bytes to a core and back", "(d) A dynamic mix", "published",
                "eci.receiveLine = 764 ns  [derived]", "hw-configs/costs/interconnects.yaml):").doesNotContain("(e) ");
    }

    @Test
    void aFileThatLacksAConstantIsRefusedWithItsName() throws Exception {
        Path bad = folder.resolve("bad.yaml");
        Files.writeString(bad, Files.readString(Path.of("hw-configs/costs/interconnects.yaml")).replace("  wakeUp:",
                "  wokenUp:"));
        Cli said = Cli.call("reproduce", "lauberhorn", "--costs", bad.toString());
        assertThat(said.status()).isEqualTo(Errors.FAILED);
        assertThat(said.err()).contains("bad.yaml", "wakeUp");
    }
}
