package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CpuSetTest {
    @Test
    void numbersAndRangesAreReadInTheirOrder() {
        assertThat(CpuSet.parse("--cpus", "0-3,8\n")).containsExactly(0, 1, 2, 3, 8);
        assertThat(CpuSet.parse("--cpus", "5,1")).containsExactly(5, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "a", "3-1", "-1", "1-", "0,,2", "99999" })
    void whatIsNoListIsRefusedWithTheForm(String text) {
        assertThatThrownBy(() -> CpuSet.parse("--cpus", text)).isInstanceOf(Misuse.class)
                .hasMessageContaining("as 0-3,8");
    }
}
