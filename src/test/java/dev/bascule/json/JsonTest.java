package dev.bascule.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class JsonTest {
    @Test
    void anObjectKeepsTheOrderOfItsKeys() {
        assertThat(Json.object().put("z", 1).put("a", true).put("m", "x").putNull("n")).asString()
                .isEqualTo("{\"z\":1,\"a\":true,\"m\":\"x\",\"n\":null}");
    }

    @Test
    void numbersAreWrittenInFull() {
        assertThat(Json.object().put("a", Long.MIN_VALUE).put("b", 0.5).put("c", 1e300)).asString()
                .isEqualTo("{\"a\":-9223372036854775808,\"b\":0.5,\"c\":1.0E300}");
    }

    @Test
    void nestingIsIndented() {
        assertThat(Json.object().put("a", Json.array().add(1).add(Json.object().put("b", 2.5)))
                .put("c", Json.object()).put("d", Json.array()).pretty()).isEqualTo("""
                        {
                          "a": [
                            1,
                            {
                              "b": 2.5
                            }
                          ],
                          "c": {},
                          "d": []
                        }
                        """);
    }

    @Test
    void whatJsonDemandsIsEscaped() {
        assertThat(Json.object().put("k\"", "\\ \" \n \r \t \u0000 \u001f / \u00e9 \u2028")).asString()
                .isEqualTo("{\"k\\\"\":\"\\\\ \\\" \\n \\r \\t \\u0000 \\u001f / \u00e9 \u2028\"}");
    }

    @Test
    void loneSurrogatesAreEscapedAndPairsAreNot() {
        String bridge = Character.toString(0x1F309);
        assertThat(Json.array().add(bridge)).extracting(a -> Json.object().put("x", a).toString())
                .isEqualTo("{\"x\":[\"" + bridge + "\"]}");
        assertThat(Json.object().put("x", bridge.substring(0, 1) + "a" + bridge.substring(1))).asString()
                .isEqualTo("{\"x\":\"\\ud83ca\\udf09\"}");
        assertThat(Json.object().put("x", bridge.substring(0, 1))).asString().isEqualTo("{\"x\":\"\\ud83c\"}");
    }

    @ParameterizedTest
    @ValueSource(doubles = { Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY })
    void whatIsNoNumberIsRefused(double value) {
        assertThatThrownBy(() -> Json.object().put("latency", value)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("latency");
        assertThatThrownBy(() -> Json.array().add(value)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void listsAndMapsBecomeArraysAndObjects() {
        assertThat(Json.object().put("a", Json.texts(List.of(1, "b"))).put("c", Json.object(Map.of("d", "e")))
                .put("f", Json.array(List.of(7L), n -> Json.object().put("n", n)))).asString()
                .isEqualTo("{\"a\":[\"1\",\"b\"],\"c\":{\"d\":\"e\"},\"f\":[{\"n\":7}]}");
    }

    @Test
    void whatIsNotKnownIsNull() {
        String absent = null;
        assertThat(Json.object().put("text", absent).putFigure("a", Double.NaN, true).putFigure("b", 3, true)
                .putFigure("c", 3, false).putFigure("d", 0.12345678, true)).asString()
                .isEqualTo("{\"text\":null,\"a\":null,\"b\":3,\"c\":3.0,\"d\":0.123457}");
    }

    @ParameterizedTest
    @CsvSource({ "REQUESTS_SERVED,requestsServed", "lost where,lostWhere", "p99.9 (us),p999Us", "sent,sent" })
    void aKeyIsMadeOfWords(String words, String key) {
        assertThat(Json.key(words)).isEqualTo(key);
    }

    @Test
    void aKeyTwiceIsRefused() {
        assertThatThrownBy(() -> Json.object().put("a", 1).put("a", 2)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a");
        assertThatThrownBy(() -> Json.object().putNull("a").put("a", 2)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anotherParserReadsBackWhatWasWritten() {
        StringBuilder all = new StringBuilder();
        for (char c = ' '; c < 0x17f; c++) {
            all.append(c == 0x7f || c >= 0x80 && c < 0xa0 ? ' ' : c);
        }
        String text = Json.object().put("text", all.toString()).put("n", 42).pretty();
        assertThat(new Load(LoadSettings.builder().build()).loadFromString(text))
                .isEqualTo(Map.of("text", all.toString(), "n", 42));
    }
}
