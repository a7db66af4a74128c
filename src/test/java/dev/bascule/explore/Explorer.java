package dev.bascule.explore;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the threads of a {@link Scene} one at a time, over and over, each time in another order: at every access to a
 * word that two of them share, at every lock and wherever a thread waits, the next one is chosen. All orders are
 * enumerated depth first that leave the default (go on; who waits hands over to the next) in at most so many places.
 * Stores lie in the thread's store buffer until it is switched away, fences or waits, or stay there longer where the
 * schedule says so ({@link ExploredMemory}); a thread may be ended at any of its accesses.
 * <p>
 * The same schedule gives the same run: {@link Result#schedule} names the places where it leaves the default.
 */
public final class Explorer {
    /** What is run: made anew for every schedule. */
    public interface Scene {
        /** The threads, in the order in which they start. */
        List<Body> bodies();

        /** Looks at what is left once nobody can go on; throws if it is wrong. */
        void atEnd();
    }

    /** A thread of a scene; a mortal one may be ended at any access. */
    public record Body(String name, boolean mortal, Runnable code) {}

    /**
     * How far schedules may leave the default.
     *
     * @param switches places where another thread than the default's goes on
     * @param holds places where a thread loses the CPU and its stores stay in its buffer
     * @param crashes mortal threads that are ended
     */
    public record Bounds(int switches, int holds, int crashes) {}

    /** What was found; a null violation: nothing, in any schedule within the bounds. */
    public record Result(long schedules, long steps, @Nullable Throwable violation, String schedule,
            List<String> trace) {}

    /** The thread's run is over. */
    private static final class Ended extends Error {
        private static final long serialVersionUID = 1L;

        Ended() {
            super("ended", null, false, false);
        }
    }

    private static final class Runner {
        final Thread thread;
        @Nullable
        BooleanSupplier until;
        boolean onMemory;
        boolean ended;

        Runner(Thread thread) {
            this.thread = thread;
        }
    }

    private static final int MOST_STEPS = 20_000;
    private static final int CONTROLLER = -1;
    static final int CRASH = -2;
    static final int HOLD = 1;

    private final Choices choices = new Choices();
    private final ExploredMemory memory = new ExploredMemory(this);
    private final Bounds bounds;
    private List<Body> bodies = List.of();
    private Runner[] runners = {};
    private @Nullable Thread controller;
    private volatile int turn = CONTROLLER;
    private int running = CONTROLLER;
    /** By thread: twice the place of the access that it makes when it goes on, and one more if it writes; 0: any. */
    private final long[] pending = new long[16];
    private int step;
    private int switches;
    private int holds;
    private int crashes;
    private long total;
    private long[] changes = {};
    private boolean ending;
    private @Nullable Throwable violation;
    private @Nullable List<String> trace;
    private final int[] options = new int[64];

    public Explorer(Bounds bounds) {
        this.bounds = bounds;
    }

    public ExploredMemory memory() {
        return memory;
    }

    // ---- all schedules -------------------------------------------------------------------------------------------

    /** Runs every schedule until one throws, in a body or at the end. */
    public Result explore(Supplier<Scene> scenes) throws InterruptedException {
        Result[] result = new Result[1];
        Thread driver = Thread.ofVirtual().start(() -> result[0] = all(scenes));
        driver.join();
        return result[0];
    }

    /** Runs one schedule, as {@link Result#schedule} names it. */
    public Result replay(Supplier<Scene> scenes, String schedule) throws InterruptedException {
        Result[] result = new Result[1];
        Map<Integer, Integer> chosen = new TreeMap<>();
        for (String place : schedule.isEmpty() ? new String[0] : schedule.split(" ", -1)) {
            String[] parts = place.split(":", -1);
            chosen.put(Integer.valueOf(parts[0]), Integer.valueOf(parts[1]));
        }
        Thread driver = Thread.ofVirtual().start(() -> result[0] = one(scenes, chosen));
        driver.join();
        return result[0];
    }

    private Result all(Supplier<Scene> scenes) {
        long schedules = 0;
        long steps = 0;
        boolean restarted;
        choices.restart();
        do {
            run(scenes);
            schedules++;
            steps += step;
            restarted = memory.sharesMore(); // what it saw without knowing them to be shared proves nothing
            if (restarted) {
                choices.restart();
                continue;
            }
            if (violation != null) {
                Throwable first = violation;
                String schedule = choices.schedule();
                Map<Integer, Integer> chosen = choices.chosen();
                Result again = one(scenes, chosen);
                return new Result(schedules, steps, again.violation() == null
                        ? new AssertionError("does not repeat: " + first, first)
                        : again.violation(), schedule, again.trace());
            }
        } while (restarted || choices.next());
        return new Result(schedules, steps, null, "", List.of());
    }

    /**
     * Runs schedules by chance until one throws or the time is over: by priorities of depth 1 to 8 and by partial
     * orders, in turn.
     *
     * @param nanos time after which no further one is begun
     */
    public Result sample(Supplier<Scene> scenes, long seed, long nanos) throws InterruptedException {
        Result[] result = new Result[1];
        Thread driver = Thread.ofVirtual().start(() -> result[0] = some(scenes, new Sampler(seed), nanos));
        driver.join();
        return result[0];
    }

    private Result some(Supplier<Scene> scenes, Sampler sampler, long nanos) {
        long end = System.nanoTime() + nanos;
        int longest = 1;
        long schedules = 0;
        long steps = 0;
        Throwable first = null;
        while (first == null && System.nanoTime() - end < 0) {
            choices.sample(sampler);
            sampler.begin((int) (schedules % (Sampler.MOST_DEPTH + 1)), longest);
            run(scenes);
            longest = Math.max(longest, step);
            if (memory.sharesMore()) {
                continue; // what it saw without knowing them to be shared proves nothing
            }
            schedules++;
            steps += step;
            first = violation;
        }
        if (first == null) {
            choices.sample(null);
            return new Result(schedules, steps, null, "", List.of());
        }
        String schedule = choices.schedule();
        Map<Integer, Integer> chosen = choices.chosen();
        choices.sample(null);
        Result again = one(scenes, chosen);
        return new Result(schedules, steps, again.violation() == null
                ? new AssertionError("does not repeat: " + first, first)
                : again.violation(), schedule, again.trace());
    }

    private Result one(Supplier<Scene> scenes, Map<Integer, Integer> chosen) {
        choices.replay(chosen);
        trace = new ArrayList<>();
        run(scenes);
        List<String> seen = List.copyOf(trace);
        trace = null;
        return new Result(1, step, violation, choices.schedule(), seen);
    }

    private void run(Supplier<Scene> scenes) {
        choices.begin();
        violation = null;
        ending = false;
        controller = Thread.currentThread();
        step = 0;
        switches = 0;
        holds = 0;
        crashes = 0;
        total = 0;
        running = CONTROLLER;
        memory.begin();
        Scene scene = scenes.get();
        bodies = scene.bodies();
        runners = new Runner[bodies.size()];
        changes = new long[runners.length];
        for (int i = 0; i < runners.length; i++) {
            int me = i;
            runners[i] = new Runner(Thread.ofVirtual().name(bodies.get(i).name()).unstarted(() -> main(me)));
        }
        for (Runner runner : runners) {
            runner.thread.start();
        }
        handOver(0);
        awaitTurn(CONTROLLER);
        ending = true;
        for (int i = 0; i < runners.length; i++) {
            if (!runners[i].ended) {
                handOver(i);
                awaitTurn(CONTROLLER);
            }
        }
        if (violation == null) {
            try {
                scene.atEnd();
            } catch (RuntimeException | Error e) {
                violation = e;
            }
        }
    }

    // ---- threads -------------------------------------------------------------------------------------------------

    private void handOver(int to) {
        running = to;
        turn = to;
        if (to == CONTROLLER) {
            LockSupport.unpark(controller);
            return;
        }
        LockSupport.unpark(runners[to].thread);
    }

    private void awaitTurn(int me) {
        while (turn != me) {
            LockSupport.park();
        }
    }

    private void main(int me) {
        awaitTurn(me);
        try {
            checkEnding();
            bodies.get(me).code().run();
        } catch (Ended e) {
            // crashed, or the run is over
        } catch (RuntimeException | Error e) {
            violation = violation == null ? e : violation;
        }
        runners[me].ended = true;
        if (ending || violation != null) {
            handOver(CONTROLLER);
            return;
        }
        memory.drain(me);
        total++; // who waits for its end looks
        step++;
        handOver(next(me));
    }

    private boolean canRun(int thread, boolean afterStores) {
        Runner runner = runners[thread];
        return !runner.ended
                && (runner.until == null || runner.onMemory && afterStores || runner.until.getAsBoolean());
    }

    /** The thread that goes on when {@code me} waits or has ended; {@link #CONTROLLER} if there is none. */
    private int next(int me) {
        for (int attempt = 0; attempt < 2; attempt++) {
            int count = 0;
            for (int i = 1; i <= runners.length; i++) {
                int other = (me + i) % runners.length;
                boolean mayLeave = count == 0 || switches < bounds.switches() || choices.isFree();
                if (mayLeave && canRun(other, false)) {
                    options[count++] = other << 1;
                }
            }
            if (count > 0) {
                int choice = choices.choose(step, me, options, count, pending);
                switches += choice == options[0] ? 0 : 1;
                return choice >> 1;
            }
            memory.drainAll(runners.length);
        }
        return CONTROLLER;
    }

    /** A place where another thread may go on, or this one end. */
    public void point() {
        point(0);
    }

    /** The same before an access: twice its place, and one more if it writes. */
    void point(long access) {
        if (running != CONTROLLER) {
            pending[running] = access;
        }
        place();
    }

    private void place() {
        if (running == CONTROLLER) {
            return;
        }
        checkEnding();
        step++;
        if (step > MOST_STEPS) {
            throw new AssertionError("does not end: " + MOST_STEPS + " accesses");
        }
        int me = running;
        int count = 1;
        options[0] = Choices.GO_ON;
        boolean buffered = memory.isBuffering(me);
        if (switches < bounds.switches() || choices.isFree()) {
            for (int i = 1; i < runners.length; i++) {
                int other = (me + i) % runners.length;
                if (canRun(other, buffered)) {
                    options[count++] = other << 1;
                    if (buffered && (holds < bounds.holds() || choices.isFree())) {
                        options[count++] = other << 1 | HOLD;
                    }
                }
            }
        }
        if (bodies.get(me).mortal() && crashes < bounds.crashes()) {
            options[count++] = CRASH;
        }
        int choice = count == 1 ? Choices.GO_ON : choices.choose(step, me, options, count, pending);
        if (choice == Choices.GO_ON) {
            return;
        }
        if (choice == CRASH) {
            crashes++;
            note("is ended");
            throw new Ended();
        }
        switches++;
        if ((choice & HOLD) != 0) {
            holds++;
        } else {
            memory.drain(me);
        }
        switchTo(me, choice >> 1);
    }

    private void switchTo(int me, int other) {
        note("gives way to " + other);
        if (other != me) {
            handOver(other);
            awaitTurn(me);
        }
        checkEnding();
    }

    private void checkEnding() {
        if (ending) {
            throw new Ended();
        }
    }

    /** An access that nobody else can see the order of. */
    void pass() {
        if (running != CONTROLLER) {
            checkEnding();
            step++;
        }
    }

    /** Waits until it holds; other threads go on. */
    public void await(BooleanSupplier until) {
        await(until, false);
    }

    private void await(BooleanSupplier until, boolean onMemory) {
        checkEnding();
        int me = running;
        step++;
        pending[me] = 0;
        if (memory.isBuffering(me) && (holds < bounds.holds() || choices.isFree()) && choices.chooseHold(step, me)) {
            holds++;
            step++;
        } else {
            memory.drain(me);
        }
        Runner runner = runners[me];
        runner.until = until;
        runner.onMemory = onMemory;
        switchTo(me, until.getAsBoolean() ? me : next(me));
        runner.until = null;
        note("goes on");
    }

    /** To be asked before a round of looks, for {@link #pause}. */
    public long seen() {
        return total - changes[running];
    }

    /** Waits until another thread has changed something since {@link #seen}. */
    public void pause(long seen) {
        int me = running;
        note("pauses");
        await(() -> total - changes[me] != seen, true);
    }

    /** The running thread changed something that others wait for. */
    public void changed() {
        if (running != CONTROLLER) {
            changed(running);
        }
    }

    void changed(int thread) {
        total++;
        changes[thread]++;
    }

    /** All stores of the running thread are visible. */
    public void fence() {
        if (running != CONTROLLER && memory.isBuffering(running)) {
            point();
            memory.drain(running);
        }
    }

    /** Whether a thread has ended, by itself or not. */
    public boolean hasEnded(int thread) {
        return runners[thread].ended;
    }

    public int running() {
        return running;
    }

    /** Accesses so far: the time of a run. */
    public int step() {
        return step;
    }

    boolean isTracing() {
        return trace != null;
    }

    /** A line of the trace, if this run is traced. */
    public void note(String what) {
        List<String> lines = trace;
        if (lines != null && running != CONTROLLER && !ending) {
            lines.add(step + " " + bodies.get(running).name() + ": " + what);
        }
    }
}
