package dev.bascule.study.sim;

import dev.bascule.registry.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Load with what a user adds to it: residents beside its jobs, and other hints about these. Each resident has a
 * generator of its own, and hints have one, so both are the same under two policies. One thread.
 */
public final class ExtendedLoad implements SimLoad {
    /**
     * Residents of a kind.
     *
     * @param name as it was given
     * @param threads of the kind, 1 to 4,096
     * @param one what each is to policies
     * @param runNanos mean of the exponential time that it runs between two pauses; 0: it never pauses
     * @param pauseNanos mean of its exponential pauses
     */
    public record Residents(String name, int threads, Resident one, double runNanos, double pauseNanos) {
        private static final int MOST = 4_096;
        private static final int BEST_EFFORT = 255;
        private static final int LAST = 19;

        /** Checks the values. */
        public Residents {
            if (threads < 1 || threads > MOST) {
                throw new IllegalArgumentException(threads + " residents: from 1 to " + MOST);
            }
            if (runNanos > 0 != pauseNanos > 0) {
                throw new IllegalArgumentException("run and pause are two times above 0; give both, or neither");
            }
        }

        /** So many residents that never pause. */
        public Residents(int threads, Resident one) {
            this(Integer.toString(threads), threads, one, 0, 0);
        }

        /**
         * From {@code 0}, for none, or {@code N[:class=C][:nice=N][:cpus=A-B][:run=TIME:pause=TIME]}, and others
         * after a {@code +}.
         *
         * @throws IllegalArgumentException if it is none of them
         */
        public static List<Residents> named(String text) {
            if (text.equals("0") || text.isEmpty()) {
                return List.of();
            }
            List<Residents> all = new ArrayList<>();
            for (String kind : text.split("\\+", -1)) {
                try {
                    all.add(kind(kind));
                } catch (NumberFormatException e) {
                    throw new IllegalArgumentException("residents=" + text + ": '" + kind
                            + "' has a word where a whole number is needed; as 4, or 2:nice=5:run=2ms:pause=1ms", e);
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException("residents=" + text + ": " + e.getMessage(), e);
                }
            }
            if (all.stream().mapToInt(Residents::threads).sum() > MOST) {
                throw new IllegalArgumentException("residents=" + text + ": at most " + MOST + " together");
            }
            return all;
        }

        private static Residents kind(String text) {
            String[] words = text.split(":", -1);
            int taskClass = BEST_EFFORT;
            int nice = LAST;
            long affinity = -1;
            double[] times = new double[2];
            for (int i = 1; i < words.length; i++) {
                String value = words[i].substring(words[i].indexOf('=') + 1);
                switch (words[i].replaceFirst("=.*", "=")) {
                    case "class=" -> taskClass = whole(words[i], value, 0, BEST_EFFORT);
                    case "nice=" -> nice = whole(words[i], value, -20, LAST);
                    case "cpus=" -> affinity = cpus(words[i], value);
                    case "run=" -> times[0] = time(words[i], value);
                    case "pause=" -> times[1] = time(words[i], value);
                    default -> throw new IllegalArgumentException("'" + words[i]
                            + "' is none of class=, nice=, cpus=, run= and pause=");
                }
            }
            return new Residents(text, Integer.parseInt(words[0]), new Resident(taskClass, nice, affinity), times[0],
                    times[1]);
        }

        private static int whole(String word, String value, int low, int high) {
            int number = Integer.parseInt(value);
            if (number < low || number > high) {
                throw new IllegalArgumentException(word + ": from " + low + " to " + high);
            }
            return number;
        }

        private static double time(String word, String value) {
            long nanos = Durations.parseNanos(value);
            if (nanos < 1) {
                throw new IllegalArgumentException(word + ": at least 1ns");
            }
            return nanos;
        }

        private static long cpus(String word, String value) {
            String[] ends = value.split("-", -1);
            int first = whole(word, ends[0], 0, Long.SIZE - 1);
            int last = ends.length == 2 ? whole(word, ends[1], first, Long.SIZE - 1) : first;
            if (ends.length > 2) {
                throw new IllegalArgumentException(word + ": a CPU or a range, as cpus=0-3");
            }
            return -1L >>> Long.SIZE - 1 - (last - first) << first;
        }
    }

