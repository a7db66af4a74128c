package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.json.JsonReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReproduceLauberhornTest {
    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return Errors.execute(line, arguments);
    }

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
        assertThat(run("reproduce", "lauberhorn", "--quick", "--json", "--plots", folder.toString())).as("%s", err)
                .isZero();
        List<String> ids = new ArrayList<>();
        for (Map<String, Object> section : list(object(JsonReader.parse(out.toString())), "sections")) {
            ids.add((String) section.get("id"));
            for (Map<String, Object> figure : list(section, "figures")) {
                String what = (String) figure.get("what");
                assertThat(figure.get("origin")).as(what).isIn("computed", "simulated", "measured");
                assertThat(figure.get("kind")).as(what).isIn("predicted", "calibrated", "chosen", "input");
                assertThat(figure.get("value")).as(what).isInstanceOf(Number.class);
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
        assertThat(run("reproduce", "lauberhorn", "--quick", "--no-live")).isZero();
        assertThat(out.toString()).contains("(a) 64 bytes to a core and back", "(d) A dynamic mix", "published",
                "eci.receiveLine = 764 ns  [derived]").doesNotContain("(e) ");
    }

    @Test
    void aFileThatLacksAConstantIsRefusedWithItsName() throws Exception {
        Path bad = folder.resolve("bad.yaml");
        Files.writeString(bad, Files.readString(Path.of("hw-configs/costs/interconnects.yaml")).replace("  wakeUp:",
                "  wokenUp:"));
        assertThat(run("reproduce", "lauberhorn", "--costs", bad.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("bad.yaml", "wakeUp");
    }
}
