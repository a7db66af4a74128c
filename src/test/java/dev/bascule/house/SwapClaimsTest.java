package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of the swap's claims in {@code swap.md}: verdicts, the tests that show them, and the lengths of its stories. */
class SwapClaimsTest {
    private static final int CELLS = 4;
    private static final Set<String> MODELS = Set.of("SwapModelTest", "WaveModelTest", "BilateralSwapTlaTest",
            "PromelaTest", "DecisionModelsTest", "GroupsTlaTest");
    private static final Pattern STORY = Pattern.compile("\\(`(\\w+)`, (\\d+) steps?");
    private static final String PAGE = House.read(House.BASE.resolve("src/site/markdown/swap.md"));

    private static List<String[]> claims() {
        return PAGE.lines().dropWhile(line -> !line.startsWith("| claim, and where")).skip(2)
                .takeWhile(line -> line.startsWith("| ")).map(line -> line.substring(2).split(" \\| | \\|$")).toList();
    }

    @Test
    void eachClaimHasItsPlaceARefutationAndAVerdict() {
        assertThat(claims()).hasSizeGreaterThan(11).allSatisfy(cells -> {
            assertThat(cells).hasSize(CELLS);
            assertThat(cells[0]).containsPattern("\\((arXiv )?26\\d\\d\\.\\d{5}");
            assertThat(cells[2]).matches("(holds|fails)( under .*)?[:,.] .*|holds under .*");
        });
    }

    @Test
    void aClaimNamesTestsThatAreThereAndNoneHoldsByModelAlone() {
        Set<String> tests = TestNames.all().keySet();
        assertThat(claims()).allSatisfy(cells -> {
            Collection<String> named = TestNames.classesIn(cells[CELLS - 1]).stream()
                    .filter(name -> name.endsWith("Test"))
                    .toList();
            assertThat(named).as(cells[0]).isNotEmpty();
            assertThat(tests).as(cells[0]).containsAll(named);
            if (cells[2].startsWith("holds")) {
                assertThat(cells[CELLS - 1]).as(cells[0]).contains("live `");
                assertThat(MODELS.containsAll(named)).as(cells[0]).isFalse();
            }
        });
    }

    @Test
    void storiesAreAsLongAsTheTracesThatTheModelFinds() {
        String model = House.read(House.BASE.resolve("src/test/java/dev/bascule/swap/SwapModelTest.java"));
        List<String> stories = STORY.matcher(PAGE).results()
                .map(story -> "fails(\"" + story.group(1) + "\", " + story.group(2) + ",").toList();
        assertThat(stories).hasSizeGreaterThan(6).allSatisfy(story -> assertThat(model).contains(story));
    }
}
