package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;
import dev.bascule.memory.PinnedMemory;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
 * and twice for those whose decisions are compared. Thread rule: one thread; several verifiers run beside each other.
 */
public final class PolicyVerifier {
    private static final int TURNS_A_TASK = 4;
    private static final int COMPARED = 8;
    private static final int ALLOCATION_TURNS = 4_000;
    private static final int WINDOWS = 50;
    /** Half of the smallest object. */
    private static final double FEW_BYTES = 8;

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
     * @param sequences sequences tried, those beyond that depth included
     * @param found by property the steps of the shortest trace, in words
     */
    public record Result(String policy, int depth, long sequences, Map<Property, List<String>> found) {
        /** Whether nothing was found. */
        public boolean isClean() {
            return found.isEmpty();
        }

        /** The result for people: a line, and each trace as a story. */
        public String text() {
            StringBuilder all = new StringBuilder(policy).append(": ").append(isClean() ? "nothing found" : "");
            all.append(isClean() ? "" : String.join(", ", found.keySet().stream().map(Property::violated).toList()));
            all.append("; every sequence of up to ").append(depth).append(depth == 1 ? " event, " : " events, ")
                    .append(String.format(Locale.ROOT, "%,d", sequences)).append(" tried\n");
            found.forEach((property, story) -> {
                all.append("  It ").append(property.violated()).append(":\n");
                for (int i = 0; i < story.size(); i++) {
                    all.append("    ").append(i + 1).append(". ").append(story.get(i)).append('\n');
                }
            });
            return all.toString();
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
        return new Result(name, done, search.sequences, search.found);
    }

    private final class Search {
        private final Supplier<Agent> policies;
        private final long endNanos;
        private final Map<Property, List<String>> found = new EnumMap<>(Property.class);
        private final List<VerifiedWorld.Step> steps = new ArrayList<>();
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
                return play(steps).possible();
            } catch (RuntimeException | Error e) {
                thrown(e);
                return List.of();
            }
        }

        private VerifiedWorld play(List<VerifiedWorld.Step> all) {
            VerifiedWorld world = new VerifiedWorld(shape, memory, policies, stagesAhead);
            begin = shape.tasks() + " tasks come: " + world.text();
            all.forEach(world::take);
            return world;
        }

        /** Plays the sequence to its end and looks at what must hold. */
        private void one() {
            try {
                VerifiedWorld world = play(steps);
                Violation violation = close(world);
                // what is staged behind a busy CPU's task waits for that by intent
                if (violation != null && !(stagesAhead && violation.property == Property.CONSERVES)) {
                    report(violation);
                }
                if (world.fault() != null) {
                    found.putIfAbsent(Property.VALID, story("it decides " + world.fault()));
                }
                if (!found.containsKey(Property.DETERMINISTIC) && (steps.size() < 2 || sequences % COMPARED == 0)) {
                    VerifiedWorld again = play(steps);
                    close(again);
                    if (again.digest() != world.digest()) {
                        found.put(Property.DETERMINISTIC, story("played twice, the decisions differ"));
                    }
                }
            } catch (RuntimeException | Error e) {
                thrown(e);
            }
        }

        /** Without the deaths of agents: is it the hand-over? */
        private void report(Violation violation) {
            Property property = violation.property;
            List<VerifiedWorld.Step> without = steps.stream()
                    .filter(step -> step.kind() != VerifiedWorld.Kind.CRASH).toList();
            if (without.size() < steps.size() && !found.containsKey(property)
                    && !found.containsKey(Property.REBUILDS)) {
                VerifiedWorld other = new VerifiedWorld(shape, memory, policies, stagesAhead);
                boolean isPossible = true;
                for (VerifiedWorld.Step step : without) {
                    isPossible = isPossible && other.isPossible(step);
                    if (isPossible) {
                        other.take(step);
                    }
                }
                property = isPossible && close(other) == null ? Property.REBUILDS : property;
            }
            if (!(property == Property.CONSERVES && found.containsKey(Property.REBUILDS))) {
                found.putIfAbsent(property, story(violation.text));
            }
        }

        private void thrown(Throwable e) {
            found.putIfAbsent(Property.SOUND, story("it throws " + e));
        }

        private List<String> story(String end) {
            List<String> all = new ArrayList<>();
            all.add(begin);
            steps.forEach(step -> all.add(step.text()));
            all.add("nothing more happens: " + end);
            return all;
        }

        /**
         * Bytes of heap a decision beyond those of a plain policy in the same windows, the least of some: code that is not
         * compiled yet, or not for one policy alone, may allocate in the ends.
         */
        void allocation() {
            if (found.containsKey(Property.SOUND)) {
                return;
            }
            steps.clear();
            try {
                VerifiedWorld world = play(steps);
                VerifiedWorld plain = new VerifiedWorld(shape, VerifiedWorld.memory(shape), OldestFirst::new,
                        stagesAhead);
                double least = Double.MAX_VALUE;
                for (int window = 0; window < WINDOWS && least > FEW_BYTES; window++) {
                    double base = bytes(plain);
                    least = Math.min(least, bytes(world) - base);
                }
                if (least > FEW_BYTES) {
                    found.put(Property.FRUGAL, story(String.format(Locale.ROOT,
                            "%.0f bytes of heap a decision while all tasks yield", least)));
                }
            } catch (RuntimeException | Error e) {
                thrown(e);
            }
        }

        private static double bytes(VerifiedWorld world) {
            if (!(ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean heap)) {
                return 0; // this virtual machine does not count
            }
            long before = heap.getCurrentThreadAllocatedBytes();
            long decided = world.decisions();
            world.takeTurns(ALLOCATION_TURNS);
            return (double) (heap.getCurrentThreadAllocatedBytes() - before)
                    / Math.max(1, world.decisions() - decided);
        }
    }

    /** A plain policy that allocates nothing. */
    private static final class OldestFirst extends QueueAgent {
        private TaskQueue queue = new TaskQueue(0);

        @Override
        protected void clear(EnclaveShape shape) {
            queue = new TaskQueue(shape.tasks());
        }

        @Override
        protected void enqueue(int task) {
            queue.addLast(task);
        }

        @Override
        protected void remove(int task) {
            queue.remove(task);
        }

        @Override
        protected int pick(int cpu) {
            return takeFirst(queue, cpu);
        }
    }

    private record Violation(Property property, String text) {}

    private @Nullable Violation close(VerifiedWorld world) {
        world.look();
        String idle = world.idle();
        String state = world.text();
        world.giveBackAll();
        idle = idle == null ? world.idle() : idle;
        world.clearStarts();
        world.takeTurns(TURNS_A_TASK * shape.tasks());
        int task = world.passedOver();
        if (task != Mechanism.NONE) {
            String since = state + ", task " + task + " waits";
            return world.runsAlone(task)
                    ? new Violation(Property.FAIR, since + ", and the others take turns without it")
                    : new Violation(Property.REMEMBERS, since + ", also when all others have blocked");
        }
        return idle == null ? null : new Violation(Property.CONSERVES, idle);
    }
}
