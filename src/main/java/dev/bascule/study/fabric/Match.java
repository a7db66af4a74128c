package dev.bascule.study.fabric;

/**
 * A condition of a table's entry.
 *
 * @param field what is compared; values are not negative
 * @param test how
 * @param value with what
 */
public record Match(Field field, Test test, long value) {
    /** Comparisons. */
    public enum Test {
        /** Equal. */
        EQ("=="),
        /** Not equal. */
        NE("!="),
        /** Less. */
        LT("<"),
        /** Greater or equal. */
        GE(">=");

        private final String sign;

        Test(String sign) {
            this.sign = sign;
        }

        /** As graphs and dumps write it. */
        public String sign() {
            return sign;
        }
    }

    boolean holds(long[] fields) {
        long found = fields[field.ordinal()];
        return switch (test) {
            case EQ -> found == value;
            case NE -> found != value;
            case LT -> Long.compareUnsigned(found, value) < 0;
            case GE -> Long.compareUnsigned(found, value) >= 0;
        };
    }

    @Override
    public String toString() {
        return field.word() + " " + test.sign + " " + value;
    }
}
