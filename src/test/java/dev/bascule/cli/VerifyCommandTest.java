package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.json.JsonReader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The command that searches what policies do wrong: what it prints, and its exit status. */
class VerifyCommandTest {
    private static final String NEVER = BadPolicies.Never.class.getName();

    @Test
    void whatAPolicyDoesWrongIsAStoryAndStatusOne() {
        Cli ran = Cli.callOne("verify", "--policy", NEVER, "--depth", "0");
        assertThat(ran.status()).as(ran.err()).isEqualTo(1);
        assertThat(ran.out()).startsWith(NEVER + ": forgets a task, ")
                .contains("  It forgets a task:\n    1. 3 tasks come: CPU 0 idles, CPU 1 idles\n");
    }

    @Test
    void whatIsExceptedIsToldAndNoFailure() {
        Cli ran = Cli.callOne("verify", "--policy", NEVER, "--depth", "0", "--except", "remembers,conserves");
        assertThat(ran.status()).as(ran.out()).isZero();
        assertThat(ran.out()).endsWith("  By intent: it forgets a task, leaves a CPU idle while a task waits.\n");
        assertThat(Cli.callOne("verify", "--policy", NEVER, "--depth", "0", "--except", "conserves").status())
                .isEqualTo(1);
    }

    @Test
    void jsonSaysHowFarItCame() throws Exception {
        Cli ran = Cli.callOne("verify", "--policy", "fifo,sjf", "--depth", "20", "--duration", "300ms", "--json");
        assertThat(ran.status()).as(ran.err()).isZero();
        Map<?, ?> all = (Map<?, ?>) JsonReader.parse(ran.out());
        List<?> policies = (List<?>) all.get("policies");
        assertThat(policies).hasSize(2).allSatisfy(one -> {
            assertThat(((Number) ((Map<?, ?>) one).get("wanted")).intValue()).isEqualTo(20);
            assertThat(((Number) ((Map<?, ?>) one).get("depth")).intValue()).isBetween(0, 19);
        });
        Map<?, ?> found = (Map<?, ?>) ((List<?>) ((Map<?, ?>) policies.getLast()).get("found")).getFirst();
        assertThat(found.get("property")).isEqualTo("fair");
        assertThat(found.get("byIntent")).isEqualTo(true);
    }

    /** Code that no optimizing compiler has seen: what the ends allocate there is not the policies'. */
    @Test
    void policiesThatShipAreFrugalWithoutTheSecondCompilerToo() throws Exception {
        Cli ran = Cli.run(List.of("-Xint"), "verify", "--shipped", "--depth", "0");
        assertThat(ran.status()).as(ran.out()).isZero();
        assertThat(ran.out()).doesNotContain("allocates");
    }

    @Test
    void aWordThatIsNoPropertyIsMisuse() {
        Cli ran = Cli.callOne("verify", "--policy", "fifo", "--except", "frugl");
        assertThat(ran.status()).isEqualTo(2);
        assertThat(ran.err()).contains("frugal");
    }
}
