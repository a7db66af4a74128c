package dev.bascule.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.Counter;
import dev.bascule.host.CounterPage;
import dev.bascule.host.LiveTrace;
import dev.bascule.json.JsonFormatException;
import dev.bascule.json.JsonReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostsTest {
    @TempDir
    private Path place = Path.of("");
    private final Hosts hosts = new Hosts();
    private final List<CounterPage> pages = new ArrayList<>();

    @AfterEach
    void close() {
        hosts.close();
        pages.forEach(CounterPage::close);
    }

    private Path host(String directory, String name, long served) throws IOException {
        Path made = Files.createDirectories(place.resolve(directory));
        CounterPage page = CounterPage.create(made, name);
        page.set(Counter.REQUESTS_SERVED, served);
        page.set(Counter.AGENT_READY, 1);
        pages.add(page);
        return made;
    }

    private List<Map<?, ?>> seen() throws JsonFormatException {
        List<Map<?, ?>> all = new ArrayList<>();
        for (Object host : (List<?>) ((Map<?, ?>) JsonReader.parse(hosts.json().toString())).get("hosts")) {
            all.add((Map<?, ?>) host);
        }
        return all;
    }

    private List<Object> each(Function<Map<?, ?>, Object> what) throws JsonFormatException {
        List<Object> all = new ArrayList<>();
        seen().forEach(host -> all.add(what.apply(host)));
        return all;
    }

    private static Object count(Map<?, ?> host, String counter) {
        return ((Map<?, ?>) host.get("counters")).get(counter);
    }

    @Test
    void theOneBeforeKeepsItsLastValuesAndHasNoAgentAnyMore() throws Exception {
        hosts.follow(host("a", "wave", 10));
        hosts.follow(host("b", "swap", 20));
        assertThat(each(host -> host.get("name"))).containsExactly("wave", "swap");
        assertThat(each(host -> host.get("ended"))).containsExactly(true, false);
        assertThat(each(host -> count(host, "requestsServed"))).containsExactly(10L, 20L);
        assertThat(each(host -> count(host, "agentReady"))).containsExactly(0L, 1L);
    }

    @Test
    void theLastValuesAreThoseOfTheEndAlsoWhenTheDirectoryIsGone() throws Exception {
        Path directory = host("a", "wave", 10);
        try (Incidents incidents = Incidents.create(directory)) {
            hosts.follow(directory);
            incidents.add(1, "agent ended");
            pages.getFirst().set(Counter.REQUESTS_SERVED, 11);
            hosts.end();
        }
        for (String file : List.of("counters", "incidents.log")) {
            Files.delete(directory.resolve(file));
        }
        assertThat(count(seen().getFirst(), "requestsServed")).isEqualTo(11L);
        assertThat((List<?>) seen().getFirst().get("incidents")).hasSize(1);
    }

    @Test
    void theSameTransportAgainTakesThePlaceOfTheFirst() throws Exception {
        hosts.follow(host("a", "wave", 10));
        hosts.follow(host("b", "swap", 20));
        hosts.follow(host("c", "wave", 30));
        assertThat(each(host -> count(host, "requestsServed"))).containsExactly(20L, 30L);
    }

    @Test
    void aHostThatIsFollowedAlreadyGoesOn() throws Exception {
        Path directory = host("a", "wave", 10);
        hosts.follow(directory);
        hosts.follow(directory);
        assertThat(each(host -> host.get("ended"))).containsExactly(false);
    }

    @Test
    void aTraceThatNothingRanInIsAnEmptyTimelineOfEachCpu() throws Exception {
        Path directory = host("a", "wave", 10);
        pages.getFirst().set(Counter.CPUS, 2);
        LiveTrace.create(directory, 2).close();
        hosts.follow(directory);
        assertThat(each(host -> host.get("traced"))).containsExactly(true);
        assertThat((List<?>) seen().getFirst().get("runs")).hasSize(2);
    }

    @Test
    void aHostWithoutATraceSaysSo() throws Exception {
        hosts.follow(host("a", "wave", 10));
        assertThat(each(host -> host.get("traced"))).containsExactly(false);
    }
}
