package dev.bascule.config;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One key of a file, as a record's component declares it.
 *
 * @param section keys around it, joined by dots; empty at the top
 * @param name last part of its path
 * @param key what the component says
 * @param type what it takes
 * @param of class of its value; of those it holds, if it is a list or a map
 * @param words what a choice may be, or units of a cost
 */
record Field(String section, String name, Key key, ValueType type, Class<?> of, List<String> words) {
    private static final long SECOND = 1_000_000_000L;
    private static final ClassValue<List<RecordComponent>> COMPONENTS = new ClassValue<>() {
        @Override
        protected List<RecordComponent> computeValue(Class<?> record) {
            return List.of(record.getRecordComponents());
        }
    };
    private static final Map<Class<?>, ValueType> TYPES = Map.of(Constant.class, ValueType.CONSTANT, CostConstant.class,
            ValueType.COST, boolean.class, ValueType.SWITCH, int.class, ValueType.COUNT, long.class, ValueType.NUMBER,
            String.class, ValueType.TEXT);
    private static final List<String> TIMES = List.of("ns", "us", "ms");

    /** Components of a record, each with the annotations that it has read. */
    static List<RecordComponent> components(Class<?> record) {
        return COMPONENTS.get(record);
    }

    static Field of(String section, RecordComponent component, Key key) {
        Class<?> of = component.getGenericType() instanceof ParameterizedType generic
                ? (Class<?>) generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1]
                : component.getType();
        ValueType type = key.type() == ValueType.OF_COMPONENT ? typeOf(component.getType(), of, key) : key.type();
        List<String> words = List.of(key.words());
        if (of.isEnum()) {
            words = Arrays.stream(of.getEnumConstants()).map(c -> c.toString().toLowerCase(Locale.ROOT)).toList();
        } else if (words.isEmpty() && type == ValueType.COST) {
            words = TIMES;
        }
        return new Field(section, key.value().isEmpty() ? component.getName() : key.value(), key, type, of, words);
    }

    private static ValueType typeOf(Class<?> component, Class<?> of, Key key) {
        if (component == Map.class) {
            return of.isRecord() ? ValueType.NAMED : ValueType.REST;
        }
        if (component == List.class) {
            return of.isRecord() ? ValueType.WAYS : ValueType.LIST;
        }
        if (of.isEnum() || (key.words().length > 0 && of != CostConstant.class)) {
            return key.required() ? ValueType.WORD : ValueType.CHOICE;
        }
        return TYPES.getOrDefault(of, ValueType.SECTION);
    }

    /** Keys that stand side by side where a record is read, in order. */
    static List<Field> in(String section, Class<?> record) {
        List<Field> fields = new ArrayList<>();
        for (RecordComponent component : components(record)) {
            Key key = component.getAnnotation(Key.class);
            if (key != null) {
                Field field = of(section, component, key);
                fields.addAll(field.type == ValueType.INLINE ? in(section, field.of) : List.of(field));
            }
        }
        return fields;
    }

    static List<String> names(Class<?> record) {
        return in("", record).stream().map(Field::name).toList();
    }

    /** Keys with a value of their own by path, in order: those of a record and of its sections. */
    static Map<String, Field> values(String section, Class<?> record) {
        Map<String, Field> values = new LinkedHashMap<>();
        for (Field field : in(section, record)) {
            if (field.type == ValueType.SECTION) {
                values.putAll(values(field.path(), field.of));
            } else {
                values.put(field.path(), field);
            }
        }
        return values;
    }

    String path() {
        return section.isEmpty() ? name : section + "." + name;
    }

    boolean required() {
        return key.required() || type == ValueType.COST;
    }

    /** Default as a file would say it; empty: none, or no text. */
    String fallback() {
        return !key.fallback().isEmpty()
                ? key.fallback()
                : type == ValueType.CHOICE ? words.getFirst() : type.fallback();
    }

    long max() {
        return type == ValueType.CONSTANT ? SECOND : type == ValueType.DURATION ? 60 * SECOND : key.max();
    }
}
