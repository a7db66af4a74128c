package dev.bascule.model.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventStreamTest {
    private final EventStream stream = new EventStream("writes");
    private final List<String> differences = new ArrayList<>();

    @Test
    void equalStreamsDoNotDiffer() {
        stream.expect(1, "a", HexPattern.parse("01x2"));
        stream.happened("a", new byte[] { 0x01, 0x72 });
        stream.expect(2, "b");
        stream.happened("b");
        stream.settle(3, differences::add);
        assertThat(differences).isEmpty();
    }

    @Test
    void eachKindOfDifferenceIsNamedWithItsLine() {
        stream.expect(1, "a", HexPattern.parse("0102"));
        stream.happened("a", new byte[] { 1, 3 });
        stream.expect(2, "b");
        stream.happened("c");
        stream.expect(3, "d", HexPattern.parse("00"));
        stream.happened("d", new byte[2]);
        stream.expect(4, "e");
        stream.settle(9, differences::add);
        assertThat(differences).containsExactly("line 1: writes: a: byte 1: expected 02, got 03",
                "line 2: writes: expected b, got c", "line 3: writes: d: expected 1 bytes, got 2",
                "line 4: writes: missing e");
    }

    @Test
    void surplusIsReportedAndForgotten() {
        stream.happened("a");
        stream.settle(5, differences::add);
        stream.settle(6, differences::add);
        assertThat(differences).containsExactly("line 5: writes: unexpected a");
    }
}
