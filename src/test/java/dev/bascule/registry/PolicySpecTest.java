package dev.bascule.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.bascule.agent.Agent;
import dev.bascule.host.AgentHarness;
import dev.bascule.policy.DarcAgent;
import dev.bascule.policy.ShinjukuAgent;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PolicySpecTest {
    static Stream<String> names() {
        return Policies.ALL.stream().map(ShippedPolicy::name);
    }

    private static PolicySpec with(String name, String key, String value) {
        return new PolicySpec(name, Map.of(key, value), List.of());
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyShippedPolicyRunsATaskByItsNameAlone(String name) {
        Supplier<Agent> agents = PolicySpec.of(name).withDefault("work", "1").factory();
        AgentHarness h = AgentHarness.of(agents.get(), 1, 4);
        int task = h.newTask();
        h.step();
        h.step();
        assertThat(h.running(0)).isEqualTo(task);
    }

    @Test
    void anOptionReachesThePolicy() {
        AgentHarness h = AgentHarness.of(with("round-robin", "quantum", "2us").factory().get(), 1, 4);
        int first = h.newTask();
        int second = h.newTask();
        h.settle();
        assertThat(h.running(0)).isEqualTo(first);
        h.advance(2_000);
        assertThat(h.running(0)).isEqualTo(second);
    }

    @Test
    void everyAgentIsANewOne() {
        Supplier<Agent> agents = PolicySpec.of("shinjuku").factory();
        assertThat(agents.get()).isInstanceOf(ShinjukuAgent.class).isNotSameAs(agents.get());
    }

    @ParameterizedTest
    @CsvSource({ "fifo, quantum, 5us, has no option 'quantum'; it has none",
            "shinjuku, quant, 5us, has no option 'quant'; there are quantum=30us",
            "shinjuku, quantum, 5, option quantum=5: '5' is no time", "shinjuku, quantum, 0ns, quantum is 0 ns",
            "shinjuku, targets, 5us:x, option targets=5us:x: 'x' is no time",
            "cfs, granularity, 20ms, 1 <= granularity <= latency", "darc, work, 3:x, option work=3:x",
            "random, seed, many, option seed=many: 'many' is no number" })
    void anOptionThatIsNoneIsNamedWithWhatThereIs(String name, String key, String value, String words) {
        assertThatIllegalArgumentException().isThrownBy(() -> with(name, key, value).factory())
                .withMessageContaining(words);
    }

    @Test
    void whatFollowsFromTheWorkloadStandsBackBehindWhatIsGiven() {
        assertThatIllegalArgumentException().isThrownBy(() -> PolicySpec.of("darc").factory())
                .withMessage("policy darc: its option work is missing; give it with --policy-option work=..");
        assertThat(PolicySpec.of("darc").withDefault("work", PolicySpec.numbers(3, 0.25)).factory().get())
                .isInstanceOf(DarcAgent.class);
        assertThat(with("darc", "work", "1:2").withDefault("work", "7").options()).containsEntry("work", "1:2");
        assertThat(PolicySpec.of("fifo").withDefault("work", "7").options()).as("fifo has no such option").isEmpty();
    }

    @Test
    void anUnknownNameIsAnErrorThatNamesAll() {
        assertThatIllegalArgumentException().isThrownBy(() -> PolicySpec.of("fastest").factory())
                .withMessageContaining("'fastest'").withMessageContaining(Policies.NAMES);
    }

    @Test
    void itsWordsOnACommandLineNameTheSamePolicy() {
        PolicySpec spec = new PolicySpec("my.Own", Map.of("a", "1"), List.of(Path.of("/x/y.jar"),
                Path.of("/z")));
        assertThat(spec.arguments()).containsExactly("--policy", "my.Own", "--policy-path", "/x/y.jar:/z",
                "--policy-option", "a=1");
        assertThat(spec).hasToString("my.Own a=1");
    }
}
