package dev.bascule.study.sim;

import dev.bascule.config.SmallFile;
import dev.bascule.json.JsonFormatException;
import dev.bascule.json.JsonReader;
import dev.bascule.workload.WorkloadException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Threads of an rt-app file, as the kernel community writes workloads: each runs, sleeps and waits for timers,
 * round and round. A thread is a job class of its own, and what it runs from one wait to the next is a job; so a job
 * that is late makes its thread late. An event that only several threads together could play (locks, barriers, signals)
 * is refused by its path. One thread.
 */
public final class RtAppLoad implements SimLoad {
    private static final int LARGEST_BYTES = 16 << 20;
    private static final int MOST_THREADS = 256;
    private static final int MOST_STEPS = 100_000;
    private static final long LONGEST_MICROS = 1_000_000_000_000L;
    private static final Set<String> OF_TASKS = Set.of("cpus", "priority", "instance", "delay", "phases");

    /** Run of a thread, and the timer or the sleep that it waits for then. */
    private record Step(long runNanos, long waitNanos, @Nullable String timer, boolean isAbsolute) {
        private Step with(long moreRun, long moreWait) {
            return new Step(runNanos + moreRun, waitNanos + moreWait, timer, isAbsolute);
        }
    }

    /** A task of the file, of which there may be several threads. */
    private record Task(List<Step> steps, long loops, long delayNanos, long affinity, int nice) {
        private long runNanos() {
            return steps.stream().mapToLong(Step::runNanos).sum();
        }

        private long bursts() {
            return steps.stream().filter(step -> step.runNanos > 0).count();
        }

        /** From one loop to the next if nothing is in its way. */
        private long cycleNanos() {
            RunningThread alone = new RunningThread(this, 0);
            long[] begins = new long[3];
            for (int loop = 0; loop < begins.length; loop++) {
                begins[loop] = alone.nextNanos;
                for (int i = 0; i < steps.size(); i++) {
                    alone.nextNanos += steps.get(alone.at).runNanos;
                    alone.waits();
                }
            }
            return Math.max(1, begins[2] - begins[1]);
        }
    }

    /** Place of a thread in its task. */
    private static final class RunningThread {
        private final Task task;
        private final long firstNanos;
        private final Map<String, Long> timers = new HashMap<>();
        private long nextNanos;
        private int at;
        private long loop;

        RunningThread(Task task, long laterNanos) {
            this.task = task;
            firstNanos = task.delayNanos + laterNanos;
            nextNanos = firstNanos;
        }

        private boolean isDone() {
            return task.loops >= 0 && loop >= task.loops;
        }

        /** Waits for what its step waits for, which it has run, and begins the next one. */
        private void waits() {
            Step step = task.steps.get(at);
            if (step.timer == null) {
                nextNanos += step.waitNanos;
            } else {
                long due = timers.getOrDefault(step.timer, firstNanos) + step.waitNanos;
                boolean isMissed = due <= nextNanos;
                timers.put(step.timer, isMissed && !step.isAbsolute ? nextNanos : due);
                nextNanos = Math.max(nextNanos, due);
            }
            at = (at + 1) % task.steps.size();
            loop += at == 0 ? 1 : 0;
        }

        /** Time of its next job; waits that come before it pass. */
        private long next() {
            while (!isDone() && task.steps.get(at).runNanos == 0) {
                waits();
            }
            return isDone() ? NO_MORE : nextNanos;
        }
    }

    private final List<String> names = new ArrayList<>();
    private final List<Task> tasks = new ArrayList<>();
    private final RunningThread[] threads;
    private final EventTree arrivals;

