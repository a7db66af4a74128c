package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TaskQueueTest {
    private static final int TASKS = 12;

    @Test
    void behavesLikeAListInWhichEachTaskIsOnce() {
        for (long seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            TaskQueue queue = new TaskQueue(TASKS);
            List<Integer> model = new ArrayList<>();
            for (int step = 0; step < 300; step++) {
                int task = random.nextInt(TASKS);
                switch (random.nextInt(9)) {
                    case 0, 1, 2 -> {
                        boolean isNew = !model.contains(task);
                        assertThat(queue.addLast(task)).as("add, seed %d step %d", seed, step).isEqualTo(isNew);
                        if (isNew) {
                            model.add(task);
                        }
                    }
                    case 8 -> {
                        boolean isNew = !model.contains(task);
                        assertThat(queue.addFirst(task)).as("put first, seed %d step %d", seed, step).isEqualTo(isNew);
                        if (isNew) {
                            model.addFirst(task);
                        }
                    }
                    case 3, 4 -> assertThat(queue.remove(task)).as("remove, seed %d step %d", seed, step)
                            .isEqualTo(model.remove((Integer) task));
                    case 5, 6 -> assertThat(queue.pollFirst()).as("poll, seed %d step %d", seed, step)
                            .isEqualTo(model.isEmpty() ? TaskQueue.NONE : model.remove(0));
                    default -> {
                        if (random.nextInt(10) == 0) {
                            queue.clear();
                            model.clear();
                        }
                    }
                }
                assertThat(contents(queue)).as("seed %d step %d", seed, step).isEqualTo(model);
                assertThat(queue.size()).isEqualTo(model.size());
                assertThat(queue.contains(task)).isEqualTo(model.contains(task));
            }
        }
    }

    private static List<Integer> contents(TaskQueue queue) {
        List<Integer> found = new ArrayList<>();
        for (int task = queue.peekFirst(); task != TaskQueue.NONE; task = queue.after(task)) {
            found.add(task);
        }
        return found;
    }
}
