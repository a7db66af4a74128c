package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The table of who can reach what, in {@code SECURITY.md}: each line says all, and the tests that it names are there. */
class ReachTest {
    private static final int CELLS = 4;

    private static List<String[]> lines() {
        return House.read(House.BASE.resolve("SECURITY.md")).lines().filter(line -> line.startsWith("| "))
                .skip(2).map(line -> line.substring(2).split(" \\| | \\|$")).toList();
    }

    @Test
    void eachLineSaysWhoReachesWhatAndWhatShowsIt() {
        assertThat(lines()).hasSizeGreaterThan(20).allSatisfy(cells -> assertThat(cells).hasSize(CELLS)
                .allSatisfy(cell -> assertThat(cell).isNotBlank()));
    }

    @Test
    void aLineNamesTestsThatAreThereOrSaysThatThereIsNone() {
        Set<String> tests = TestNames.all().keySet();
        assertThat(lines()).allSatisfy(cells -> {
            String shows = cells[CELLS - 1];
            Collection<String> named = TestNames.classesIn(shows);
            assertThat(tests).as(shows).containsAll(named);
            assertThat(named.isEmpty()).as(String.join(" | ", cells)).isEqualTo(shows.equals("none"));
        });
    }
}
