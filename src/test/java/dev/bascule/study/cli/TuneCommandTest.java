package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.Cli;
import dev.bascule.run.Errors;
import dev.bascule.json.JsonReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code bascule tune} as its user sees it; how often it is right is asked in {@link TuneLongTest}. */
class TuneCommandTest {
    @TempDir
    private Path folder = Path.of("");

    private static Cli tune(String words) {
        return Cli.callOne(Stream.concat(Stream.of("tune"), Arrays.stream(words.split(" "))).toArray(String[]::new));
    }

    @Test
    void aGainIsToldWithItsIntervalAndTheCommandThatRepeatsIt() {
        Cli cli = tune("policy=fifo,round-robin,shinjuku mix=high-bimodal cpus=2 load=0.7 jobs=4000 --goal p99 "
                + "--class short --seconds 20");
        assertThat(cli.status()).as(cli.err()).isZero();
        assertThat(cli.out()).startsWith("SIMULATED: p99 of 'short', policy=fifo mix=high-bimodal")
                .containsPattern(
                        "policy=(round-robin|shinjuku): on 10 other seeds -[0-9.,]+ \u00b1 [0-9.,]+ us \\(-\\d+ %\\): "
                                + "better than what is")
                .containsPattern("Repeat: bascule sim policy=fifo .* seed=\\d+ --repeat 10 --against policy=");
    }

    @Test
    void theDocumentHasTheComparisonAndEveryCandidate() throws Exception {
        Cli cli = tune("policy=shinjuku mix=high-bimodal cpus=2 jobs=2000 quantum=10us..80us --goal mean --repeat 4 "
                + "--seconds 5 --json --csv " + folder.resolve("tune.csv"));
        assertThat(cli.status()).as(cli.err()).isZero();
        Map<?, ?> all = (Map<?, ?>) JsonReader.parse(cli.out());
        assertThat(all.get("best").toString()).matches("\\{quantum=[0-9.]+us\\}");
        assertThat(all.get("candidates").toString()).contains("quantum=10us", "quantum=80us", "meanNanos");
        assertThat(((Map<?, ?>) all.get("difference")).get("repeats")).hasToString("4");
        assertThat(all.get("comparison").toString()).contains("against");
        assertThat(Files.readAllLines(folder.resolve("tune.csv")).stream().filter(line -> line.contains(",all,")))
                .as("runs of both sides").hasSize(2 * 4)
                .allMatch(line -> line.startsWith("shinjuku,") && line.endsWith(",p50Nanos p99Nanos p999Nanos"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "policy=fifo load=0.5 | no key has a range",
            "quantum=5us.. | LOW..HIGH", "load=0.3,0.6 policy=fifo | that is other work",
            "mix=ghost-fifo,high-bimodal | that is other work", "policy=fifo,nothing | no policy is called 'nothing'",
            "policy=shinjuku,fifo --class medium | the classes of mix=ghost-fifo are",
            "policy=fifo,cfs --goal p98 | mean, p50, p99",
            "policy=fifo,cfs transport=wave-push --live 2 | transport=wave-push",
            "policy=fifo,cfs hosts=2 --live 2 | hosts=2 has no live form",
            "quantum=1us..1ms churn=0..0.01 | combinations" })
    void whatIsWrongIsSaidBeforeAnythingRuns(String words, String why) {
        Cli cli = tune(words);
        assertThat(cli.status()).as(cli.out()).isEqualTo(Errors.USAGE);
        assertThat(cli.err()).contains(why).doesNotContain("candidates,");
    }

    @Test
    void runsThatAreTooShortForTheFigureAreNamed() {
        Cli cli = tune("policy=fifo,cfs jobs=500 --goal p99.9 --seconds 5");
        assertThat(cli.status()).isEqualTo(Errors.FAILED);
        assertThat(cli.err()).contains("too few jobs for its p99.9").contains("jobs=N, now 500");
    }
}
