package dev.bascule.run;

import dev.bascule.host.TimeHistogram;
import dev.bascule.report.Percentiles;
import dev.bascule.workload.lauberhorn.RpcAccount;
import dev.bascule.workload.lauberhorn.RpcLoad;

/** Findings of a load of calls, in the order in which they are printed. */
public final class LoadResult {
    private LoadResult() {}

    /** Result of a load, put into a command's summary. */
    public static void describe(RpcLoad load, TimeHistogram latency, Summary summary) {
        RpcAccount account = load.account();
        Percentiles all = Percentiles.of(latency);
        summary.put("sent", account.sent()).put("answered", account.answered()).put("refused", account.refused())
                .put("without reply", account.open()).put("replied twice", account.twice())
                .put("replies to nothing", account.unknown()).put("wrong replies", account.wrong())
                .put("port unreachable", load.unreachable())
                .put("seconds", load.nanos() / 1e9)
                .put("calls per second", account.answered() * 1e9 / load.nanos());
        if (account.answered() > 0) {
            summary.put("p50 us", all.p50()).put("p99 us", all.p99()).put("p99.9 us", all.p999());
        }
    }
}
