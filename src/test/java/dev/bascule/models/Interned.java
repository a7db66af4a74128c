package dev.bascule.models;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers arrays of longs that recur, so that a state holds the number instead (collapse compression). */
public final class Interned {
    private record Key(long[] words) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && Arrays.equals(words, key.words);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(words);
        }
    }

    private final Map<Key, Integer> numbers = new HashMap<>();
    private final List<long[]> values = new ArrayList<>();

    /** The number of an array with this content; copies it the first time. */
    public int number(long... words) {
        Integer known = numbers.get(new Key(words));
        if (known != null) {
            return known;
        }
        long[] copy = words.clone();
        numbers.put(new Key(copy), values.size());
        values.add(copy);
        return values.size() - 1;
    }

    /** The array of a number; not to be changed. */
    public long[] words(int number) {
        return values.get(number);
    }
}
