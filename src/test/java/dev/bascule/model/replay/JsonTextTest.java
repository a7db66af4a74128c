package dev.bascule.model.replay;

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

class JsonTextTest {
    @Test
    void readsEveryKindOfValue() {
        Object value = JsonText.parse(
                " {\"a\": 1, \"b\":[true,false,null,-2.5e1],\"c\":{\"d\":\"x\"},\"e\":[],\"f\":{}} ", 1);
        assertThat(value).isInstanceOfSatisfying(Map.class, map -> {
            assertThat(new ArrayList<Object>(map.keySet())).isEqualTo(List.of("a", "b", "c", "e", "f"));
            assertThat(map.get("a")).isEqualTo(1L);
            assertThat(map.get("b")).isEqualTo(Arrays.asList(true, false, null, -25.0));
            assertThat(map.get("c")).isEqualTo(Map.of("d", "x"));
        });
    }

    @Test
    void readsEscapes() {
        assertThat(JsonText.parse("\"a\\n\\t\\\"\\\\\\/\\u00e9\\b\\f\\r\"", 1)).isEqualTo("a\n\t\"\\/é\b\f\r");
    }

    @Test
    void readsTheWholeRangeOfLong() {
        assertThat(JsonText.parse("9223372036854775807", 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(JsonText.parse("-9223372036854775808", 1)).isEqualTo(Long.MIN_VALUE);
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]", "01", "1.", "+1",
            "tru",
            "nul", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "{\"a\":1}{", "{\"a\":1,\"a\":2}", "{a:1}", "'a'",
            "9223372036854775808", "NaN", "\"a\tb\"", "\"\\n\tb\"", "\"\\", "-", "1e", "--1" })
    void refusesWhatIsNotJson(String text) {
        assertThatThrownBy(() -> JsonText.parse(text, 7)).isInstanceOf(VectorFormatException.class)
                .hasMessageStartingWith("line 7: column ");
    }

    @Test
    void refusesDeepNesting() {
        assertThatThrownBy(() -> JsonText.parse("[".repeat(100_000), 1)).isInstanceOf(VectorFormatException.class)
                .hasMessageContaining("less nesting");
    }

    @Test
    void anyTextGivesAValueOrAFormatException() {
        Random random = new Random(11);
        String alphabet = "{}[]\",:0123456789.eE+-truefalsn\\u x\t";
        for (int i = 0; i < 100_000; i++) {
            StringBuilder text = new StringBuilder(i % 2 == 0 ? "{\"op\":" : "");
            for (int n = random.nextInt(12); n > 0; n--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            try {
                JsonText.parse(text.toString(), 1);
            } catch (VectorFormatException e) {
                assertThat(e).hasMessageStartingWith("line 1: column ");
            }
        }
    }
}