    /**
     * Hints about how much CPU time a job needs.
     *
     * @param areGiven they are those of the load; nothing else counts
     * @param areKnown each is that of the job itself; otherwise there are none, and no deadlines
     * @param sigma of the logarithm of the factor by which they are wrong, normal with mean 0; 0: they are exact
     */
    public record Hints(boolean areGiven, boolean areKnown, double sigma) {
        /** Those of the load. */
        public static final Hints GIVEN = new Hints(true, true, 0);
        private static final double LARGEST_SIGMA = 10;
        private static final String NOISY = "noisy:";

        /** Checks the values. */
        public Hints {
            if (!(sigma >= 0 && sigma <= LARGEST_SIGMA)) {
                throw new IllegalArgumentException("sigma " + sigma + ": from 0 to " + (int) LARGEST_SIGMA);
            }
        }

        /**
         * From {@code given}, {@code exact}, {@code noisy:SIGMA} or {@code none}.
         *
         * @throws IllegalArgumentException if it is none of them
         */
        public static Hints named(String text) {
            try {
                return switch (text.startsWith(NOISY) ? NOISY : text) {
                    case "given" -> GIVEN;
                    case "exact" -> new Hints(false, true, 0);
                    case NOISY -> new Hints(false, true, Double.parseDouble(text.substring(NOISY.length())));
                    case "none" -> new Hints(false, false, 0);
                    default -> throw new IllegalArgumentException("given, exact, noisy:SIGMA as noisy:0.5, or none");
                };
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("hints=" + text + ": SIGMA is a number, as noisy:0.5", e);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("hints=" + text + ": " + e.getMessage(), e);
            }
        }
    }

    private final SimLoad jobs;
    private final List<Residents> kinds;
    private final Hints hints;
    private final SplittableRandom noise;
    private final int[] kindOf;
    private final SplittableRandom[] random;

    /** A load with residents beside its jobs; it may have none of its own. */
    public ExtendedLoad(SimLoad jobs, List<Residents> kinds, long seed) {
        this(jobs, kinds, Hints.GIVEN, seed);
    }

    /** A load with residents beside its jobs, and with other hints about these. */
    public ExtendedLoad(SimLoad jobs, List<Residents> kinds, Hints hints, long seed) {
        if (!jobs.residents().isEmpty()) {
            throw new IllegalArgumentException("residents: the load has " + jobs.residents().size() + " of its own");
        }
        this.jobs = jobs;
        this.kinds = List.copyOf(kinds);
        this.hints = hints;
        kindOf = IntStream.range(0, kinds.size()).flatMap(kind -> IntStream.generate(() -> kind)
                .limit(kinds.get(kind).threads)).toArray();
        SplittableRandom root = new SplittableRandom(seed);
        noise = root.split();
        random = IntStream.range(0, kindOf.length).mapToObj(_ -> root.split()).toArray(SplittableRandom[]::new);
    }

    @Override
    public int classes() {
        return jobs.classes();
    }

    @Override
    public long expectedNanos(int jobClass) {
        return jobs.expectedNanos(jobClass);
    }

    @Override
    public long affinity(int jobClass) {
        return jobs.affinity(jobClass);
    }

    @Override
    public int nice(int jobClass) {
        return jobs.nice(jobClass);
    }

    @Override
    public long nextArrivalNanos() {
        return jobs.nextArrivalNanos();
    }

    @Override
    public void take(SimJob job) {
        jobs.take(job);
        if (hints.areGiven) {
            return;
        }
        if (!hints.areKnown) {
            job.expected(0).deadline(0);
            return;
        }
        double normal = hints.sigma == 0
                ? 0
                : StrictMath.sqrt(-2 * StrictMath.log(1 - noise.nextDouble()))
                        * StrictMath.cos(2 * Math.PI * noise.nextDouble());
        job.expected(Math.max(1, Math.round(job.demandNanos() * StrictMath.exp(hints.sigma * normal))));
    }

    @Override
    public void finished(int jobClass, long nowNanos) {
        jobs.finished(jobClass, nowNanos);
    }

    @Override
    public List<Resident> residents() {
        return IntStream.of(kindOf).mapToObj(kind -> kinds.get(kind).one).toList();
    }

    @Override
    public long burstNanos(int resident) {
        double mean = kinds.get(kindOf[resident]).runNanos;
        return mean == 0 ? Long.MAX_VALUE : exponential(resident, mean);
    }

    @Override
    public long pauseNanos(int resident) {
        return exponential(resident, kinds.get(kindOf[resident]).pauseNanos);
    }

    private long exponential(int resident, double mean) {
        return 1 + (long) (-StrictMath.log(1 - random[resident].nextDouble()) * mean);
    }
}
