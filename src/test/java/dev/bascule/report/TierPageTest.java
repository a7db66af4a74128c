package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TierPageTest {
    private static final long MIB = 1 << 20;

    private static TierPage.Moment moment(int second, int fastMib, int touches, int slow, long operations) {
        return new TierPage.Moment(second, 100 * MIB, fastMib * MIB, touches, slow, operations);
    }

    @Test
    void drawsMemoryWhatItServedAndThroughputFromZeroOn() {
        String page = TierPage.html("Tiering", "fast <memory>", true, List.of(moment(0, 100, 0, 0, 0),
                moment(1, 80, 100, 0, 1000), moment(2, 0, 300, 50, 1500)));
        assertThat(page).contains("fast &lt;memory&gt;", "Measured", "in fast memory: 80 at 1",
                "in fast memory: 0 at 2",
                "in memory: 100 at 2", "in fast memory: 100 at 1", "in fast memory: 75 at 2",
                "operations/s: 1,000 at 1",
                "operations/s: 500 at 2");
        Matcher ticks = Pattern.compile("class=\"tick\"[^>]*>0<").matcher(page);
        assertThat(ticks.results().count()).as("both axes of three drawings begin at 0").isEqualTo(6);
    }

    @Test
    void withoutOperationsAndTouchesThereIsNothingToDrawOfThem() {
        String page = TierPage.html("Tiering", "", false, List.of(moment(0, 100, 0, 0, -1), moment(1, 80, 0, 0, -1)));
        assertThat(page).doesNotContain("Throughput").contains("none was moved out", "nothing was sampled");
    }
}
