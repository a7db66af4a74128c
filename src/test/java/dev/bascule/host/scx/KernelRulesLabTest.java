package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Outcome;
import dev.bascule.lab.Lab;
import dev.bascule.registry.PolicySpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Real threads under every policy: each goes on, on the enclave's CPUs, and only because the agent decided so. */
@Tag("scx")
class KernelRulesLabTest {
    private static final int THREADS = 64;

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void inTheLab() {
        Lab.require();
    }

    static Stream<Arguments> cases() {
        List<Arguments> all = new ArrayList<>();
        for (String transport : List.of("on-host", "wave", "swap")) {
            all.add(Arguments.of("fifo", transport, 2));
        }
        return all.stream();
    }

    @ParameterizedTest(name = "{0} over {1} on {2} CPUs")
    @MethodSource("cases")
    void everyThreadGoesOn(String policy, String transport, int cpus) throws InterruptedException {
        KernelCounters counters;
        try (Rule rule = Rule.of(PolicySpec.of(policy).factory(), transport, Rule.strict(cpus));
                Work work = Work.start(folder, "threads", THREADS, 200, 1000)) {
            work.awaitRounds(new long[0], 8);
            assertThat(work.ruledThreads()).as("threads in the ruled class").isEqualTo(THREADS + 1);
            assertThat(work.cpus()).as("CPUs that they were on").isEqualTo((1L << cpus) - 1);
            counters = rule.host.counters();
            assertThat(rule.host.incidents()).isEmpty();
            assertThat(rule.host.ended()).isNull();
        }
        System.out.println("scx: " + policy + " over " + transport + ": " + counters);
        assertThat(counters.localDecisions()).as("decisions of the kernel's side, without need").isZero();
        assertThat(counters.count(Outcome.COMPLETE)).isGreaterThanOrEqualTo(THREADS * 8);
        assertThat(counters.overflows()).isZero();
    }
}
