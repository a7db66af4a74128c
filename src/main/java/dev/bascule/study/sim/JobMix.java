package dev.bascule.study.sim;

import dev.bascule.ffi.NearestWord;
import dev.bascule.registry.Durations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Kinds of jobs with their shares and service times, as published. Immutable; {@link #pick} does not allocate.
 *
 * @param name for reports
 * @param source where it is defined
 * @param kinds the kinds; a kind's index is its class
 */
public record JobMix(String name, String source, List<Kind> kinds) {
    private static final double MICRO = 1e3;
    private static final String BIMODAL = "bimodal:";

    /** A kind of job. */
    public record Kind(String name, double share, ServiceTime time) {}

    /** Checks that the shares add up to 1. */
    public JobMix {
        kinds = List.copyOf(kinds);
        double sum = kinds.stream().mapToDouble(Kind::share).sum();
        if (Math.abs(sum - 1) > 1e-9 || kinds.stream().anyMatch(k -> !(k.share() > 0))) {
            throw new IllegalArgumentException(
                    "mix " + name + ": shares add up to " + sum + "; they must be above 0 and add up to 1");
        }
    }

    /** One kind. */
    public static JobMix one(String name, String source, ServiceTime time) {
        return new JobMix(name, source, List.of(new Kind(name, 1, time)));
    }

    /** Two kinds of fixed length, us. */
    public static JobMix bimodal(String name, String source, double shortShare, double shortMicros,
            double longMicros) {
        return new JobMix(name, source, List.of(new Kind("short", shortShare, micros(shortMicros)),
                new Kind("long", 1 - shortShare, micros(longMicros))));
    }

    private static ServiceTime micros(double micros) {
        return ServiceTime.fixed(micros * MICRO);
    }

    /** The published mixes by name. */
    public static Map<String, JobMix> published() {
        String ghost = "google/ghost-userspace, experiments/scripts";
        String psp = "maxdml/psp";
        String shinjuku = "stanford-mast/shinjuku (forms); parameters from recollection";
        List<JobMix> all = new ArrayList<>();
        all.add(new JobMix("ghost-rocksdb", ghost + " (RANGE 5 ms)", List.of(new Kind("GET", 0.995, micros(10)),
                new Kind("RANGE", 0.005, micros(5_000)))));
        all.add(new JobMix("ghost-rocksdb-10ms", ghost + " (binary's default RANGE 10 ms)", List.of(
                new Kind("GET", 0.995, micros(10)), new Kind("RANGE", 0.005, micros(10_000)))));
        all.add(one("ghost-fifo", ghost + " (GET 10 + Exp(1))", ServiceTime.shifted(10 * MICRO, MICRO)));
        all.add(bimodal("skyloft", "yhtzd/skyloft, docs/sosp24-ae.md", 0.995, 4, 10_000));
        all.add(bimodal("extreme-bimodal", psp + " schedules/SBIM2.yml", 0.995, 0.5, 500));
        all.add(bimodal("high-bimodal", psp + " schedules/DISP2.yml", 0.5, 1, 100));
        all.add(bimodal("bim1", psp + " loader.py", 0.9, 0.5, 5.5));
        all.add(bimodal("bim2", psp + " loader.py", 0.999, 0.5, 500.5));
        all.add(bimodal("bimodal3", "shenango/caladan presets", 0.99, 0.5, 5.5));
        all.add(bimodal("disp1", psp + " loader.py", 0.5, 1, 10));
        all.add(new JobMix("tpcc", psp + " schedules/TPCC.yml", List.of(new Kind("Payment", 0.44, micros(5.7)),
                new Kind("OrderStatus", 0.04, micros(6)), new Kind("NewOrder", 0.44, micros(20)),
                new Kind("Delivery", 0.04, micros(88)), new Kind("StockLevel", 0.04, micros(100)))));
        all.add(new JobMix("psp-rocksdb", psp + " schedules/ROCKSDB.yml", List.of(new Kind("GET", 0.5, micros(1.5)),
                new Kind("SCAN", 0.5, micros(635)))));
        all.add(one("fixed", shinjuku + ": Fixed(1)", micros(1)));
        all.add(one("exponential", shinjuku + ": Exp(1)", ServiceTime.exponential(MICRO)));
        all.add(new JobMix("trimodal", shinjuku + ": 1/10/100 in thirds", List.of(
                new Kind("1us", 1 / 3.0, micros(1)), new Kind("10us", 1 / 3.0, micros(10)),
                new Kind("100us", 1 / 3.0, micros(100)))));
        all.add(new JobMix("rpc", "made up: echo 1 us, lookup 5 us, compute 50 us; no published mix was at hand",
                List.of(new Kind("echo", 0.7, ServiceTime.exponential(MICRO)),
                        new Kind("lookup", 0.25, ServiceTime.exponential(5 * MICRO)),
                        new Kind("compute", 0.05, ServiceTime.lognormal(50 * MICRO, 25 * MICRO)))));
        Map<String, JobMix> byName = new LinkedHashMap<>();
        all.forEach(mix -> byName.put(mix.name(), mix));
        return byName;
    }

    /**
     * A published mix, or {@code bimodal:SHARE:SHORT:LONG}: the share of short jobs, and two times with units.
     *
     * @param others what the user may write instead, for the message
     * @throws IllegalArgumentException if there is none of this name
     */
    public static JobMix named(String name, String... others) {
        JobMix mix = name.startsWith(BIMODAL) ? bimodal(name) : published().get(name);
        if (mix == null) {
            List<String> all = new ArrayList<>(published().keySet());
            all.addAll(List.of(others));
            throw new IllegalArgumentException(
                    NearestWord.none("mix", name, all) + ", " + BIMODAL + "SHARE:SHORT:LONG");
        }
        return mix;
    }

    private static JobMix bimodal(String name) {
        String[] parts = name.substring(BIMODAL.length()).split(":", -1);
        try {
            if (parts.length == 3) {
                return bimodal(name, "given", Double.parseDouble(parts[0]), Durations.parseNanos(parts[1]) / MICRO,
                        Durations.parseNanos(parts[2]) / MICRO);
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("mix=" + name + ": " + e.getMessage(), e);
        }
        throw new IllegalArgumentException("mix=" + name + ": the share of short jobs and two times, as "
                + BIMODAL + "0.995:4us:10ms");
    }

    /** Draws a kind. */
    public int pick(SplittableRandom random) {
        double draw = random.nextDouble();
        int kind = 0;
        double upTo = kinds.get(0).share();
        while (kind < kinds.size() - 1 && draw >= upTo) {
            kind++;
            upTo += kinds.get(kind).share();
        }
        return kind;
    }

    /** Mean service time, ns. */
    public double meanNanos() {
        return kinds.stream().mapToDouble(k -> k.share() * k.time().mean()).sum();
    }

    /** Second moment of the service time, ns squared. */
    public double secondMoment() {
        return kinds.stream().mapToDouble(k -> k.share() * k.time().secondMoment()).sum();
    }

    /** Jobs per second that so many CPUs could do if nothing else cost time. */
    public double capacityPerSecond(int cpus) {
        return cpus * 1e9 / meanNanos();
    }
}
