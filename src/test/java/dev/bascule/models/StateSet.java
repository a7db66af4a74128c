package dev.bascule.models;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A set of byte strings numbered from 0 in the order of their arrival, each with parent and label. */
final class StateSet {
    private static final int CHUNK_BYTES = 1 << 20;

    private final List<byte[]> chunks = new ArrayList<>();
    private int used = CHUNK_BYTES;
    private long[] where = new long[1024];
    private int[] parents = new int[1024];
    private int[] labels = new int[1024];
    private int[] table = new int[4096];
    private int size;

    StateSet() {
        Arrays.fill(table, -1);
    }

    int size() {
        return size;
    }

    /** Adds a state; returns its number, or -1 if it was there. */
    int add(byte[] state, int parent, int label) {
        if (2 * size >= table.length) {
            grow();
        }
        int slot = hash(state, state.length) & table.length - 1;
        while (table[slot] >= 0) {
            if (same(table[slot], state)) {
                return -1;
            }
            slot = slot + 1 & table.length - 1;
        }
        table[slot] = size;
        append(state, parent, label);
        return size - 1;
    }

    byte[] get(int number) {
        long at = where[number];
        byte[] chunk = chunks.get((int) (at >>> 32));
        int from = (int) at;
        int length = (chunk[from] & 0xFF) << 8 | chunk[from + 1] & 0xFF;
        return Arrays.copyOfRange(chunk, from + 2, from + 2 + length);
    }

    int parent(int number) {
        return parents[number];
    }

    int label(int number) {
        return labels[number];
    }

    private void append(byte[] state, int parent, int label) {
        if (state.length > 0xFFFF) {
            throw new IllegalArgumentException("state of " + state.length + " bytes: at most 65535");
        }
        if (used + state.length + 2 > CHUNK_BYTES) {
            chunks.add(new byte[CHUNK_BYTES]);
            used = 0;
        }
        if (size == where.length) {
            where = Arrays.copyOf(where, 2 * size);
            parents = Arrays.copyOf(parents, 2 * size);
            labels = Arrays.copyOf(labels, 2 * size);
        }
        byte[] chunk = chunks.getLast();
        chunk[used] = (byte) (state.length >>> 8);
        chunk[used + 1] = (byte) state.length;
        System.arraycopy(state, 0, chunk, used + 2, state.length);
        where[size] = (long) (chunks.size() - 1) << 32 | used;
        parents[size] = parent;
        labels[size] = label;
        used += state.length + 2;
        size++;
    }

    private boolean same(int number, byte[] state) {
        long at = where[number];
        byte[] chunk = chunks.get((int) (at >>> 32));
        int from = (int) at;
        int length = (chunk[from] & 0xFF) << 8 | chunk[from + 1] & 0xFF;
        return Arrays.equals(chunk, from + 2, from + 2 + length, state, 0, state.length);
    }

    private void grow() {
        int[] wider = new int[2 * table.length];
        Arrays.fill(wider, -1);
        for (int number = 0; number < size; number++) {
            byte[] state = get(number);
            int slot = hash(state, state.length) & wider.length - 1;
            while (wider[slot] >= 0) {
                slot = slot + 1 & wider.length - 1;
            }
            wider[slot] = number;
        }
        table = wider;
    }

    private static int hash(byte[] state, int length) {
        long h = length;
        for (int i = 0; i < length; i++) {
            h = (h ^ state[i]) * 0x9E37_79B9_7F4A_7C15L;
            h ^= h >>> 32;
        }
        return (int) (h ^ h >>> 17);
    }
}
