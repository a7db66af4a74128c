package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.Counter;
import dev.bascule.host.CounterPage;
import dev.bascule.host.CounterReader;
import dev.bascule.run.Errors;
import dev.bascule.run.RunDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopTest {
    private static final Offset<Double> EXACT = Offset.offset(1e-9);

    @TempDir
    private Path place = Path.of("");

    private static TopSample at(double seconds, long served, long busyNanos) {
        return new TopSample("wave", 42, "/dev/shm/bascule-1", seconds,
                Map.of(Counter.CPUS, 2L, Counter.REQUESTS_SERVED, served, Counter.BUSY_NANOS, busyNanos));
    }

    @Test
    void ratesAreDifferencesByTime() {
        TopSample earlier = at(10, 1_000, 1_000_000_000L);
        TopSample now = at(12, 5_000, 3_000_000_000L);
        assertThat(now.rate(Counter.REQUESTS_SERVED, earlier)).isEqualTo(2_000, EXACT);
        assertThat(now.rate(Counter.BUSY_NANOS, earlier)).isEqualTo(1, EXACT);
        assertThat(now.utilisation(earlier)).isEqualTo(0.5, EXACT);
    }

    @Test
    void theFirstRatesAreAveragesSinceTheBeginning() {
        TopSample now = at(4, 1_000, 0);
        assertThat(now.rate(Counter.REQUESTS_SERVED, now.beginning())).isEqualTo(250, EXACT);
    }

    @Test
    void noTimePassedIsNoRate() {
        TopSample now = at(4, 1_000, 0);
        assertThat(now.rate(Counter.REQUESTS_SERVED, at(4, 0, 0))).isZero();
        assertThat(now.rate(Counter.REQUESTS_SERVED, at(5, 0, 0))).isZero();
    }

    @Test
    void theTableHasEveryCounterAndWhoItIs() {
        String text = at(12, 5_000, 3_000_000_000L).text(at(10, 1_000, 1_000_000_000L));
        assertThat(text.lines().findFirst().orElse("")).isEqualTo("wave, process 42, 12.0 s, /dev/shm/bascule-1");
        for (Counter counter : Counter.values()) {
            assertThat(text).contains(counter.label());
        }
        assertThat(text).containsPattern("requests served +5000 +2000\\.0")
                .containsPattern("busy time +3\\.00 s +50 % busy");
    }

    @Test
    void jsonHasTotalsRatesAndUtilisation() {
        assertThat(at(12, 5_000, 3_000_000_000L).json(at(10, 1_000, 1_000_000_000L)).toString())
                .contains("\"name\":\"wave\"").contains("\"pid\":42").contains("\"requestsServed\":5000")
                .contains("\"busyNanos\":3000000000").contains("\"requestsServed\":2000.0")
                .contains("\"utilisation\":0.5");
    }

    @Test
    void onceShowsTheDirectoryNamed() {
        try (CounterPage page = CounterPage.create(place, "wave")) {
            page.set(Counter.REQUESTS_SERVED, 123_456);
            Cli shown = Cli.call("top", "--once", "--attach", place.toString());
            assertThat(shown.status()).as(shown.err()).isZero();
            assertThat(shown.out()).startsWith("wave, process " + ProcessHandle.current().pid())
                    .containsPattern("requests served +123456").doesNotContain("\033");
        }
    }

    @Test
    void aDirectoryWithoutCountersIsSaid() {
        Cli shown = Cli.call("top", "--once", "--attach", place.toString());
        assertThat(shown.status()).isEqualTo(Errors.FAILED);
        assertThat(shown.err()).startsWith("bascule: open counter page").contains("--attach");
    }

    @Test
    void anIntervalThatIsNoTimeOrTooShortIsRefused() {
        assertThat(Cli.call("top", "--interval", "soon").err()).contains("'soon' is no time");
        Cli fast = Cli.call("top", "--interval", "1us");
        assertThat(fast.status()).isEqualTo(Errors.USAGE);
        assertThat(fast.err()).contains("10ms or more");
    }

    @Test
    void theNewestLivingHostIsFound() throws IOException {
        make("bascule-old", 1_000, true);
        make("bascule-new", 2_000, true);
        make("bascule-dead", 3_000, false);
        Files.createDirectories(place.resolve("bascule-empty"));
        Files.write(Files.createDirectories(place.resolve("bascule-broken")).resolve("counters"), new byte[7]);
        make("other-newest", 9_000, true);
        try (CounterReader found = new RunDirectories(List.of(place, place.resolve("none"))).newest().orElseThrow()) {
            assertThat(found.file().getParent()).isEqualTo(place.resolve("bascule-new"));
        }
    }

    @Test
    void noLivingHostIsNone() throws IOException {
        make("bascule-dead", 3_000, false);
        assertThat(new RunDirectories(List.of(place)).newest()).isEmpty();
        assertThat(new RunDirectories(List.of(place))).hasToString(place + "/bascule-*");
    }

    private void make(String name, long modifiedMillis, boolean alive) throws IOException {
        Path directory = Files.createDirectories(place.resolve(name));
        CounterPage.create(directory, name).close();
        if (!alive) {
            byte[] page = Files.readAllBytes(directory.resolve("counters"));
            java.util.Arrays.fill(page, 16, 24, (byte) 0); // process id
            Files.write(directory.resolve("counters"), page);
        }
        Files.setLastModifiedTime(directory, FileTime.fromMillis(modifiedMillis));
    }
}
