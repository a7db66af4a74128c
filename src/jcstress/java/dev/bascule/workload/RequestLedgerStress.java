package dev.bascule.workload;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** A task ends a request while the host rejects it, and two requests of one word end at once: each is counted once. */
@JCStressTest
@Outcome(id = { "2, 0, 1", "1, 1, 1" }, expect = Expect.ACCEPTABLE, desc = "one counts, the other is a duplicate")
@Outcome(expect = Expect.FORBIDDEN, desc = "an end was lost, or counted twice")
@State
public class RequestLedgerStress {
    private final RequestLedger ledger = new RequestLedger(2);

    /** Both were issued. */
    public RequestLedgerStress() {
        ledger.issued(0);
        ledger.issued(1);
    }

    /** A task. */
    @Actor
    public void complete() {
        ledger.completed(0, Service.OK);
    }

    /** The host, and another task. */
    @Actor
    public void reject() {
        ledger.rejected(0);
        ledger.completed(1, Service.OK);
    }

    /** Counts. */
    @Arbiter
    public void count(JJJ_Result r) {
        RequestLedger.Summary summary = ledger.summary();
        r.r1 = summary.completed();
        r.r2 = summary.rejected();
        r.r3 = summary.duplicated();
    }
}