    /**
     * Reads a file.
     *
     * @param seed 1 starts all threads together, as the file says; with others each starts somewhere in its first loop
     * @throws WorkloadException with the file and the path in it, if it cannot be read or has what cannot be played
     */
    public RtAppLoad(Path file, long seed) {
        new Reader(file, names, tasks).read();
        threads = new RunningThread[tasks.size()];
        arrivals = new EventTree(threads.length);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new RunningThread(tasks.get(i), seed == 1 ? 0 : random.nextLong(tasks.get(i).cycleNanos()));
            arrivals.set(i, threads[i].next());
        }
    }

    /** Names of the threads, each of which is a class of jobs. */
    public List<String> classNames() {
        return List.copyOf(names);
    }

    /** CPU time that each thread asks for in a second, ns. */
    public double[] work() {
        return tasks.stream().mapToDouble(task -> task.runNanos() * 1e9 / task.cycleNanos()).toArray();
    }

    /** Jobs of all threads in a second, if none is in another's way. */
    public double perSecond() {
        return tasks.stream().mapToDouble(task -> task.bursts() * 1e9 / task.cycleNanos()).sum();
    }

    /** Longest loop of a thread, ns. */
    public long cycleNanos() {
        return tasks.stream().mapToLong(Task::cycleNanos).max().orElseThrow();
    }

    @Override
    public int classes() {
        return threads.length;
    }

    @Override
    public long affinity(int jobClass) {
        return tasks.get(jobClass).affinity;
    }

    @Override
    public int nice(int jobClass) {
        return tasks.get(jobClass).nice;
    }

    @Override
    public long expectedNanos(int jobClass) {
        return tasks.get(jobClass).runNanos() / tasks.get(jobClass).bursts();
    }

    @Override
    public long nextArrivalNanos() {
        return arrivals.firstNanos();
    }

    @Override
    public void take(SimJob job) {
        int who = arrivals.first();
        RunningThread thread = threads[who];
        Step step = thread.task.steps.get(thread.at);
        long span = step.timer == null ? step.runNanos + step.waitNanos : Math.max(step.runNanos, step.waitNanos);
        job.set(who, step.runNanos).deadline(arrivals.firstNanos() + span);
        arrivals.set(who, NO_MORE);
    }

    @Override
    public void finished(int jobClass, long nowNanos) {
        threads[jobClass].nextNanos = nowNanos;
        threads[jobClass].waits();
        arrivals.set(jobClass, threads[jobClass].next());
    }

    /** Reads one file. */
    private record Reader(Path file, List<String> names, List<Task> tasks) {
        private void read() {
            for (Map.Entry<?, ?> one : object("tasks", root().get("tasks")).entrySet()) {
                task("tasks." + one.getKey(), String.valueOf(one.getKey()), one.getValue());
            }
            if (names.isEmpty() || names.size() > MOST_THREADS) {
                throw wrong("tasks", names.size() + " threads: from 1 to " + MOST_THREADS);
            }
        }

        private Map<?, ?> root() {
            try {
                Map<?, ?> root = object("the file",
                        JsonReader.parse(new String(SmallFile.read(file, LARGEST_BYTES), StandardCharsets.UTF_8)));
                Object policy = object("global", root.containsKey("global") ? root.get("global") : Map.of())
                        .get("default_policy");
                if (policy != null) {
                    policy("global.default_policy", policy);
                }
                return root;
            } catch (JsonFormatException e) {
                throw new WorkloadException("rt-app file " + file + ": not JSON: " + e.reason()
                        + "; names in an object differ, as run0 and run1, and there are no comments", e);
            } catch (NoSuchFileException e) {
                throw new WorkloadException("rt-app file " + file + ": there is no such file; it is JSON with tasks, as"
                        + " {\"tasks\": {\"t\": {\"run\": 200, \"sleep\": 800}}}", e);
            } catch (IOException e) {
                throw new WorkloadException("rt-app file " + file + ": " + e.getMessage(), e);
            }
        }

        private void task(String path, String name, @Nullable Object value) {
            Map<?, ?> of = object(path, value);
            List<Step> steps = new ArrayList<>();
            if (of.containsKey("phases")) {
                object(path + ".phases", of.get("phases")).forEach((phase, events) -> {
                    String where = path + ".phases." + phase;
                    Map<?, ?> its = object(where, events);
                    long loops = number(where + ".loop", its.get("loop"), 1, 1, MOST_STEPS);
                    phase(where, its, loops, steps);
                });
                of.keySet().stream().map(String::valueOf).filter(key -> isEvent(key) && !key.equals("policy"))
                        .findFirst().ifPresent(key -> {
                            throw wrong(path + "." + key, "it stands beside phases; put it into one of them");
                        });
            } else {
                phase(path, of, 1, steps);
            }
            Task task = new Task(List.copyOf(steps), number(path + ".loop", of.get("loop"), -1, -1, Long.MAX_VALUE),
                    number(path + ".delay", of.get("delay"), 0, 0, LONGEST_MICROS) * 1000, affinity(path, of),
                    (int) number(path + ".priority", of.get("priority"), 0, -20, 19));
            if (task.runNanos() == 0) {
                throw wrong(path, "it never runs; it needs a run event");
            }
            long threads = number(path + ".instance", of.get("instance"), 1, 0, MOST_THREADS);
            shared(path, task, threads);
            for (int i = 0; i < threads; i++) {
                names.add(threads == 1 ? name : name + "-" + i);
                tasks.add(task);
            }
        }

        /** A timer of several threads is one of them all, unless its name begins with "unique". */
        private void shared(String path, Task task, long threads) {
            for (Step step : task.steps) {
                String timer = step.timer;
                if (timer != null && !timer.startsWith("unique") && (threads > 1 || tasks.stream()
                        .anyMatch(other -> other.steps.stream().anyMatch(its -> timer.equals(its.timer))))) {
                    throw wrong(path, "the timer '" + timer + "' is one of several threads, which is not played; "
                            + "with \"ref\": \"unique\" each has its own");
                }
            }
        }

        private void phase(String path, Map<?, ?> of, long loops, List<Step> steps) {
            List<Step> once = new ArrayList<>();
            of.forEach((key, value) -> event(path, String.valueOf(key), value, once));
            if (path.contains(".phases.")) {
                of.keySet().stream().map(String::valueOf).filter(OF_TASKS::contains).findFirst().ifPresent(key -> {
                    throw wrong(path + "." + key, "it is played for a whole task only; move it there");
                });
            }
            if (once.size() * loops > MOST_STEPS - steps.size()) {
                throw wrong(path + ".loop", "more than " + MOST_STEPS + " events in a loop of the task");
            }
            for (long i = 0; i < loops; i++) {
                steps.addAll(once);
            }
        }

        private void event(String path, String key, @Nullable Object value, List<Step> steps) {
            String where = path + "." + key;
            String kind = key.replaceFirst("[0-9_]*$", "");
            Step last = steps.isEmpty() ? null : steps.getLast();
            switch (kind) {
                case "run", "runtime" -> {
                    long nanos = number(where, value, 0, 1, LONGEST_MICROS) * 1000;
                    if (last != null && last.timer == null && last.waitNanos == 0) {
                        steps.set(steps.size() - 1, last.with(nanos, 0));
                    } else {
                        steps.add(new Step(nanos, 0, null, false));
                    }
                }
                case "sleep" -> {
                    long nanos = number(where, value, 0, 1, LONGEST_MICROS) * 1000;
                    if (last != null && last.timer == null) {
                        steps.set(steps.size() - 1, last.with(0, nanos));
                    } else {
                        steps.add(new Step(0, nanos, null, false));
                    }
                }
                case "timer" -> timer(where, object(where, value), last, steps);
                case "policy" -> policy(where, value);
                default -> {
                    if (isEvent(key)) {
                        throw wrong(where, "it is not played; there are run, runtime, sleep and timer, and of a task"
                                + " loop, phases, instance, delay, cpus and priority");
                    }
                }
            }
        }

        private static boolean isEvent(String key) {
            return !OF_TASKS.contains(key) && !key.equals("loop");
        }

        private void timer(String where, Map<?, ?> of, @Nullable Step last, List<Step> steps) {
            long nanos = number(where + ".period", of.get("period"), 0, 1, LONGEST_MICROS) * 1000;
            String ref = of.get("ref") instanceof String text ? text : "unknown";
            Object mode = of.get("mode");
            if (mode != null && !mode.equals("relative") && !mode.equals("absolute")) {
                throw wrong(where + ".mode", mode + ": relative or absolute");
            }
            boolean isAbsolute = "absolute".equals(mode);
            if (last != null && last.timer == null && last.waitNanos == 0) {
                steps.set(steps.size() - 1, new Step(last.runNanos, nanos, ref, isAbsolute));
            } else {
                steps.add(new Step(0, nanos, ref, isAbsolute));
            }
        }

        private void policy(String where, @Nullable Object value) {
            if (!"SCHED_OTHER".equals(value)) {
                throw wrong(where, value + ": only SCHED_OTHER; who runs is decided by policy=");
            }
        }

        private long affinity(String path, Map<?, ?> of) {
            Object cpus = of.get("cpus");
            if (cpus == null) {
                return -1;
            }
            long mask = 0;
            for (Object cpu : cpus instanceof List<?> list ? list : List.of()) {
                mask |= 1L << number(path + ".cpus", cpu, 0, 0, 63);
            }
            if (mask == 0) {
                throw wrong(path + ".cpus", "a list of CPUs, as [0, 1]");
            }
            return mask;
        }

        private long number(String where, @Nullable Object value, long otherwise, long least, long most) {
            if (value == null && otherwise >= least) {
                return otherwise;
            }
            if (!(value instanceof Long number) || number < least || number > most) {
                throw wrong(where, value + ": a whole number of at least " + least
                        + (most == Long.MAX_VALUE ? "" : " and at most " + most));
            }
            return number;
        }

        private Map<?, ?> object(String where, @Nullable Object value) {
            if (value instanceof Map<?, ?> map) {
                return map;
            }
            throw wrong(where, value == null ? "it is not there" : "an object is needed");
        }

        private WorkloadException wrong(String where, String what) {
            return new WorkloadException("rt-app file " + file + ": " + where + ": " + what, null);
        }
    }
}
