package dev.bascule.app.judge;

import dev.bascule.device.DeviceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Asks a card all questions, one part after the other. One thread. */
public final class Judge {
    private static final List<Part> PARTS = Stream.of(FrameParts.ALL, TimeParts.ALL, LifeParts.ALL, LossParts.ALL,
            List.of(Part.ofAll("long-run", "many frames on end, every byte as sent", Judge::longRun)))
            .flatMap(List::stream).toList();

    private final Bench bench;

    /** @param plan what is judged */
    public Judge(JudgePlan plan) {
        this.bench = new Bench(plan);
    }

    /** Names of all parts and what they ask, in order. */
    public static Map<String, String> parts() {
        Map<String, String> all = new LinkedHashMap<>();
        PARTS.forEach(part -> all.put(part.name(), part.question()));
        return all;
    }

    /**
     * Finds the far end, then judges.
     *
     * @param isWanted which parts, by name
     * @param finding gets each finding as soon as it is there
     * @throws DeviceException if the card cannot be opened at all
     * @throws java.util.concurrent.CancellationException when the plan says that it is to end
     */
    public List<Finding> run(Predicate<String> isWanted, Consumer<Finding> finding) {
        List<Finding> all = new ArrayList<>();
        Consumer<Finding> both = finding.andThen(all::add);
        long start = System.nanoTime();
        try {
            bench.explore();
        } catch (Fault fault) {
            both.accept(failed("far-end", String.valueOf(fault.getMessage()), fault.bytes(), start));
            return all;
        }
        PARTS.stream().filter(part -> isWanted.test(part.name())).forEach(part -> both.accept(ask(part)));
        return all;
    }

    private Finding ask(Part part) {
        bench.begin(part.name());
        long start = System.nanoTime();
        try {
            Optional<String> lacking = part.lacking().apply(bench);
            return lacking.isPresent()
                    ? finding(part.name(), Finding.Verdict.NOT_APPLICABLE, lacking.get(), start)
                    : finding(part.name(), Finding.Verdict.PASSED, part.answer().apply(bench), start);
        } catch (Fault fault) {
            return failed(part.name(), String.valueOf(fault.getMessage()), fault.bytes(), start);
        } catch (DeviceException stop) {
            return failed(part.name(), String.valueOf(stop.getMessage()), List.of(), start);
        } catch (CancellationException end) {
            throw end;
        } catch (RuntimeException unexpected) { // of a driver that anybody may have written
            return failed(part.name(), unexpected + " at " + unexpected.getStackTrace()[0], List.of(), start);
        }
    }

    private static Finding finding(String part, Finding.Verdict verdict, String text, long start) {
        return new Finding(part, verdict, text, List.of(), List.of(), seconds(start));
    }

    private Finding failed(String part, String text, List<String> bytes, long start) {
        return new Finding(part, Finding.Verdict.FAILED, text, bytes, bench.history().last(), seconds(start));
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private static String longRun(Bench bench) {
        try (Link link = bench.open(bench.options(bench.plan().queues()))) {
            Traffic traffic = bench.traffic(link, bench.ordinary());
            traffic.exchange(bench.plan().frames());
            return traffic.text();
        }
    }
}
