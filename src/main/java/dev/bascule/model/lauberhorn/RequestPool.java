package dev.bascule.model.lauberhorn;

import java.util.Arrays;

/** Requests by number; grows to the most that were there at a time, and allocates nothing below that. One thread. */
final class RequestPool {
    private Request[] all = {};
    private int[] free = {};
    private int freeCount;

    Request take() {
        if (freeCount == 0) {
            grow();
        }
        return all[free[--freeCount]];
    }

    private void grow() {
        int old = all.length;
        all = Arrays.copyOf(all, Math.max(64, 2 * old));
        free = new int[all.length];
        for (int id = all.length - 1; id >= old; id--) {
            all[id] = new Request(id);
            free[freeCount++] = id;
        }
    }

    Request get(int id) {
        return all[id];
    }

    void give(Request request) {
        request.row = null;
        request.flow = null;
        free[freeCount++] = request.id;
    }

    /** Requests that are somewhere. */
    int inUse() {
        return all.length - freeCount;
    }
}
