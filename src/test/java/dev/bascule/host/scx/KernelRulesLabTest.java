package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.agent.Agent;
import dev.bascule.agent.Outcome;
import dev.bascule.lab.Lab;
import dev.bascule.registry.Policies;
import dev.bascule.registry.PolicySpec;
import dev.bascule.registry.ShippedPolicy;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real threads under every policy: each goes on, on the enclave's CPUs, and only because the agent decided so. One host for
 * all policies of a case: each takes the place of the one before while the threads work.
 */
@Tag("scx")
class KernelRulesLabTest {
    private static final int THREADS = 64;
    private static final int ROUNDS = 3;
    private static final int SHARES = 6;

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void inTheLab() {
        Lab.require();
    }

    /** The policies are dealt out: each once, and each transport and number of CPUs with some of them. */
    @ByTurns(of = 2)
    @ParameterizedTest(name = "share {2} over {0} on {1} CPUs")
    @CsvSource({ "on-host,2,0", "wave,4,1", "swap,2,2", "on-host,4,3", "wave,2,4", "swap,4,5" })
    void everyThreadGoesOnUnderEachPolicySomewhere(String transport, int cpus, int share) throws Exception {
        List<String> names = List.copyOf(policies().keySet());
        everyThreadGoesOn(transport, cpus, IntStream.range(0, names.size()).filter(i -> i % SHARES == share)
                .mapToObj(names::get).toList());
    }

    @Tag("more")
    @ParameterizedTest(name = "over {0} on {1} CPUs")
    @CsvSource({ "on-host,2", "on-host,4", "wave,2", "wave,4", "swap,2", "swap,4" })
    void everyThreadGoesOnUnderEveryPolicy(String transport, int cpus) throws Exception {
        everyThreadGoesOn(transport, cpus, List.copyOf(policies().keySet()));
    }

    private void everyThreadGoesOn(String transport, int cpus, List<String> names) throws Exception {
        Map<String, Supplier<Agent>> policies = policies();
        try (Rule rule = Rule.of(policies.get(names.getFirst()), transport, Rule.strict(cpus));
                Work work = Work.start(folder, "threads", THREADS, 200, 40_000)) {
            for (String name : names) {
                if (!name.equals(names.getFirst())) {
                    rule.upgrade(policies.get(name));
                }
                goesOn(name + " over " + transport + " on " + cpus + " CPUs", rule, work);
            }
            assertThat(work.ruledThreads()).as("threads in the ruled class").isEqualTo(THREADS + 1);
            work.awaitCpus(cpus);
            assertThat(rule.host.ended()).isNull();
            assertThat(rule.host.fences()).isZero();
        }
    }

    private static void goesOn(String what, Rule rule, Work work) throws InterruptedException {
        KernelCounters before = rule.host.counters();
        long from = System.nanoTime();
        work.awaitRounds(work.rounds(), ROUNDS);
        KernelCounters after = rule.host.counters();
        System.out.println("scx: " + what + ": " + (System.nanoTime() - from) / 1_000_000 + " ms, " + after);
        assertThat(after.late() + after.starved() - before.late() - before.starved())
                .as(what + ": decisions of the kernel's side, without need; " + rule.host.incidents()).isZero();
        // an idle CPU is lent to who waits, by the kernel's side: of 192 rounds 67 in one run
        assertThat(after.count(Outcome.COMPLETE) - before.count(Outcome.COMPLETE)).as(what)
                .isGreaterThanOrEqualTo((long) THREADS * ROUNDS / 2);
    }

    private static Map<String, Supplier<Agent>> policies() throws Exception {
        Map<String, Supplier<Agent>> all = new LinkedHashMap<>();
        for (ShippedPolicy policy : Policies.ALL) {
            all.put(policy.name(), PolicySpec.of(policy.name()).withDefault("work", "1:1").factory());
        }
        all.put("the tutorial's", TutorialPolicy.load());
        return all;
    }
}
