package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.memory.PinnedMemory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A search for what a policy does wrong: every sequence of events, the short ones first, on a small enclave with
 * production's ends and rules, in virtual time. Tasks come, block, wake, yield, end, are killed and bound to CPUs;
 * CPUs are taken and given back; the agent dies and another takes its place; and after each event all look, the agent
 * alone, or nobody. After each sequence nothing more happens but that tasks yield, and the properties must hold. What
 * is found is the shortest trace.
 *
 * <pre>{@code
 * PolicyVerifier.Result found = new PolicyVerifier(2, 3).verify("mine", MyPolicy::new, 4, 10_000_000_000L);
 * assertTrue(found.isClean(), found::text);
 * }</pre>
 *
 * Within its bounds the search is complete; beyond them it says nothing. The policy is made anew for each sequence,
 * and its decisions before the last event are compared in all sequences that begin alike. Thread rule: one thread; several verifiers run beside each other.
 */
public final class PolicyVerifier {
    private static final int TURNS_A_TASK = 4;
    private static final int COMPARED = 8;
    private static final int ALLOCATION_TURNS = 500;
    private static final int WINDOWS = 20;

    /** Promises of a policy. */
    public enum Property {
        /** A runnable task runs at the latest when no other is left. */
        REMEMBERS("forgets a task"),
        /** After an agent died, its successor knows every task. */
        REBUILDS("does not rebuild its state after a hand-over"),
        /** A runnable task gets its turn while others take theirs. */
        FAIR("starves a task"),
        /**
         * No CPU idles while a task waits that it may run; one that is staged behind a busy CPU's task waits for that.
         */
        CONSERVES("leaves a CPU idle while a task waits"),
        /** No decision breaks affinity, names what is not there, or has flags that contradict each other. */
        VALID("makes an invalid decision"),
        /** Equal events give equal decisions. */
        DETERMINISTIC("decides differently when the same happens again"),
        /** It throws nothing. */
        SOUND("throws"),
        /** A decision allocates nothing on the heap. */
        FRUGAL("allocates");

        private final String violated;

        Property(String violated) {
            this.violated = violated;
        }

        /** The opposite in words, as in {@code starves a task}. */
        public String violated() {
            return violated;
        }
    }

    /**
     * Result of a search.
     *
     * @param policy name, as it was given
     * @param depth events up to which every sequence was tried
     * @param wanted depth that was asked for; the time was over first if it is more
     * @param sequences sequences tried, those beyond that depth included
     * @param found by property the steps of the shortest trace, in words
     */
    public record Result(String policy, int depth, int wanted, long sequences, Map<Property, List<String>> found) {
        /** Whether nothing was found. */
        public boolean isClean() {
            return found.isEmpty();
        }

        /** Whether the time sufficed. */
        public boolean isWhole() {
            return depth >= wanted;
        }

        /** The result for people: a line, and each trace as a story. */
        public String text() {
            StringBuilder all = new StringBuilder(policy).append(": ").append(isClean() ? "nothing found" : "");
            all.append(isClean() ? "" : String.join(", ", found.keySet().stream().map(Property::violated).toList()));
            all.append(String.format(Locale.ROOT, "; %s, %,d tried%s%n",
                    depth < 0 ? "not even the first sequence" : "every sequence of up to " + events(depth), sequences,
                    isWhole() ? "" : "; the time was over before all of " + events(wanted)));
            found.forEach((property, story) -> {
                all.append("  It ").append(property.violated()).append(":\n");
                for (int i = 0; i < story.size(); i++) {
                    all.append("    ").append(i + 1).append(". ").append(story.get(i)).append('\n');
                }
            });
            return all.toString();
        }

        private static String events(int count) {
            return count + (count == 1 ? " event" : " events");
        }
    }

    private final EnclaveShape shape;
    private final PinnedMemory memory;
    private final LongSupplier clock;

    /** A verifier for enclaves of so many CPUs and tasks, 1 to 4 and 1 to 6: small ones show what large ones hide. */
    public PolicyVerifier(int cpus, int tasks) {
        this(cpus, tasks, System::nanoTime);
    }

