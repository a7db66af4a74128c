package dev.bascule.model.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VectorLineTest {
    private final VectorLine line = VectorLine.parse(
            "{\"op\":\"x\",\"n\":5,\"h\":\"0xfFffffffffffffff\",\"f\":true,\"d\":\"0a1x\",\"bad\":\"0xg\",\"z\":null}",
            3);

    @Test
    void fieldsAreReadByKind() {
        assertThat(line.op()).isEqualTo("x");
        assertThat(line.number()).isEqualTo(3);
        assertThat(line.number("n")).isEqualTo(5);
        assertThat(line.number("h")).isEqualTo(-1);
        assertThat(line.flag("f")).isTrue();
        assertThat(line.flag("missing", true)).isTrue();
        assertThat(line.has("z")).isTrue();
        assertThat(line.hex("d").bytes()).containsExactly(0x0a, 0x10);
        assertThat(line.hex("d").mask()).containsExactly(0xFF, 0xF0);
    }

    @Test
    void aWrongFieldNamesLineAndField() {
        assertThatThrownBy(() -> line.text("missing")).isInstanceOf(VectorFormatException.class)
                .hasMessage("line 3: field 'missing' is missing");
        assertThatThrownBy(() -> line.text("n")).hasMessage("line 3: field 'n' is not a string");
        assertThatThrownBy(() -> line.flag("n")).hasMessage("line 3: field 'n' is not true or false");
        assertThatThrownBy(() -> line.number("f")).hasMessage("line 3: field 'f' is not a number");
        assertThatThrownBy(() -> line.number("bad")).hasMessage("line 3: field 'bad' is not a hex number of 64 bits");
        assertThatThrownBy(() -> line.number("n", 6, 9)).hasMessage("line 3: field 'n' is 5, not between 6 and 9");
        assertThatThrownBy(() -> line.hex("op")).hasMessage("line 3: field 'op' has half a byte");
        assertThatThrownBy(() -> line.hex("bad")).hasMessageContaining("line 3: field 'bad'");
    }

    @Test
    void blankLinesCountAndAreSkipped() throws IOException {
        List<String> seen = new ArrayList<>();
        VectorLine.forEach(new BufferedReader(new StringReader("{\"op\":\"a\"}\n\n  \n{\"op\":\"b\"}")),
                l -> seen.add(l.number() + l.op()));
        assertThat(seen).containsExactly("1a", "4b");
    }

    @Test
    void aLineThatIsNoObjectIsRefused() {
        assertThatThrownBy(() -> VectorLine.parse("[1]", 9)).hasMessage("line 9: expected an object");
    }
}
