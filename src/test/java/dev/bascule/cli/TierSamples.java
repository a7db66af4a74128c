package dev.bascule.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Samples of two runs of one program at the same moments: one that is left alone at first and tiered afterwards, and its
 * control, which nobody tiers. Pages by node are those of numa_maps, operations those that the programs count.
 * <p>
 * Throughput is the tiered program's operations for each of its control's, so what the machine beneath does to both, and what
 * they gain as their code is compiled, is not counted. Before tiering that is about 1, but in one run it was 0.81
 * from the first second to the last, and why is not known. So what is lost is lost of the share before tiering, in which
 * DAMON watches already.
 */
final class TierSamples {
    /** At one moment; seconds since the first. */
    record Sample(double seconds, long fastBytes, long operations, long controlFastBytes, long controlOperations) {}

    private final double watchSeconds;
    private final List<Sample> all = new ArrayList<>();

    /** @param watchSeconds how long the program is left alone */
    TierSamples(double watchSeconds) {
        this.watchSeconds = watchSeconds;
    }

    void add(Sample sample) {
        all.add(sample);
    }

    void removeLast() {
        all.removeLast();
    }

    List<Sample> all() {
        return all;
    }

    private List<Sample> alone() {
        return all.stream().filter(one -> one.seconds() < watchSeconds - 1).toList();
    }

    private List<Sample> tiered() {
        return all.stream().filter(one -> one.seconds() > watchSeconds).toList();
    }

    double tieredSeconds() {
        return all.isEmpty() ? 0 : Math.max(0, all.getLast().seconds() - watchSeconds);
    }

    long fastBytesBefore() {
        return alone().stream().mapToLong(Sample::fastBytes).max().orElseThrow();
    }

    /** Mean over the second half of the time under tiering. */
    double fastBytesSettled() {
        List<Sample> tiered = tiered();
        return tiered.subList(tiered.size() / 2, tiered.size()).stream().mapToLong(Sample::fastBytes).average()
                .orElseThrow();
    }

    long leastControlFastBytes() {
        return all.stream().mapToLong(Sample::controlFastBytes).min().orElseThrow();
    }

    /** Operations of the tiered program for each of the control's, while nobody tiers either. */
    double shareAlone() {
        return share(alone());
    }

    /** The same under tiering. */
    double shareTiered() {
        return share(tiered());
    }

    /** Part of the share before tiering that is gone under it. */
    double lost() {
        return 1 - shareTiered() / shareAlone();
    }

    /** Operations of the control in the time under tiering. */
    long controlOperations() {
        List<Sample> tiered = tiered();
        return tiered.isEmpty() ? 0 : tiered.getLast().controlOperations() - tiered.getFirst().controlOperations();
    }

    private static double share(List<Sample> samples) {
        Sample first = samples.getFirst();
        Sample last = samples.getLast();
        return (last.operations() - first.operations())
                / (double) (last.controlOperations() - first.controlOperations());
    }

    /** Some seconds a line. */
    String text() {
        StringBuilder text = new StringBuilder();
        int step = 6;
        for (int i = 0; i < all.size() - 1; i += step) {
            Sample one = all.get(i);
            Sample next = all.get(Math.min(all.size() - 1, i + step));
            double seconds = next.seconds() - one.seconds();
            text.append(String.format(
                    "%5.1f s: %6.1f MiB in fast memory, %5.0f operations/s; control %6.1f MiB, %5.0f operations/s%n",
                    one.seconds(), one.fastBytes() / 1048576.0, (next.operations() - one.operations()) / seconds,
                    one.controlFastBytes() / 1048576.0,
                    (next.controlOperations() - one.controlOperations()) / seconds));
        }
        return text.toString();
    }
}
