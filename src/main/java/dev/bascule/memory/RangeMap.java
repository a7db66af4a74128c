package dev.bascule.memory;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Disjoint ranges of unsigned 64-bit addresses in ascending order, each with a value; both ends belong to a range, so
 * that the last address can be in one. Sorted arrays: finding is a binary search, changing one moves what lies above,
 * and neither allocates while the arrays suffice. Not thread-safe, its owner guards it.
 *
 * @param <V> what belongs to a range
 */
public final class RangeMap<V> {
    private static final int INITIAL = 16;

    private long[] firsts = new long[INITIAL];
    private long[] lasts = new long[INITIAL];
    private @Nullable Object[] values = new Object[INITIAL];
    private int size;

    /** An empty map. */
    public RangeMap() {}

    /** How many ranges there are. */
    public int size() {
        return size;
    }

    /** First address of a range by index. */
    public long first(int index) {
        return firsts[checked(index)];
    }

    /** Last address of a range by index. */
    long last(int index) {
        return lasts[checked(index)];
    }

    /** Length of a range in bytes; 0 for all of the address space. */
    public long lengthBytes(int index) {
        return lasts[checked(index)] - firsts[index] + 1;
    }

    /** Value of a range by its index. */
    @SuppressWarnings("unchecked")
    V value(int index) {
        return (V) java.util.Objects.requireNonNull(values[checked(index)]);
    }

    /** Index of the highest range that starts at or below {@code address}; -1 if none does. */
    int floor(long address) {
        int low = 0;
        int high = size - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            if (Long.compareUnsigned(firsts[middle], address) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** Index of the range that starts at {@code first}; -1 if none does. */
    public int startingAt(long first) {
        int index = floor(first);
        return index >= 0 && firsts[index] == first ? index : -1;
    }

    /** Index of the lowest range that has an address from {@code first} to {@code last}; -1 if none has. */
    public int overlapping(long first, long last) {
        int below = floor(first);
        if (below >= 0 && Long.compareUnsigned(lasts[below], first) >= 0) {
            return below;
        }
        int above = below + 1;
        return above < size && Long.compareUnsigned(firsts[above], last) <= 0 ? above : -1;
    }

    /** Adds a range; one that ends before it starts or overlaps another is an {@link IllegalArgumentException}. */
    public void add(long first, long last, V value) {
        if (Long.compareUnsigned(first, last) > 0 || overlapping(first, last) >= 0) {
            throw new IllegalArgumentException("0x" + Long.toHexString(first) + "-0x" + Long.toHexString(last)
                    + " is no range or overlaps another");
        }
        if (size == firsts.length) {
            firsts = Arrays.copyOf(firsts, 2 * size);
            lasts = Arrays.copyOf(lasts, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
        }
        int index = floor(first) + 1;
        move(index, index + 1);
        firsts[index] = first;
        lasts[index] = last;
        values[index] = value;
        size++;
    }

    /** Removes a range. */
    public void remove(int index) {
        move(checked(index) + 1, index);
        size--;
        values[size] = null;
    }

    /** Changes the ends of a range; leaving the room between its neighbours is an {@link IllegalArgumentException}. */
    void resize(int index, long first, long last) {
        checked(index);
        if (Long.compareUnsigned(first, last) > 0
                || index > 0 && Long.compareUnsigned(lasts[index - 1], first) >= 0
                || index + 1 < size && Long.compareUnsigned(firsts[index + 1], last) <= 0) {
            throw new IllegalArgumentException("0x" + Long.toHexString(first) + "-0x" + Long.toHexString(last)
                    + " is no range or overlaps another");
        }
        firsts[index] = first;
        lasts[index] = last;
    }

    /** Takes all away. */
    public void clear() {
        Arrays.fill(values, 0, size, null);
        size = 0;
    }

    private void move(int from, int to) {
        int count = size - from;
        if (count > 0) {
            System.arraycopy(firsts, from, firsts, to, count);
            System.arraycopy(lasts, from, lasts, to, count);
            System.arraycopy(values, from, values, to, count);
        }
    }

    private int checked(int index) {
        return java.util.Objects.checkIndex(index, size);
    }
}
