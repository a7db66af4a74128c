package dev.bascule.models;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * 128 bits of a whole object graph: what production objects hold is the state, so a field added to them is part of the
 * state without anybody thinking of it. Two different states have the same print with a probability of about the square
 * of their number over 2^128.
 */
public final class Fingerprint {
    /** The fields that count, by the predicate that says which do not. One thread. */
    private static final Map<Predicate<Field>, Map<Class<?>, List<Field>>> FIELDS = new HashMap<>();
    private static final ClassValue<Boolean> PARTS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type.isArray() || type.getName().startsWith("dev.bascule.") && !type.isHidden() && !type.isRecord()
                    && !type.isEnum();
        }
    };

    /** The two halves. */
    public record Print(long a, long b) {}

    private final Predicate<Field> skipped;
    private final Map<Class<?>, List<Field>> fields;
    private final IdentityHashMap<Object, Boolean> seen = new IdentityHashMap<>(48);
    private long a = 0x9e37_79b9_7f4a_7c15L;
    private long b = 0xbf58_476d_1ce4_e5b9L;

    /** @param skipped fields that do not belong to the state: scratch space, statistics, fixed things */
    public Fingerprint(Predicate<Field> skipped) {
        this.skipped = skipped;
        fields = FIELDS.computeIfAbsent(skipped, key -> new HashMap<>());
    }

    /** The print of all that was added. */
    public Print print() {
        return new Print(a, b);
    }

    /** Adds a number. */
    public Fingerprint add(long value) {
        a = Long.rotateLeft((a ^ value) * 0x94d0_49bb_1331_11ebL, 29);
        b = (Long.rotateLeft(b, 23) + value) * 0xd6e8_feb8_6659_fd93L;
        b ^= b >>> 32;
        return this;
    }

    /** Adds numbers, zeros only by their absence. */
    public Fingerprint addSparse(long[] values) {
        for (int i = 0; i < values.length; i++) {
            if (values[i] != 0) {
                add(i).add(values[i]);
            }
        }
        return add(-1);
    }

    /** Adds an object with everything that can be reached from it. */
    public Fingerprint addGraph(Object root) {
        if (seen.put(root, true) != null) {
            return this;
        }
        if (root.getClass().isArray()) {
            return addArray(root);
        }
        for (Field field : fields(root.getClass())) {
            addField(field, root);
        }
        return this;
    }

    private void addField(Field field, Object of) {
        try {
            Class<?> type = field.getType();
            if (type == long.class) {
                add(field.getLong(of));
            } else if (type == boolean.class) {
                add(field.getBoolean(of) ? 1 : 0);
            } else if (type.isPrimitive()) {
                add(((Number) field.get(of)).longValue());
            } else {
                Object value = field.get(of);
                if (value != null && isPart(value.getClass())) {
                    addGraph(value);
                }
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("read " + field, e);
        }
    }

    private Fingerprint addArray(Object array) {
        switch (array) {
            case long[] values -> {
                for (long value : values) {
                    add(value);
                }
            }
            case int[] values -> {
                for (int value : values) {
                    add(value);
                }
            }
            case byte[] values -> {
                for (byte value : values) {
                    add(value);
                }
            }
            case boolean[] values -> {
                for (boolean value : values) {
                    add(value ? 1 : 0);
                }
            }
            case Object[] items -> {
                for (Object item : items) {
                    if (item != null && isPart(item.getClass())) {
                        addGraph(item);
                    }
                }
            }
            default -> throw new IllegalStateException("an array of " + array.getClass().getComponentType());
        }
        return this;
    }

    /** Functions and records are fixed; so is everything of the JDK. */
    private static boolean isPart(Class<?> type) {
        return PARTS.get(type);
    }

    private List<Field> fields(Class<?> type) {
        return fields.computeIfAbsent(type, key -> {
            List<Field> list = new ArrayList<>();
            for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
                for (Field field : at.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers()) && !skipped.test(field)) {
                        field.setAccessible(true);
                        list.add(field);
                    }
                }
            }
            return list;
        });
    }
}
