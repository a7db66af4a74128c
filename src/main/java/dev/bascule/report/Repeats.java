package dev.bascule.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Independent repeats of one transport's run, put together: counts are sums, figures are means, a load point is saturated
 * and a fault stands if that was so once.
 */
final class Repeats {
    private final List<RunResult> all;

    private Repeats(List<RunResult> all) {
        this.all = all;
    }

    /** One of several, in the order of their seeds; the only one as it is. */
    static RunResult merged(List<RunResult> repeats) {
        return repeats.size() == 1 ? repeats.getFirst() : new Repeats(repeats).merged();
    }

    private RunResult merged() {
        RunResult first = all.getFirst();
        List<LoadPoint> curve = new ArrayList<>();
        for (int i = 0; i < first.curve().size(); i++) {
            int at = i;
            curve.add(point(one -> one.curve().get(at)));
        }
        return new RunResult(first.transport(), first.description(), mean(RunResult::capacityPerSecond),
                total(RunResult::seconds),
                new RunResult.Requests(sum(one -> one.requests().offered()), sum(one -> one.requests().served()),
                        sum(one -> one.requests().rejected()), sum(one -> one.requests().lost()),
                        sum(one -> one.requests().duplicated()), sum(one -> one.requests().wrongAnswers())),
                point(RunResult::shown),
                new RunResult.Decisions(sum(one -> one.decisions().made()), sum(one -> one.decisions().stale()),
                        sum(one -> one.decisions().aborted()), sum(one -> one.decisions().prestageHits()),
                        sum(one -> one.decisions().local()), sum(one -> one.decisions().policyFaults())),
                percentiles(RunResult::window), RepeatedFindings.bars(all, RunResult::windowBars),
                new RunResult.Resources(total(one -> one.resources().agentCpuSeconds()),
                        total(one -> one.resources().hostCpuSeconds()), sum(one -> one.resources().agentRestarts()),
                        all.stream().mapToLong(one -> one.resources().residentBytes()).max().orElse(0)),
                faults(), curve, all);
    }

    private double mean(ToDoubleFunction<RunResult> figure) {
        return Estimate.of(all.stream().map(figure::applyAsDouble).toList()).mean();
    }

    private double total(ToDoubleFunction<RunResult> figure) {
        return all.stream().mapToDouble(figure).sum();
    }

    private long sum(ToLongFunction<RunResult> count) {
        return all.stream().mapToLong(count).anyMatch(one -> one < 0)
                ? RunResult.NOT_MEASURED
                : all.stream().mapToLong(count).sum();
    }

    private LoadPoint point(Function<RunResult, LoadPoint> of) {
        List<ClassLatency> classes = new ArrayList<>();
        for (int i = 0; i < of.apply(all.getFirst()).classes().size(); i++) {
            int at = i;
            classes.add(new ClassLatency(of.apply(all.getFirst()).classes().get(i).name(),
                    percentiles(one -> of.apply(one).classes().get(at).latency())));
        }
        return new LoadPoint(mean(one -> of.apply(one).offeredPerSecond()),
                mean(one -> of.apply(one).servedPerSecond()), percentiles(one -> of.apply(one).latency()), classes,
                all.stream().anyMatch(one -> of.apply(one).isSaturated()));
    }

    private Percentiles percentiles(Function<RunResult, Percentiles> of) {
        return RepeatedFindings.percentiles(all.stream().map(of).toList());
    }

    private List<RunFault> faults() {
        List<RunFault> faults = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            String where = "repeat " + (i + 1) + " of " + all.size() + ": ";
            all.get(i).faults().forEach(fault -> faults.add(new RunFault(fault.kind(), where + fault.text())));
        }
        return faults;
    }
}
