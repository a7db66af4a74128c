package dev.bascule.models;

import static dev.bascule.models.Spin.bad;
import static dev.bascule.models.Spin.ok;

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
 * The Promela models, checked by SPIN where it is installed; each verdict is the expected one. Those with tag "spin" take
 * a quarter of an hour of one core, as SPIN keeps every state of up to 52 million.
 */
class PromelaTest {
    private static final String MEMORY = "swap_mem.pml";
    private static final String WAVE = "wave.pml";

    @TempDir
    Path directory = Path.of(".");

    private static Run cas(String name, Verdict expected, String macros, String claim) {
        return new Run(name, expected, "cas.pml", macros, Spin.SAFETY, "-N " + claim);
    }

    private static Run live(String name, Verdict expected, String macros) {
        return new Run(name, expected, WAVE, "-DP_LIVE -DMAXS=3 -DNC=1 -DDRAIN " + macros, "-DNFAIR=6",
                "-a -f");
    }

    static Stream<Run> lines() {
        return Stream.of(bad("mem_TAGLAST", MEMORY, "-DTAGLAST"),
                bad("mem_TAGLAST_FLAGFIRST", MEMORY, "-DTAGLAST -DFLAGFIRST"),
                ok("mem_TAGLAST_FF_NOREV", MEMORY, "-DTAGLAST -DFLAGFIRST -DNOREV"),
                bad("mem_PHASE1", MEMORY, "-DPHASE1"), bad("mem_PHASE1_NOREV", MEMORY, "-DPHASE1 -DNOREV"));
    }

    static Stream<Run> large() {
        return Stream.of(ok("mem_base", MEMORY, ""), ok("mem_WC", MEMORY, "-DWC"), ok("mem_ZOMBIE", MEMORY, "-DZOMBIE"),
                ok("mem_NOECHO", MEMORY, "-DNOECHO"), ok("mem_FLAGFIRST", MEMORY, "-DFLAGFIRST"),
                bad("mem_WC_TAGLAST", MEMORY, "-DWC -DTAGLAST -DFLAGFIRST"),
                new Run("mem_NOFENCE", Verdict.VIOLATED, MEMORY, "-DNOFENCE", "-DBFS -DSAFETY", ""),
                ok("wv_safe", WAVE, "-DP_SAFE -DMAXS=3"), ok("wv_NOEPOCH", WAVE, "-DP_SAFE -DNOEPOCH -DMAXS=3"));
    }

    static Stream<Run> words() {
        return Stream.of(cas("cas_base", Verdict.OK, "", "safe"), cas("cas_ZOMBIE", Verdict.OK, "-DZOMBIE", "safe"),
                cas("cas_ZOMBIE_NOEP", Verdict.VIOLATED, "-DZOMBIE -DNOEP", "safe"),
                cas("cas_SPLIT", Verdict.VIOLATED, "-DSPLIT", "safe"),
                cas("cas_withdraw_reach", Verdict.VIOLATED, "", "wd"));
    }

    static Stream<Run> wave() {
        return Stream.of(bad("wv_NOCHECK", WAVE, "-DP_SAFE -DNOCHECK -DMAXS=3"),
                bad("wv_TORN", WAVE, "-DP_SAFE -DTORN -DMAXS=4 -DNC=1"),
                ok("wv_TORNX", WAVE, "-DP_SAFE -DTORNX -DMAXS=4 -DNC=1"),
                bad("wv_abort", WAVE, "-DP_NOABORT -DMAXS=3"), bad("wv_falsewd", WAVE, "-DP_NOFALSE -DMAXS=3"),
                live("wv_live_nocrash", Verdict.OK, "-DNOWD -DNOKILL"),
                live("wv_live_crash_nowd", Verdict.VIOLATED, "-DNOWD"), live("wv_live_crash_wd", Verdict.OK, ""),
                live("wv_live_LOSEMSI_poll", Verdict.OK, "-DLOSEMSI -DNOWD -DNOKILL"),
                live("wv_live_LOSEMSI_nopoll", Verdict.VIOLATED, "-DLOSEMSI -DNOPOLL -DNOWD -DNOKILL"),
                live("wv_live_DROP", Verdict.VIOLATED, "-DDROP -DNOWD -DNOKILL"));
    }

    static Stream<Run> detection() {
        String m = "timed.pml";
        String a = "-DD=1 -DF=2 -DP=2 ";
        String b = "-DD=2 -DF=3 -DP=4 ";
        return Stream.of(bad("t_w4", m, "-DSWAP " + a + "-DW=4 -DP_FALSE"),
                ok("t_w5", m, "-DSWAP " + a + "-DW=5 -DP_FALSE"),
                bad("t_w7_2", m, "-DSWAP " + b + "-DW=7 -DP_FALSE"),
                ok("t_w8_2", m, "-DSWAP " + b + "-DW=8 -DP_FALSE"),
                ok("t_bound", m, "-DSWAP " + a + "-DW=5 -DP_BOUND"),
                ok("t_bound2", m, "-DSWAP " + b + "-DW=8 -DP_BOUND"),
                bad("t_pause", m, "-DSWAP " + a + "-DW=5 -DPAUSE -DP_FALSE"),
                bad("t_pause20", m, "-DSWAP " + a + "-DW=20 -DPAUSE -DP_FALSE"),
                bad("t_hw", m, "-DSWAP " + a + "-DW=5 -DHW -DP_BOUND"),
                ok("t_hw_never", m, "-DSWAP " + a + "-DW=5 -DHW -DP_FALSE"),
                bad("d_t6", m, "-DDOG " + a + "-DTW=6 -DP_FALSE"), ok("d_t7", m, "-DDOG " + a + "-DTW=7 -DP_FALSE"),
                bad("d_t11_2", m, "-DDOG " + b + "-DTW=11 -DP_FALSE"),
                ok("d_t12_2", m, "-DDOG " + b + "-DTW=12 -DP_FALSE"),
                ok("d_bound", m, "-DDOG " + a + "-DTW=8 -DP_BOUND"),
                ok("d_bound2", m, "-DDOG " + b + "-DTW=12 -DP_BOUND"),
                bad("d_pause", m, "-DDOG " + a + "-DTW=20 -DPAUSE -DP_FALSE"));
    }

    @BeforeEach
    void needsSpinAndACompiler() {
        Spin.assumeInstalled();
    }

    @Tag("models")
    @ByTurns(of = 3)
    @ParameterizedTest
    @MethodSource({ "lines", "words", "wave", "detection" })
    void modelHasTheExpectedVerdict(Run run) {
        Spin.check(run, directory);
    }

    @Tag("spin")
    @ParameterizedTest
    @MethodSource("large")
    void largeModelHasTheExpectedVerdict(Run run) {
        Spin.check(run, directory);
    }
}
