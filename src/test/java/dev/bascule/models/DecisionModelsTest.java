package dev.bascule.models;

import dev.bascule.junit.ByTurns;
import dev.bascule.models.ModelRun.Verdict;
import dev.bascule.models.Spin.Run;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Staging, withdrawing, ticks, promises and sleep as the code has them now, over each transport: no withdrawn decision
 * runs, none runs twice, each gets its outcome, and nobody sleeps beside a decision. The mutants are rules that were
 * missing once, or are switched off: the checker must find what they break.
 */
@Tag("models")
class DecisionModelsTest {
    /** Most of a run is the compiler's time: small models need no optimiser. */
    private static final String COMPILE = Spin.SAFETY + " -O0";

    @TempDir
    Path directory = Path.of(".");

    /** Terminal states are judged by the model itself. */
    private static Run ok(String name, String model, String macros) {
        return new Run(name, Verdict.OK, model, macros, COMPILE, "-E");
    }

    private static Run bad(String name, String model, String macros) {
        return new Run(name, Verdict.VIOLATED, model, macros, COMPILE, "-E");
    }

    static Stream<Run> wave() {
        String m = "wave_slots.pml";
        return Stream.of(ok("slots_1", m, "-DDEPTH=1"), ok("slots_2", m, "-DDEPTH=2"), ok("slots_3", m, "-DDEPTH=3"),
                ok("slots_3_losses_2", m, "-DDEPTH=3 -DLOSSES=2"), ok("slots_4", m, "-DDEPTH=4 -DMAXD=5"),
                ok("slots_LATE", m, "-DLATE"), ok("slots_PREFETCH", m, "-DPREFETCH"),
                ok("slots_2_cpus", m, "-DNC=2 -DDEPTH=2 -DMAXD=2"), bad("slots_ONEMARK", m, "-DONEMARK"),
                bad("slots_ONEMARK_3", m, "-DDEPTH=3 -DONEMARK"), ok("slots_ONEMARK_1", m, "-DDEPTH=1 -DONEMARK"),
                bad("slots_NOCLEAR", m, "-DNOCLEAR"), bad("slots_BLIND", m, "-DBLIND"),
                bad("slots_A_NOTICK", m, "-DA_NOTICK"), bad("slots_H_NOTICK", m, "-DH_NOTICK"),
                ok("slots_1_news", m, "-DDEPTH=1 -DNEWS=3 -DMARKS=2"),
                ok("slots_2_news", m, "-DDEPTH=2 -DNEWS=2 -DMAXD=5"),
                ok("slots_3_news", m, "-DDEPTH=3 -DNEWS=2 -DLOSSES=0"),
                bad("slots_TELLALL", m, "-DDEPTH=1 -DNEWS=1 -DTELLALL"), bad("slots_THAWED", m, "-DNEWS=1 -DTHAWED"),
                bad("slots_EARLY", m, "-DNEWS=1 -DEARLY"));
    }

    static Stream<Run> local() {
        String m = "local_slots.pml";
        return Stream.of(ok("local_1", m, "-DDEPTH=1"), ok("local_2", m, "-DDEPTH=2 -DMAXD=6"),
                ok("local_3", m, "-DDEPTH=3 -DMAXD=7"), ok("local_4", m, "-DDEPTH=4 -DMAXD=7"),
                bad("local_WAITS", m, "-DWAITS"), bad("local_WAITS_3", m, "-DWAITS -DDEPTH=3 -DMAXD=7"),
                bad("local_CLAIMANY", m, "-DCLAIMANY"), bad("local_NOCAS", m, "-DNOCAS"),
                bad("local_SKIPS", m, "-DSKIPS -DDEPTH=2 -DMAXD=6"));
    }

