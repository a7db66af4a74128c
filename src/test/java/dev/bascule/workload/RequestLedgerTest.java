package dev.bascule.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RequestLedgerTest {
    private static final int CAPACITY = 200;

    private final RequestLedger ledger = new RequestLedger(CAPACITY);

    @BeforeEach
    void issueAHundred() {
        for (int id = 0; id < 100; id++) {
            ledger.issued(id);
        }
    }

    private void run(int from, int to) {
        for (int id = from; id < to; id++) {
            ledger.started(id);
            ledger.completed(id, Service.OK);
        }
    }

    @Test
    void aRunInWhichAllEndedOnceIsClean() {
        run(0, 100);
        assertThat(ledger.summary()).isEqualTo(new RequestLedger.Summary(100, 100, 100, 0, 0, 0, 0, 0, 0));
        assertThat(ledger.summary().isClean()).isTrue();
    }

    @Test
    void aRequestThatNeverEndedIsLost() {
        run(0, 99);
        ledger.started(99);
        assertThat(ledger.summary().lost()).isEqualTo(1);
        assertThat(ledger.summary().started()).isEqualTo(100);
        assertThat(ledger.summary().isClean()).isFalse();
        assertThat(ledger.isEnded(98)).isTrue();
        assertThat(ledger.isEnded(99)).isFalse();
    }

    @Test
    void aRequestStartedTwiceIsADuplicate() {
        run(0, 100);
        ledger.started(63);
        assertThat(ledger.summary().duplicated()).isEqualTo(1);
        assertThat(ledger.summary().completed()).isEqualTo(100);
        assertThat(ledger.summary().isClean()).isFalse();
    }

    @Test
    void aRequestEndedTwiceIsADuplicateAndCountsOnce() {
        run(0, 100);
        ledger.completed(64, Service.WRONG_ANSWER);
        assertThat(ledger.summary()).isEqualTo(new RequestLedger.Summary(100, 100, 100, 0, 0, 1, 0, 0, 0));
    }

    @Test
    void aRejectedRequestIsNotLost() {
        run(0, 90);
        for (int id = 90; id < 100; id++) {
            ledger.rejected(id);
        }
        RequestLedger.Summary summary = ledger.summary();
        assertThat(summary.rejected()).isEqualTo(10);
        assertThat(summary.completed()).isEqualTo(90);
        assertThat(summary.lost()).isZero();
        assertThat(summary.isClean()).isTrue();
    }

    @Test
    void rejectingWhatRanIsADuplicate() {
        run(0, 100);
        ledger.rejected(5);
        assertThat(ledger.summary().duplicated()).isEqualTo(1);
        assertThat(ledger.summary().rejected()).isZero();
    }

    @Test
    void wrongAnswersAndFailuresAreCountedApart() {
        run(0, 97);
        ledger.completed(97, Service.WRONG_ANSWER);
        ledger.completed(98, Service.FAILED);
        ledger.completed(99, 77);
        assertThat(ledger.summary().wrongAnswers()).isEqualTo(1);
        assertThat(ledger.summary().failed()).isEqualTo(2);
        assertThat(ledger.summary().completed()).isEqualTo(100);
        assertThat(ledger.summary().isClean()).isFalse();
    }

    @Test
    void anIdNobodyIssuedIsUnknown() {
        run(0, 100);
        ledger.started(150);
        ledger.completed(-1, Service.OK);
        ledger.rejected(CAPACITY);
        ledger.completed(Long.MAX_VALUE, Service.OK);
        assertThat(ledger.summary().unknown()).isEqualTo(4);
        assertThat(ledger.summary().completed()).isEqualTo(100);
    }

    @Test
    void twoThreadsOnTheSameIdsCountEachDuplicateExactlyOnce() throws Exception {
        int n = 50_000;
        RequestLedger shared = new RequestLedger(n);
        for (int id = 0; id < n; id++) {
            shared.issued(id);
        }
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int id = 0; id < n; id++) {
                    shared.completed(id, Service.OK);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(shared.summary().completed()).isEqualTo(n);
        assertThat(shared.summary().duplicated()).isEqualTo(n);
        assertThat(shared.summary().lost()).isZero();
    }
}
