package dev.bascule.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {
    @Test
    void readsEveryKindOfValue() throws Exception {
        Object value = JsonReader.parse(
                " {\"a\": 1, \"b\":[true,false,null,-2.5e1],\"c\":{\"d\":\"x\"},\"e\":[],\"f\":{}} ");
        assertThat(value).isInstanceOfSatisfying(Map.class, map -> {
            assertThat(new ArrayList<Object>(map.keySet())).isEqualTo(List.of("a", "b", "c", "e", "f"));
            assertThat(map.get("a")).isEqualTo(1L);
            assertThat(map.get("b")).isEqualTo(Arrays.asList(true, false, null, -25.0));
            assertThat(map.get("c")).isEqualTo(Map.of("d", "x"));
        });
    }

    @Test
    void readsEscapes() throws Exception {
        assertThat(JsonReader.parse("\"a\\n\\t\\\"\\\\\\/\\u00e9\\b\\f\\r\"")).isEqualTo("a\n\t\"\\/é\b\f\r");
    }

    @Test
    void readsTheWholeRangeOfLong() throws Exception {
        assertThat(JsonReader.parse("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
        assertThat(JsonReader.parse("-9223372036854775808")).isEqualTo(Long.MIN_VALUE);
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]", "01", "1.", "+1",
            "tru",
            "nul", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u00e\uff19\"", "{\"a\":1}{", "{\"a\":1,\"a\":2}",
            "{a:1}", "'a'",
            "9223372036854775808", "NaN", "\"a\tb\"", "\"\\n\tb\"", "\"\\", "-", "1e", "--1" })
    void refusesWhatIsNotJson(String text) {
        assertThatThrownBy(() -> JsonReader.parse(text)).isInstanceOf(JsonFormatException.class)
                .hasMessageStartingWith("column ");
    }

    @Test
    void refusesDeepNesting() {
        assertThatThrownBy(() -> JsonReader.parse("[".repeat(100_000))).isInstanceOf(JsonFormatException.class)
                .hasMessageContaining("less nesting");
    }

    @Test
    void anyTextGivesAValueOrAFormatException() throws Exception {
        Random random = new Random(11);
        String alphabet = "{}[]\",:0123456789.eE+-truefalsn\\u x\t";
        for (int i = 0; i < 100_000; i++) {
            StringBuilder text = new StringBuilder(i % 2 == 0 ? "{\"op\":" : "");
            for (int n = random.nextInt(12); n > 0; n--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            try {
                JsonReader.parse(text.toString());
            } catch (JsonFormatException e) {
                assertThat(e).hasMessageStartingWith("column ");
            }
        }
    }
}
