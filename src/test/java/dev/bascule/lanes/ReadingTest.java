package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReadingTest {
    private static final String JSON = """
            {"rows":[{"row":"a","value":1.5,"ok":true},{"row":"b","value":2}],
             "by":{"wave":{"lost":0},"swap":{"lost":3}}}""";

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "exit is 0 | true", "exit is 1 | false", "rows[row=a].value is 1.5 | true",
            "rows[*].value at most 2 | true", "rows[*].value at most 1.9 | false", "rows[*].value at least 1.5 | true",
            "rows[row=b].value is 2.1 within 5 % | true", "rows[row=b].value is 2.2 within 5 % | false",
            "rows[row=b].value is 2.2 within 0.25 | true", "rows count is 1 | true", "rows[*] count is 2 | true",
            "by{*}.lost at most 3 | true", "by{*}.lost is 0 | false", "rows[row=a].ok is 1 | true",
            "rows[row=c].value is 0 | false", "rows[row=a].row is 0 | false",
    })
    void aValueHoldsOrNot(String reading, boolean holds) {
        assertThat(Reading.parse(reading).of(JSON, 0).holds()).isEqualTo(holds);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "text \"([\\d,]+) frames\" is 12000 | true", "text \"lost +(\\d+)\" is 0 | true",
            "text \"doubled +(\\d+)\" is 0 | false",
    })
    void aFigureOfATextHoldsOrIsNotThere(String reading, boolean holds) {
        assertThat(Reading.parse(reading).of("12,000 frames\nlost    0\n", 0).holds()).isEqualTo(holds);
    }

    @Test
    void whatIsNoJsonHoldsNothing() {
        assertThat(Reading.parse("rows count is 0").of("bascule: no", 1).holds()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "exit", "exit is good", "exit equals 0", "A1 | a | b | 1" })
    void whatIsNoReadingIsRefused(String line) {
        assertThatThrownBy(() -> Reading.parse(line)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = { "A1 | no command | W1 | 3 s\n  exit is 0\n", "A1 | nothing read | W1 | 3 s\n  $ true\n",
            "A1 no head\n" })
    void aClaimThatLacksAPartIsRefused(String file) {
        assertThatThrownBy(() -> Claim.parse(file)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void atLeastTwelveClaimsStandInTheFileEachWithANumberAndATimeThatAddUpToTenMinutes() throws Exception {
        Path base = Path.of(System.getProperty("bascule.baseDirectory", "."));
        List<Claim> claims = Claim.parse(Files.readString(base.resolve("src/build/claims.txt")));
        String specification = Files.readString(base.resolve("src/site/markdown/specification.md"));
        assertThat(claims).hasSizeGreaterThanOrEqualTo(12).extracting(Claim::id).doesNotHaveDuplicates();
        assertThat(claims.stream().mapToInt(Claim::seconds).sum()).isLessThanOrEqualTo(600);
        assertThat(claims).allSatisfy(claim -> {
            if (claim.promises().matches("[A-Z]\\d+(, [A-Z]\\d+)*")) {
                assertThat(claim.promises().split(", "))
                        .allSatisfy(number -> assertThat(specification).contains("| " + number + " |"));
            } else {
                assertThat(claim.promises()).startsWith("published: ");
            }
        });
    }
}
