package dev.bascule.study.compare;

import dev.bascule.agent.Watchdog;
import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** E8: the agent is killed, stands still, or collects garbage. How soon is it noticed, and how often wrongly? */
final class Faults {
    private static final SoloLoad LOAD = new SoloLoad(8, 10_000, 0, true);
    private static final long SETTLE_NANOS = 300_000_000;
    private static final long QUICK_SETTLE_NANOS = 100_000_000;
    private static final long AFTER_NANOS = 30_000_000;
    private static final long GIVE_UP_NANOS = 20_000_000_000L;
    static final double[] PAUSES_MILLIS = { 0.1, 1, 10, 100 };
    private static final int[] QUICK_STOPS = { 4, 4, 2, 1 };
    private static final int[] FULL_STOPS = { 100, 100, 50, 10 };

    /** The load's count over some faults: tasks lost, and runs of tasks that had not asked. */
    record Account(long lost, long unasked) {
        static Account of(SoloHost host) {
            return new Account(host.ledger().lost(), host.ledger().unasked());
        }

        Account since(Account earlier) {
            return new Account(lost - earlier.lost, unasked - earlier.unasked);
        }
    }

    /** One way to be killed. */
    record Kill(String transport, boolean polling, boolean reported, List<Double> localMicros,
            List<Double> fenceMicros, List<Double> recoverMicros, double hostDecisions, Account account) {
        String column() {
            return transport + (polling ? " polling" : " interrupt")
                    + (reported ? ", exit reported" : ", silence only");
        }
    }

    /** Stops of one length. */
    record Pause(String transport, boolean polling, double millis, int stops, int noticed, long hostDecisions,
            int fences, double localMicros, Account account) {
        String column() {
            return transport + (polling ? " polling" : " interrupt");
        }
    }

    /** With and without a busy collector. */
    record Collected(String transport, boolean collecting, SoloFigures figures, List<Double> pausesMillis,
            Account account) {
        String column() {
            return transport + (collecting ? ", collector busy" : ", collector idle");
        }
    }

    private final Bench bench;
    private final SplittableRandom random;
    private int spoiled;
    private final List<Kill> kills = new ArrayList<>();
    private final List<Pause> pauses = new ArrayList<>();
    private final List<Collected> collected = new ArrayList<>();

    Faults(Bench bench) {
        this.bench = bench;
        random = new SplittableRandom(bench.seed());
    }

    /** Plays one transport, on a bed of one CPU. */
    void play(Testbed bed, String transport) throws InterruptedException {
        for (boolean polling : new boolean[] { true, false }) {
            String how = transport + (polling ? ", polling" : ", interrupt");
            if (polling || !bench.quick()) {
                bench.progress().accept("E8: agents killed over " + how);
                kills.add(kill(bed.host(), transport, polling, true));
                kills.add(kill(bed.host(), transport, polling, false));
            }
            bench.progress().accept("E8: agents stopped over " + how);
            stops(bed.host(), transport, polling);
        }
        collected.add(collect(bed, transport, false));
    }

    /** Plays one transport whose agent collects garbage, on a bed of its own. */
    void playCollecting(String transport) throws InterruptedException {
        bench.progress().accept("E8: agents that collect garbage over " + transport);
        try (Testbed bed = Testbed.open(bench, transport, 1, true)) {
            collected.add(collect(bed, transport, true));
        }
    }

    Section section() {
        FaultFigures figures = new FaultFigures(bench, kills, pauses, collected);
        return new Section("E8", "crash, pause and garbage collection of the agent",
                "One CPU that always has work; the agent's process gets SIGKILL, or SIGSTOP and after a while SIGCONT, or"
                        + " its collector is kept busy. Every transport has the same budgets: a soft window of "
                        + FigureText.micros(bench.softNanos() / 1e3)
                        + ", after which the host decides by itself, and a hard"
                        + " limit of " + FigureText.micros(bench.hardNanos() / 1e3)
                        + ", after which the agent is fenced and replaced. Faults meet agents that are warm (that have"
                        + " made " + Watchdog.WARM_DECISIONS + " decisions); before, the hard limit is "
                        + Watchdog.COLD_LIMITS + " times as long. A fenced agent that was alive is a false"
                        + " alarm.",
                figures.grids(), List.of(), figures.wrong(), figures.findings(),
                List.of(SoloHost.LEDGER_NOTE,
                        "Exit reported: the supervisor of the agent's process tells; silence only: it is not asked.",
                        "A stop counts as noticed if the host decided by itself before it was over, or within "
                                + AFTER_NANOS / 1_000_000 + " ms after.",
                        "Faults set for an agent that had just been fenced for another reason, not inflicted and set"
                                + " again: " + spoiled + ".",
                        bench.quick()
                                ? "Quick: kills, and stops beyond the hard limit, with a polling host only; one kill of a kind, of"
                                        + " which no sentence is made."
                                : "Kills and stops with a polling and with a sleeping host.",
                        "The new agent is a new JVM: its start is most of the recovery time."));
    }

