package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.report.Percentiles;
import dev.bascule.workload.RequestLedger;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What makes a run fail: a request that went wrong at any time, also where nothing is measured. */
class MainJobTest {
    private static final RequestLedger.Summary CLEAN = new RequestLedger.Summary(10, 10, 10, 0, 0, 0, 0, 0, 0);

    @Test
    void whatGoesWrongBeforeTheFirstLoadPointFailsTheRun() {
        assertThat(result(CLEAN, CLEAN).isClean()).isTrue();
        for (RequestLedger.Summary bad : List.of(new RequestLedger.Summary(10, 9, 9, 0, 1, 0, 0, 0, 0),
                new RequestLedger.Summary(10, 11, 11, 0, 0, 1, 0, 0, 0),
                new RequestLedger.Summary(10, 10, 10, 0, 0, 0, 1, 0, 0),
                new RequestLedger.Summary(10, 10, 10, 0, 0, 0, 0, 1, 0),
                new RequestLedger.Summary(10, 10, 10, 0, 0, 0, 0, 0, 1))) {
            assertThat(result(bad, CLEAN).isClean()).as("in warm-up or the capacity phase: %s", bad).isFalse();
            assertThat(result(CLEAN, bad).isClean()).as("at a load point: %s", bad).isFalse();
        }
        assertThat(result(new RequestLedger.Summary(10, 7, 7, 3, 0, 0, 0, 0, 0), CLEAN).isClean())
                .as("refused is not lost").isTrue();
    }

    private static MainJob.Result result(RequestLedger.Summary warmUp, RequestLedger.Summary point) {
        return new MainJob.Result(1000, true, "test", List.of(new MainJob.OfTransport("wave", 1000, 1000,
                List.of(point(CLEAN), point(warmUp)), List.of(point(point)),
                new WhoDecided(1, 0, 0, 0, false, "", 0, null, 0), List.of(), List.of(), List.of(), List.of(),
                List.of(), 0, null)), 0);
    }

    private static PointResult point(RequestLedger.Summary requests) {
        Percentiles none = new Percentiles(0, 0, 0, 0, 0);
        return new PointResult(0.5, 10, 1, 1, requests, none, List.of(), none, List.of(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}
