package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.models.Explorer;
import dev.bascule.swap.LineModel.Rule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The production accept rule against lines that arrive and are read in parts. */
class LineModelTest {
    @ParameterizedTest(name = "write-combining {0}, closes {1}, holds {2}, {3} epochs")
    @CsvSource({ "false,true,false,1", "true,true,false,1", "true,true,true,1", "true,false,false,2" })
    void noTornLineIsTakenIn(boolean combining, boolean closes, boolean holds, int epochs) {
        explore(combining, closes, holds, epochs);
    }

    @Tag("models")
    @ParameterizedTest(name = "write-combining {0}, closes {1}, holds {2}, {3} epochs")
    @CsvSource({ "false,true,false,2", "true,true,false,2" })
    void noTornLineIsTakenInAcrossEpochs(boolean combining, boolean closes, boolean holds, int epochs) {
        explore(combining, closes, holds, epochs);
    }

    private static void explore(boolean combining, boolean closes, boolean holds, int epochs) {
        Explorer.Result result = Explorer.run(new LineModel(Rule.PRODUCTION, combining, closes, holds, epochs),
                20_000_000);
        System.out.println("lines in parts: " + result);
        assertThat(result.holds()).as(result.toString()).isTrue();
    }

    /** Flag last fails once somebody reverses; one bit fails after a fence; without the digest HOLD and CLOSE fail. */
    @ParameterizedTest(name = "{0}, write-combining {1}, closes {2}, holds {3}, {4} epochs")
    @CsvSource({ "FLAG_LAST,false,false,false,1", "FLAG_LAST,true,false,false,1", "ONE_BIT,false,false,false,2",
            "TAGS_ONLY,true,true,false,1", "TAGS_ONLY,true,false,true,1" })
    void weakerRulesTakeTornLinesIn(Rule rule, boolean combining, boolean closes, boolean holds, int epochs) {
        Explorer.Result result = Explorer.run(new LineModel(rule, combining, closes, holds, epochs), 5_000_000);
        System.out.println(rule + ": " + result);
        assertThat(result.violated()).isNotNull();
    }

    /** As long as no two lines carry the same tag, the tags suffice: the digest is for HOLD, CLOSE and corruption. */
    @ParameterizedTest(name = "write-combining {0}")
    @CsvSource({ "false", "true" })
    void tagsAloneSufficeWithoutHoldAndClose(boolean combining) {
        Explorer.Result result = Explorer.run(new LineModel(Rule.TAGS_ONLY, combining, false, false, 1), 5_000_000);
        assertThat(result.holds()).as(result.toString()).isTrue();
    }
}
