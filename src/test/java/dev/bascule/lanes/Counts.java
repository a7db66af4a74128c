package dev.bascule.lanes;

/** Tests by how they ended. */
record Counts(int passed, int failed, int skipped) {
    static final Counts NONE = new Counts(0, 0, 0);

    Counts plus(Counts other) {
        return new Counts(passed + other.passed, failed + other.failed, skipped + other.skipped);
    }

    int tests() {
        return passed + failed + skipped;
    }

    @Override
    public String toString() {
        return tests() + " tests, " + failed + " failed, " + skipped + " skipped";
    }
}
