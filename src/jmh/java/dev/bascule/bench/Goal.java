package dev.bascule.bench;

/**
 * Figures that a row is to reach, beside the limit that it must not exceed: a goal that is missed fails nothing.
 *
 * @param near where two cores are near to each other; NaN: no goal there
 * @param far where they are far from each other
 */
record Goal(double near, double far) {
    static final Goal NONE = new Goal(Double.NaN, Double.NaN);

    /** A goal that is the same wherever the cores are. */
    static Goal of(double value) {
        return new Goal(value, value);
    }

    double at(Distance distance) {
        return switch (distance) {
            case NEAR -> near;
            case FAR -> far;
        };
    }
}
