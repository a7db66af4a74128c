package dev.bascule.explore;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The choices of a run, enumerated depth first: a run repeats those of the last one up to a place, takes the next
 * option there, and the first option, which is the default, from then on. Or the choices of a given schedule.
 */
final class Choices {
    /** The running thread goes on. */
    static final int GO_ON = -1;
    private static final long[] NO_ACCESS = {};

    private int[] taken = new int[256];
    private int[] options = new int[256];
    private int[] codes = new int[256];
    private int[] steps = new int[256];
    private int count;
    private int prefix;
    private @Nullable Map<Integer, Integer> given;
    private @Nullable Sampler sampler;

    /** From the first schedule on. */
    boolean restart() {
        prefix = 0;
        count = 0;
        given = null;
        return true;
    }

    void replay(Map<Integer, Integer> schedule) {
        given = schedule;
    }

    boolean isReplay() {
        return given != null;
    }

    /** From now on by chance, or not. */
    void sample(@Nullable Sampler chance) {
        restart();
        sampler = chance;
    }

    /** Whether any option may be taken, whatever the bounds. */
    boolean isFree() {
        return given != null || sampler != null;
    }

    void begin() {
        count = 0;
    }

    /** Whether a waiting thread keeps its stores in its buffer. */
    boolean chooseHold(int step, int me) {
        if (given != null || sampler == null) {
            return choose(step, me, new int[] { GO_ON, Explorer.HOLD }, 2, NO_ACCESS) == Explorer.HOLD;
        }
        boolean holds = sampler.holds();
        note(step, holds ? Explorer.HOLD : GO_ON, holds ? 1 : 0, 2);
        return holds;
    }

    /**
     * Chooses one of the first {@code most} codes; the first is the default.
     *
     * @param me the thread that runs
     * @param pending by thread the access that it makes when it goes on
     */
    int choose(int step, int me, int[] from, int most, long[] pending) {
        Map<Integer, Integer> schedule = given;
        if (schedule != null) {
            int code = schedule.getOrDefault(step, from[0]);
            return note(step, code, code == from[0] ? 0 : 1, most);
        }
        if (sampler != null) {
            int place = sampler.pick(step, me, from, most, pending);
            return note(step, from[place], place, most);
        }
        if (most == 1) {
            return from[0];
        }
        int place = count < prefix ? taken[count] : 0;
        return note(step, from[place], place, most);
    }

    private int note(int step, int code, int place, int most) {
        if (count == taken.length) {
            taken = Arrays.copyOf(taken, 2 * count);
            options = Arrays.copyOf(options, 2 * count);
            codes = Arrays.copyOf(codes, 2 * count);
            steps = Arrays.copyOf(steps, 2 * count);
        }
        taken[count] = place;
        options[count] = most;
        codes[count] = code;
        steps[count] = step;
        count++;
        return code;
    }

    /** Goes to the next schedule; false if there is none. */
    boolean next() {
        int last = count - 1;
        while (last >= 0 && taken[last] + 1 >= options[last]) {
            last--;
        }
        if (last < 0) {
            return false;
        }
        taken[last]++;
        prefix = last + 1;
        return true;
    }

    /** Where the last run left the default: step and code. */
    Map<Integer, Integer> chosen() {
        Map<Integer, Integer> chosen = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            if (taken[i] != 0) {
                chosen.put(steps[i], codes[i]);
            }
        }
        return chosen;
    }

    /** The same in words: {@code step:code}, separated by blanks. */
    String schedule() {
        StringBuilder text = new StringBuilder();
        chosen().forEach((step, code) -> text.append(text.isEmpty() ? "" : " ").append(step).append(':').append(code));
        return text.toString();
    }
}