    PolicyVerifier(int cpus, int tasks, LongSupplier clock) {
        if (cpus < 1 || cpus > 4 || tasks < 1 || tasks > 6) {
            throw new IllegalArgumentException(
                    "verify on " + cpus + " CPUs with " + tasks + " tasks: 1 to 4 CPUs, 1 to 6 tasks");
        }
        shape = VerifiedWorld.shape(cpus, tasks);
        memory = VerifiedWorld.memory(shape);
        this.clock = clock;
    }

    /**
     * Searches.
     *
     * @param name of the policy, for the result
     * @param policies makes one
     * @param depth most events of a sequence, at least 0
     * @param nanos time after which no further sequence is begun
     */
    public Result verify(String name, Supplier<Agent> policies, int depth, long nanos) {
        Search search = new Search(policies, clock.getAsLong() + nanos);
        int done = -1;
        for (int length = 0; length <= depth && search.all(length, false) && search.all(length, true); length++) {
            done = length;
        }
        search.allocation();
        return new Result(name, done, depth, search.sequences, search.found);
    }

    private final class Search {
        private final Supplier<Agent> policies;
        private final long endNanos;
        private final Map<Property, List<String>> found = new EnumMap<>(Property.class);
        private final List<VerifiedWorld.Step> steps = new ArrayList<>();
        /** By number of steps: what had been decided when those of the present sequence were played first. */
        private final List<Long> digests = new ArrayList<>();
        private long sequences;
        private String begin = "";
        private boolean stagesAhead;

        Search(Supplier<Agent> policies, long endNanos) {
            this.policies = policies;
            this.endNanos = endNanos;
        }

        /**
         * All sequences of a length; false if the time was over first.
         *
         * @param ahead whether decisions may wait behind the task that runs
         */
        boolean all(int length, boolean ahead) {
            stagesAhead = ahead;
            return all(length);
        }

        private boolean all(int length) {
            if (steps.size() == length) {
                sequences++;
                one();
                return true;
            }
            List<VerifiedWorld.Step> next = next();
            for (VerifiedWorld.Step step : next) {
                boolean isLast = steps.size() + 1 == length;
                for (VerifiedWorld.Look look : VerifiedWorld.Look.values()) {
                    if (isLast && look != VerifiedWorld.Look.ALL) {
                        continue; // all look at the end anyway
                    }
                    if (clock.getAsLong() - endNanos >= 0) {
                        return false;
                    }
                    steps.add(step.with(look));
                    boolean isWhole = all(length);
                    steps.removeLast();
                    if (!isWhole) {
                        return false;
                    }
                }
            }
            return true;
        }

        private List<VerifiedWorld.Step> next() {
            try {
                VerifiedWorld world = play();
                setDigest(world.digest());
                return world.possible();
            } catch (RuntimeException | Error e) {
                thrown(e);
                return List.of();
            }
        }

        private void setDigest(long digest) {
            while (digests.size() > steps.size()) {
                digests.removeLast();
            }
            digests.add(digest);
        }

        private VerifiedWorld play() {
            VerifiedWorld world = new VerifiedWorld(shape, memory, policies, stagesAhead);
            begin = begin(world);
            for (int i = 0; i < steps.size(); i++) {
                compare(digests.get(i), world, i);
                world.take(steps.get(i));
            }
            return world;
        }

        private String begin(VerifiedWorld world) {
            return shape.tasks() + " tasks come: " + world.text();
        }

        private void compare(long digest, VerifiedWorld world, int played) {
            if (digest != world.digest()) {
                found.putIfAbsent(Property.DETERMINISTIC,
                        story(steps.subList(0, played), "played twice, the decisions differ"));
            }
        }

