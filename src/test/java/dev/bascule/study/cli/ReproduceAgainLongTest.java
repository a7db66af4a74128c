package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.Cli;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is in virtual time is the same for the same seed, also in another JVM, whose maps are in another order. */
@Tag("long")
class ReproduceAgainLongTest {
    private static Cli here(String... arguments) {
        Cli run = Cli.call(arguments);
        assertThat(run.status()).as(run.err()).isZero();
        return run;
    }

    private static Cli elsewhere(String... arguments) throws Exception {
        Cli run = Cli.run(List.of("-Xmx1g"), arguments);
        assertThat(run.status()).as(run.err()).isZero();
        return run;
    }

    @Test
    void ensosFiguresAreThoseOfTheSeed() throws Exception {
        String[] seven = { "reproduce", "enso", "--quick", "--no-apps", "--json", "--seed", "7" }; // apps are measured
        String first = here(seven).out();
        assertThat(elsewhere(seven).out()).isEqualTo(first);
        assertThat(here("reproduce", "enso", "--quick", "--no-apps", "--json", "--seed", "8").out())
                .isNotEqualTo(first.replace("\"seed\": 7", "\"seed\": 8"));
    }

    @Test
    void nagaresHaveNoChanceInThem() throws Exception {
        String[] words = { "reproduce", "nagare", "--quick", "--json" };
        assertThat(elsewhere(words).out()).isEqualTo(here(words).out());
    }
}