    private static SoloLoad load(boolean polling) {
        return polling ? LOAD : LOAD.sleeping();
    }

    /** Until an agent is there and has run for a while. */
    private void settle(SoloHost host, SoloLoad load) throws InterruptedException {
        host.run(load, GIVE_UP_NANOS, host::isAgentWarm);
        host.run(load, bench.quick() ? QUICK_SETTLE_NANOS : SETTLE_NANOS);
    }

    private Kill kill(SoloHost host, String transport, boolean polling, boolean reported) throws InterruptedException {
        int times = bench.quick() ? 1 : 5;
        List<Double> local = new ArrayList<>();
        List<Double> fence = new ArrayList<>();
        List<Double> recover = new ArrayList<>();
        long decisions = 0;
        Account before = Account.of(host);
        for (int i = 0; i < times; i++) {
            FaultTrace trace = killOnce(host, load(polling), reported);
            local.add(micros(trace.firstLocalNanos()));
            fence.add(micros(trace.fencedNanos()));
            recover.add(micros(trace.recoveredNanos()));
            decisions += trace.locals();
            host.settleAccounts(load(polling));
        }
        return new Kill(transport, polling, reported, local, fence, recover, (double) decisions / times,
                Account.of(host).since(before));
    }

    private FaultTrace killOnce(SoloHost host, SoloLoad load, boolean reported) throws InterruptedException {
        FaultTrace trace = host.trace();
        do {
            settle(host, load);
            host.useExitReports(reported);
            trace.kill(host.agentProcessId(), soon());
            host.run(load, GIVE_UP_NANOS, () -> trace.isSpoiled() || trace.isRecovered());
            host.useExitReports(true);
            spoiled += trace.isSpoiled() ? 1 : 0;
        } while (trace.isSpoiled());
        return trace;
    }

    private void stops(SoloHost host, String transport, boolean polling) throws InterruptedException {
        int[] counts = bench.quick() ? QUICK_STOPS : FULL_STOPS;
        for (int length = 0; length < PAUSES_MILLIS.length; length++) {
            long nanos = Math.round(PAUSES_MILLIS[length] * 1e6);
            if (bench.quick() && !polling && nanos > bench.hardNanos()) {
                continue; // each costs the start of an agent
            }
            int noticed = 0;
            int fences = 0;
            long decisions = 0;
            double localMicros = 0;
            Account before = Account.of(host);
            settle(host, load(polling));
            for (int stop = 0; stop < counts[length]; stop++) {
                FaultTrace trace = stopOnce(host, load(polling), nanos);
                noticed += trace.firstLocalNanos() >= 0 ? 1 : 0;
                localMicros += Math.max(0, trace.firstLocalNanos()) / 1e3;
                decisions += trace.locals();
                host.settleAccounts(load(polling));
                if (trace.isFenced()) {
                    fences++;
                    settle(host, load(polling));
                }
            }
            pauses.add(new Pause(transport, polling, PAUSES_MILLIS[length], counts[length], noticed, decisions, fences,
                    noticed == 0 ? Double.NaN : localMicros / noticed, Account.of(host).since(before)));
        }
    }

    private FaultTrace stopOnce(SoloHost host, SoloLoad load, long nanos) throws InterruptedException {
        FaultTrace trace = host.trace();
        do {
            host.run(load, GIVE_UP_NANOS, host::isAgentWarm);
            long at = soon();
            trace.pause(host.agentProcessId(), at, nanos);
            long until = at + nanos + AFTER_NANOS;
            BooleanSupplier enough = () -> trace.isFenced() ? trace.isRecovered() : System.nanoTime() > until;
            host.run(load, GIVE_UP_NANOS, enough);
            trace.resume();
            spoiled += trace.isSpoiled() ? 1 : 0;
        } while (trace.isSpoiled());
        return trace;
    }

    private Collected collect(Testbed bed, String transport, boolean collecting) throws InterruptedException {
        bed.host().run(LOAD, GIVE_UP_NANOS, bed.host()::isAgentWarm);
        int before = bed.collectorPausesMillis().size();
        Account account = Account.of(bed.host());
        SoloFigures figures = bed.host().run(LOAD, bench.quick() ? 700_000_000L : 10_000_000_000L);
        List<Double> all = bed.collectorPausesMillis();
        bed.host().settleAccounts(LOAD);
        return new Collected(transport, collecting, figures, List.copyOf(all.subList(Math.min(before, all.size()),
                all.size())), Account.of(bed.host()).since(account));
    }

    /** A moment that no phase of the agent or the host can be in step with. */
    private long soon() {
        return System.nanoTime() + 10_000_000 + random.nextLong(10_000_000);
    }

    private static double micros(long nanos) {
        return nanos < 0 ? Double.NaN : nanos / 1e3;
    }
}