        /** Plays the sequence to its end and looks at what must hold. */
        private void one() {
            try {
                VerifiedWorld world = play();
                for (Violation violation : close(world, shape.tasks())) {
                    // what is staged behind a busy CPU's task waits for that by intent
                    if (!(stagesAhead && violation.property == Property.CONSERVES)) {
                        report(violation);
                    }
                }
                if (world.fault() != null) {
                    found.putIfAbsent(Property.VALID, story("it decides " + world.fault()));
                }
                if (!found.containsKey(Property.DETERMINISTIC) && (steps.size() < 2 || sequences % COMPARED == 0)) {
                    VerifiedWorld again = play();
                    close(again, shape.tasks());
                    compare(world.digest(), again, steps.size());
                }
            } catch (RuntimeException | Error e) {
                thrown(e);
            }
        }

        /** Adds what was found; what does not happen without the deaths of agents is the hand-over. */
        private void report(Violation violation) {
            Property property = violation.property;
            if (found.containsKey(property)) {
                return;
            }
            List<VerifiedWorld.Step> without = steps.stream()
                    .filter(step -> step.kind() != VerifiedWorld.Kind.CRASH).toList();
            if (without.size() < steps.size()) {
                VerifiedWorld other = new VerifiedWorld(shape, memory, policies, stagesAhead);
                boolean isPossible = true;
                for (VerifiedWorld.Step step : without) {
                    isPossible = isPossible && other.isPossible(step);
                    if (isPossible) {
                        other.take(step);
                    }
                }
                boolean isAlike = isPossible
                        ? close(other, shape.tasks()).stream().anyMatch(one -> one.property == property)
                        : !found.containsKey(Property.REBUILDS);
                if (!isAlike) {
                    found.putIfAbsent(Property.REBUILDS, story(violation.text));
                    return;
                }
            }
            found.put(property, story(violation.text));
        }

        private void thrown(Throwable e) {
            found.putIfAbsent(Property.SOUND, story("it throws " + e));
        }

        private List<String> story(String end) {
            return story(steps, end);
        }

        private List<String> story(List<VerifiedWorld.Step> of, String end) {
            List<String> all = new ArrayList<>();
            all.add(begin);
            of.forEach(step -> all.add(step.text()));
            all.add("nothing more happens: " + end);
            return all;
        }

        /**
         * Bytes of heap that the policy itself allocates in a window, the least of some: a queue may grow, and what the
         * compiler takes away is not there once it has.
         */
        void allocation() {
            if (found.containsKey(Property.SOUND)) {
                return;
            }
            steps.clear();
            try {
                PolicyHeap heap = new PolicyHeap();
                VerifiedWorld world = new VerifiedWorld(shape, memory, policies, stagesAhead, heap);
                begin = begin(world);
                double least = Double.MAX_VALUE;
                for (int window = 0; window < WINDOWS && least > 0; window++) {
                    long before = heap.bytes();
                    long decided = world.decisions();
                    world.comeAndGo(ALLOCATION_TURNS);
                    least = Math.min(least,
                            (double) (heap.bytes() - before) / Math.max(1, world.decisions() - decided));
                }
                if (least > 0) {
                    found.put(Property.FRUGAL, story(String.format(Locale.ROOT,
                            "%.1f bytes of heap a decision while all tasks block, wake and yield", least)));
                }
            } catch (RuntimeException | Error e) {
                thrown(e);
            }
        }
    }

    private record Violation(Property property, String text) {}

    /** Promises that do not hold once nothing more happens but that tasks yield. */
    private static List<Violation> close(VerifiedWorld world, int tasks) {
        world.look();
        String idle = world.idle();
        String state = world.text();
        world.giveBackAll();
        idle = idle == null ? world.idle() : idle;
        world.clearStarts();
        world.takeTurns(TURNS_A_TASK * tasks);
        List<Violation> all = new ArrayList<>();
        for (int task : world.passedOver()) {
            String since = state + ", task " + task + " waits";
            all.add(world.runsAlone(task)
                    ? new Violation(Property.FAIR, since + ", and the others take turns without it")
                    : new Violation(Property.REMEMBERS, since + ", also when all others have blocked"));
        }
        if (idle != null) {
            all.add(new Violation(Property.CONSERVES, idle));
        }
        return all;
    }
}