    static Stream<Run> swap() {
        String m = "swap_staged.pml";
        return Stream.of(ok("staged_2", m, ""), ok("staged_LATE", m, "-DLATE -DCAP=1"),
                ok("staged_3_one_by_one", m, "-DCAP=3 -DBATCH=1 -DMAXD=5"),
                ok("staged_4", m, "-DCAP=4 -DBATCH=2 -DMAXD=5"),
                ok("staged_losses_2", m, "-DLOSSES=2 -DREVERSALS=2 -DMAXD=4"),
                ok("staged_GROUP", m, "-DGROUP -DMAXD=1 -DCAP=1"), ok("staged_GROUP_2", m, "-DGROUP -DMAXD=2 -DCAP=1"),
                bad("staged_GROUP_ALONE", m, "-DGROUP -DMAXD=1 -DCAP=1 -DALONE"),
                bad("staged_TAKEBACK", m, "-DTAKEBACK"), bad("staged_EARLY", m, "-DEARLY"),
                bad("staged_NODIGEST", m, "-DNODIGEST"), bad("staged_NOLAST", m, "-DNOLAST"),
                bad("staged_A_NOTICK", m, "-DA_NOTICK"), bad("staged_H_NOTICK", m, "-DH_NOTICK"));
    }

    static Stream<Run> sleep() {
        String m = "sleep.pml";
        return Stream.of(ok("sleep_coherent", m, ""), bad("sleep_coherent_H_NOFULL", m, "-DH_NOFULL"),
                bad("sleep_coherent_A_NOFULL", m, "-DA_NOFULL"), ok("sleep_coherent_PREFETCH", m, "-DPREFETCH"),
                ok("sleep_coherent_2_cpus", m, "-DNC=2 -DMAXD=2 -DDEPTH=2"), ok("sleep_pull", m, "-DPCIE"),
                ok("sleep_pull_H_NOWF", m, "-DPCIE -DH_NOWF"), ok("sleep_pull_H_NOFULL", m, "-DPCIE -DH_NOFULL"),
                bad("sleep_pull_H_NOWF_H_NOFULL", m, "-DPCIE -DH_NOWF -DH_NOFULL"),
                bad("sleep_pull_A_NOFULL", m, "-DPCIE -DA_NOFULL"), ok("sleep_pull_PREFETCH", m, "-DPCIE -DPREFETCH"),
                bad("sleep_pull_ONELOOK", m, "-DPCIE -DPREFETCH -DONELOOK"),
                ok("sleep_pull_2_cpus", m, "-DNC=2 -DMAXD=2 -DDEPTH=2 -DPCIE"), ok("sleep_push", m, "-DPCIE -DPUSH"),
                bad("sleep_push_H_NOREAD", m, "-DPCIE -DPUSH -DH_NOREAD"),
                bad("sleep_push_H_NOWF", m, "-DPCIE -DPUSH -DH_NOWF"),
                bad("sleep_push_A_NOFULL", m, "-DPCIE -DPUSH -DA_NOFULL"),
                ok("sleep_push_PREFETCH", m, "-DPCIE -DPUSH -DPREFETCH"),
                ok("sleep_push_2_cpus", m, "-DNC=2 -DMAXD=2 -DPCIE -DPUSH"));
    }

    /** Each side with a copy of its own, and status words that a WRITE carries in pieces. */
    static Stream<Run> mirror() {
        String sleep = "sleep.pml";
        String m = "-DPCIE -DMIRROR ";
        String status = "mirror_status.pml";
        String join = "mirror_join.pml";
        return Stream.of(ok("sleep_mirror", sleep, m), bad("sleep_mirror_H_NOREAD", sleep, m + "-DH_NOREAD"),
                bad("sleep_mirror_A_NOFULL", sleep, m + "-DA_NOFULL"),
                bad("sleep_mirror_H_NOWF", sleep, m + "-DH_NOWF"),
                ok("sleep_mirror_2_cpus", sleep, m + "-DNC=2 -DMAXD=1"),
                ok("status_digest", status, ""), bad("status_ENDS", status, "-DENDS"),
                ok("status_ENDS_in_order", status, "-DENDS -DORDERED"),
                ok("join", join, ""), bad("join_NOFULL", join, "-DNOFULL"), bad("join_LATE", join, "-DLATE"),
                bad("join_PULL", join, "-DPULL"), ok("join_PULL_quiet", join, "-DPULL -DQUIET"));
    }

    @BeforeEach
    void needsSpinAndACompiler() {
        Spin.assumeInstalled();
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @MethodSource({ "wave", "local", "swap", "sleep", "mirror" })
    void modelHasTheExpectedVerdict(Run run) {
        Spin.check(run, directory);
    }
}
