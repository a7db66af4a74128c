package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The promises of {@code specification.md}: each has a number of its own, a command, and tests that are there. */
class SpecificationTest {
    private static final String PAGE = "src/site/markdown/specification.md";
    private static final int CELLS = 4;

    private static List<String[]> promises() {
        return House.read(House.BASE.resolve(PAGE)).lines().filter(line -> line.matches("\\| [A-Z]\\d+ \\|.*"))
                .map(line -> line.substring(2).split(" \\| | \\|$")).toList();
    }

    @Test
    void thereAreAtLeastTwentyFivePromisesEachWithANumberOfItsOwn() {
        assertThat(promises()).hasSizeGreaterThanOrEqualTo(25).allSatisfy(cells -> assertThat(cells).hasSize(CELLS)
                .allSatisfy(cell -> assertThat(cell).isNotBlank()));
        assertThat(promises()).extracting(cells -> cells[0]).doesNotHaveDuplicates();
    }

    @Test
    void eachNamesACommandOfTheCloneThatShowsItOrAClaimThatNamesThePromise() {
        String claims = House.read(House.BASE.resolve("src/build/claims.txt"));
        assertThat(promises()).allSatisfy(cells -> {
            assertThat(cells[2]).matches("`scripts/\\w+[^`]*`").doesNotContain("--help", "--list");
            Pattern.compile("\\bA\\d+").matcher(cells[2]).results().forEach(claim -> assertThat(claims)
                    .as(cells[0]).containsPattern("(?m)^" + claim.group() + " \\|[^|]*\\|[^|]*\\b" + cells[0] + "\\b"));
            assertThat(House.BASE.resolve(cells[2].replaceAll("`(scripts/\\w+).*", "$1"))).exists();
        });
    }

    @Test
    void eachNamesTestsAndTheirMethodsThatAreThereOrSaysThatThereAreNone() {
        Map<String, Set<String>> tests = TestNames.all();
        assertThat(promises()).allSatisfy(cells -> {
            List<String[]> named = TestNames.in(cells[CELLS - 1]);
            assertThat(named.isEmpty()).as(cells[CELLS - 1]).isEqualTo(cells[CELLS - 1].startsWith("none: "));
            assertThat(named).allSatisfy(test -> {
                assertThat(tests).containsKey(test[0]);
                if (test[1] != null) {
                    assertThat(tests.get(test[0])).contains(test[1]);
                }
            });
        });
    }
}
