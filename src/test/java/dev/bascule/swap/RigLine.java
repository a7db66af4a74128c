package dev.bascule.swap;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A line behind posted writes: stored words become visible one by one, in any order within one fence, when the rig says
 * so. Its writer can die at any store.
 */
final class RigLine implements Line {
    /** The writer's process ends here. */
    static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;

        Crash() {
            super("crash", null, false, false);
        }
    }

    /** Counts the stores of one process down to its end. */
    static final class Fuse {
        private int left = Integer.MAX_VALUE;

        void light(int stores) {
            left = stores;
        }

        void burn() {
            if (left-- == 0) {
                left = Integer.MAX_VALUE;
                throw new Crash();
            }
        }
    }

    private record Store(int word, long value, int fence) {}

    final long[] visible = new long[WORDS];
    private final List<Store> posted = new ArrayList<>();
    private final boolean delayed;
    private final Fuse fuse;
    private int fences;

    RigLine(boolean delayed, Fuse fuse) {
        this.delayed = delayed;
        this.fuse = fuse;
    }

    @Override
    public long get(int word) {
        return visible[word];
    }

    @Override
    public void set(int word, long value) {
        fuse.burn();
        if (delayed) {
            posted.add(new Store(word, value, fences));
        } else {
            visible[word] = value;
        }
    }

    @Override
    public void flush() {
        fences++;
    }

    /** Lets up to {@code count} stores arrive. */
    void drain(Random random, int count) {
        for (int i = 0; i < count && !posted.isEmpty(); i++) {
            int group = 0;
            while (group < posted.size() && posted.get(group).fence() == posted.getFirst().fence()) {
                group++;
            }
            Store store = posted.remove(random.nextInt(group));
            visible[store.word()] = store.value();
        }
    }

    void drainAll(Random random) {
        drain(random, Integer.MAX_VALUE);
    }
}
