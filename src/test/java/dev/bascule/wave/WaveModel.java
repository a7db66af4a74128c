package dev.bascule.wave;

import dev.bascule.agent.Mechanism;
import dev.bascule.models.Fingerprint;
import dev.bascule.models.Model;
import dev.bascule.wave.WaveSetting.Switch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Wave's transaction for the explorer: host, agents and memory of {@link WaveWorld}, in every order of steps. A state is
 * the shortest list of steps that leads to it; it is reached again by running the production objects from the start, so
 * nothing of them needs to be saved or put back.
 */
final class WaveModel implements Model {
    /** Faults end, everybody works on: every task that can run must get a CPU. Not part of the safety invariants. */
    static final String NOTHING_FORGOTTEN = "NothingForgotten";

    private enum Step {
        INITIALLY, HOST_DECIDES, HOST_CHECKS, HOST_ENFORCES, HOST_DECIDES_LOCALLY, TASK_BLOCKS, TASK_EXITS, TASK_KILLED, TASK_WAKES, TASK_CREATED, HOST_FENCES, AGENT_READS, AGENT_STAGES, AGENT_WITHDRAWS, AGENT_TAKES_OUTCOMES, AGENT_TURNS, AGENT_CRASHES, AGENT_STARTS, ZOMBIE_STAGES, STORE_ARRIVES;

        private static final Step[] ALL = values();

