package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class StressLaneTest {
    private static LaneResult judge(int status, String log) {
        return StressLane.judge("jcstress", status, log, Path.of("a.log"));
    }

    @Test
    void theLastLineOfResultsCounts() {
        LaneResult lane = judge(0, """
                (Results: 40 planned; 1 passed, 0 failed, 0 soft errs, 0 hard errs)
                text
                (Results: 40 planned; 39 passed, 0 failed, 1 soft errs, 0 hard errs)
                """);
        assertThat(lane.status()).isEqualTo(LaneResult.Status.RAN);
        assertThat(lane.detail()).isEqualTo("39 configurations passed, 1 with soft errors");
        assertThat(lane.counts()).isEqualTo(new Counts(39, 0, 0));
    }

    @Test
    void failuresAndHardErrorsFailTheLane() {
        LaneResult lane = judge(0, "(Results: 40 planned; 36 passed, 2 failed, 1 soft errs, 1 hard errs)\n");
        assertThat(lane.status()).isEqualTo(LaneResult.Status.FAILED);
        assertThat(lane.counts()).isEqualTo(new Counts(36, 3, 0));
        assertThat(lane.detail()).isEqualTo("36 of 40 configurations passed, 2 failed, 1 broke; log in a.log");
    }

    @Test
    void whatWasBadIsNamedWithItsResultsMessagesAndJvm() {
        LaneResult lane = judge(1, """
                ...... [FAILED] a.Ring

                  Scheduling class:
                    a: package group free, core group free

                  JVM args: [-XX:+UseSerialGC, -Xint]
                  Fork: #1

                  RESULT  SAMPLES     FREQ      EXPECT  DESCRIPTION
                    1, 0   50,055   12.60%   Forbidden  half a store
                    1, 1  347,276   87.40%  Acceptable  ok

                (ETA: in 00:00:09; at Mon, 2026-11-23 21:42:40)
                (Results: 12 planned; 0 passed, 1 failed, 0 soft errs, 0 hard errs)

                .... [VM ERROR] a.Dies

                  JVM args: [-XX:+UseSerialGC]
                  Fork: #1

                  Messages:
                    Failed with error code 3

                (Results: 12 planned; 10 passed, 1 failed, 0 soft errs, 1 hard errs)
                """);
        assertThat(lane.lines()).containsExactly(
                "    failed: a.Ring: FAILED: 1, 0   50,055   12.60%   Forbidden  half a store; JVM [-XX:+UseSerialGC, -Xint]",
                "    failed: a.Dies: VM ERROR: Failed with error code 3; JVM [-XX:+UseSerialGC]");
    }

    @Test
    void aRunThatSaysNothingOrEndsBadlyFailsTheLane() {
        assertThat(judge(0, "").status()).isEqualTo(LaneResult.Status.FAILED);
        assertThat(judge(1, "(Results: 4 planned; 4 passed, 0 failed, 0 soft errs, 0 hard errs)").status())
                .isEqualTo(LaneResult.Status.FAILED);
    }

    @Test
    void aTurnHasAShareOfTheTestsAndSixHaveAll() {
        String list = "JCTEST5Sa.One5Sa$One\nJCTEST5Sa.Two5Sa.Two\nJCTEST6Sb.Four1I\nJCTEST10Sa.OneThree9S\n";
        assertThat(StressLane.share(list, 0)).isEqualTo("^(?:\\Qa.One\\E)$");
        assertThat(StressLane.share(list, 7)).isEqualTo("^(?:\\Qa.OneThree\\E)$");
        assertThat(StressLane.share(list, 62)).isEqualTo("^(?:\\Qa.Two\\E)$");
        assertThat(StressLane.share(list, 117)).isEqualTo("^(?:\\Qb.Four\\E)$");
    }
}
