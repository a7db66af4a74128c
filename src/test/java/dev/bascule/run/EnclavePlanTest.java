package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.registry.PolicySpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Enclaves and moves as users write them. */
class EnclavePlanTest {
    private static EnclavePlan plan(List<String> enclaves, String... moves) {
        return EnclavePlan.of(enclaves, List.of(moves), 4,
                new EnclavePlan.One("", List.of(), "on-host", PolicySpec.of("fifo"), 1));
    }

    @Test
    void whatIsNotSaidIsAsForTheWholeRun() {
        EnclavePlan plan = plan(List.of("web:0-1", "batch:2,3:transport=swap:policy=round-robin:agents=2"),
                "1:batch@500ms", "1:web@2s");
        assertThat(plan.enclaves()).containsExactly(
                new EnclavePlan.One("web", List.of(0, 1), "on-host", PolicySpec.of("fifo"), 1),
                new EnclavePlan.One("batch", List.of(2, 3), "swap", PolicySpec.of("round-robin"), 2));
        assertThat(plan.moves()).containsExactly(new EnclavePlan.Move(1, "batch", 500_000_000),
                new EnclavePlan.Move(1, "web", 2_000_000_000));
        assertThat(plan.endNanos()).isEqualTo(2_000_000_000);
        assertThat(plan(List.of()).isEmpty()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "web|its name and CPUs", "web:9|there is no CPU 9; CPUs are 0 to 3",
            "web:1-0|write CPUs as numbers", "web:0:agents=2|agents are 1 to the number of its CPUs, 1",
            "wave:0|that is a transport's name", "web:0:transport=pigeon|no transport is called 'pigeon'",
            "web:0:color=red|there is no 'color'" })
    void anEnclaveThatCannotBeIsRefused(String text, String why) {
        assertThatThrownBy(() -> plan(List.of(text))).isInstanceOf(Failure.class)
                .hasMessageStartingWith("--enclave " + text).hasMessageContaining(why);
    }

    @Test
    void whatDoesNotFitTogetherIsRefused() {
        assertThatThrownBy(() -> plan(List.of("a:0", "a:1"))).hasMessageContaining("two of that name");
        assertThatThrownBy(() -> plan(List.of("a:0", "b:0-1"))).hasMessageContaining("CPU 0 is an enclave's already");
        assertThatThrownBy(() -> plan(List.of(), "1:a@1s")).hasMessageContaining("say which there are");
        assertThatThrownBy(() -> plan(List.of("a:0"), "1:b@1s")).hasMessageContaining("there is no enclave b");
        assertThatThrownBy(() -> plan(List.of("a:0"), "7:a@1s")).hasMessageContaining("there is no CPU 7");
        assertThatThrownBy(() -> plan(List.of("a:0"), "1:a")).hasMessageContaining("and when, as in 1:batch@500ms");
        assertThatThrownBy(() -> plan(List.of("a:0:policy=no.such.Policy"))).hasMessageContaining("no.such.Policy");
    }
}