        String words() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
        }
    }

    private final WaveSetting setting;
    private final Predicate<String> wanted;
    private final Map<Fingerprint.Print, Integer> numbers = new HashMap<>();
    private final List<int[]> ways = new ArrayList<>();
    /** The newest state's world, for the look at its invariants that follows. */
    private @Nullable WaveWorld newest;

    /** @param wanted the invariants to check, by name */
    WaveModel(WaveSetting setting, Predicate<String> wanted) {
        this.setting = setting;
        this.wanted = wanted;
    }

    @Override
    public void initial(Sink sink) {
        sink.next(0, state(new WaveWorld(setting), new int[0]));
    }

    /** The state's bytes are its number, by which the way to it is found. */
    private byte[] state(WaveWorld world, int[] way) {
        Integer number = numbers.putIfAbsent(world.print(), ways.size());
        if (number == null) {
            number = ways.size();
            ways.add(way);
            newest = world;
        }
        return new byte[] { (byte) (number >>> 24), (byte) (number >>> 16), (byte) (number >>> 8),
                (byte) number.intValue() };
    }

    private static int number(byte[] state) {
        return (state[0] & 0xff) << 24 | (state[1] & 0xff) << 16 | (state[2] & 0xff) << 8 | state[3] & 0xff;
    }

    private int[] way(byte[] state) {
        return ways.get(number(state));
    }

    private WaveWorld run(int[] way) {
        WaveWorld world = new WaveWorld(setting);
        for (int step : way) {
            apply(world, step);
        }
        return world;
    }

    @Override
    public void successors(byte[] state, Sink sink) {
        int[] way = way(state);
        WaveWorld world = run(way);
        WaveWorld first = world;
        for (int step : steps(world)) {
            WaveWorld next = first != null ? first : run(way);
            first = null;
            apply(next, step);
            int[] longer = Arrays.copyOf(way, way.length + 1);
            longer[way.length] = step;
            sink.next(step, state(next, longer));
        }
    }

    @Override
    public @Nullable String violated(byte[] state) {
        WaveWorld world = newest != null && number(state) == ways.size() - 1 ? newest : run(way(state));
        newest = null; // the look below may go on with it
        String name = world.ghosts.violated(wanted);
        if (name != null) {
            return name;
        }
        if (wanted.test(WaveGhosts.PROBE_STALE) && world.ghosts.isStaleSeen()) {
            return WaveGhosts.PROBE_STALE;
        }
        return wanted.test(NOTHING_FORGOTTEN) && setting.has(Switch.POLICY) && !world.everyTaskGetsItsCpu()
                ? NOTHING_FORGOTTEN
                : null;
    }

    @Override
    public String label(int label) {
        return Step.ALL[label & 0xff].words() + " " + (label >>> 8 & 0xff) + " " + (label >>> 16);
    }

    @Override
    public String show(byte[] state) {
        return run(way(state)).show();
    }

    // ---- steps

    private static int step(Step step, int a, int b) {
        return step.ordinal() | a << 8 | b << 16;
    }

    private List<Integer> steps(WaveWorld w) {
        List<Integer> steps = new ArrayList<>();
        for (int cpu = 0; cpu < setting.cpus(); cpu++) {
            cpuSteps(w, cpu, steps);
        }
        if (w.events < setting.maxEvents()) {
            taskSteps(w, steps);
        }
        if (w.epoch() < setting.maxE() && !setting.has(Switch.NO_EPOCH)) {
            steps.add(step(Step.HOST_FENCES, 0, 0));
        }
        if (w.mayAttach()) {
            steps.add(step(Step.AGENT_STARTS, 0, 0));
        }
        if (w.isUp()) {
            agentSteps(w, steps);
        }
        if (w.hasZombie()) {
            stageSteps(w, true, steps);
        }
        for (int party = 0; party <= setting.maxE(); party++) {
            for (int store = 0; store < w.pending(party); store++) {
                if (w.mayLand(party, store)) {
                    steps.add(step(Step.STORE_ARRIVES, party, store));
                }
            }
        }
        return steps;
    }

    private void cpuSteps(WaveWorld w, int cpu, List<Integer> steps) {
        if (w.isChecked(cpu)) {
            steps.add(step(Step.HOST_ENFORCES, cpu, 0));
        } else if (w.mechanism.current(cpu) == Mechanism.NONE) {
            steps.add(step(setting.has(Switch.TWO_STEP) ? Step.HOST_CHECKS : Step.HOST_DECIDES, cpu, 0));
            if (w.events < setting.maxEvents() && w.mechanism.hasWorkFor(cpu)) {
                steps.add(step(Step.HOST_DECIDES_LOCALLY, cpu, 0));
            }
        } else if (w.events < setting.maxEvents()) {
            steps.add(step(Step.TASK_BLOCKS, cpu, 0));
            steps.add(step(Step.TASK_EXITS, cpu, 0));
        }
    }

    private void taskSteps(WaveWorld w, List<Integer> steps) {
        boolean free = false;
        for (int task = 0; task < setting.tasks(); task++) {
            if (w.truth.isRunnable(task)) {
                steps.add(step(Step.TASK_KILLED, task, 0));
            } else if (w.truth.isBlocked(task)) {
                steps.add(step(Step.TASK_WAKES, task, 0));
            }
            free |= w.truth.isFree(task);
        }
        if (free) {
            steps.add(step(Step.TASK_CREATED, 0, 0));
        }
    }

    private void agentSteps(WaveWorld w, List<Integer> steps) {
        if (setting.has(Switch.POLICY)) {
            steps.add(step(Step.AGENT_TURNS, 0, 0));
        } else {
            steps.add(step(Step.AGENT_READS, 0, 0));
            stageSteps(w, false, steps);
            if (w.mayWithdraw()) {
                steps.add(step(Step.AGENT_WITHDRAWS, 0, 0));
            }
            steps.add(step(Step.AGENT_TAKES_OUTCOMES, 0, 0));
        }
        if (w.crashes < setting.maxCrash()) {
            steps.add(step(Step.AGENT_CRASHES, 0, 0));
        }
    }

    private void stageSteps(WaveWorld w, boolean zombie, List<Integer> steps) {
        for (int cpu = 0; cpu < setting.cpus(); cpu++) {
            for (int task = 0; task < setting.tasks(); task++) {
                if (w.mayStage(zombie, cpu, task)) {
                    steps.add(step(zombie ? Step.ZOMBIE_STAGES : Step.AGENT_STAGES, cpu, task));
                }
            }
        }
    }

    private static void apply(WaveWorld w, int step) {
        int a = step >>> 8 & 0xff;
        int b = step >>> 16;
        switch (Step.ALL[step & 0xff]) {
            case INITIALLY -> throw new IllegalStateException("not a step");
            case HOST_DECIDES -> w.decide(a);
            case HOST_CHECKS -> w.check(a);
            case HOST_ENFORCES -> w.enforceChecked(a);
            case HOST_DECIDES_LOCALLY -> w.decideLocally(a);
            case TASK_BLOCKS -> w.block(a);
            case TASK_EXITS -> w.exit(a);
            case TASK_KILLED -> w.kill(a);
            case TASK_WAKES -> w.wake(a);
            case TASK_CREATED -> w.create();
            case HOST_FENCES -> w.fence();
            case AGENT_READS -> w.read();
            case AGENT_STAGES -> w.stage(false, a, b);
            case AGENT_WITHDRAWS -> w.withdraw();
            case AGENT_TAKES_OUTCOMES -> w.outcomes();
            case AGENT_TURNS -> w.turn();
            case AGENT_CRASHES -> w.crash();
            case AGENT_STARTS -> w.attach();
            case ZOMBIE_STAGES -> w.stage(true, a, b);
            case STORE_ARRIVES -> w.land(a, b);
        }
    }
}
