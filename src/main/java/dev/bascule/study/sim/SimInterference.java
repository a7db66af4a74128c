package dev.bascule.study.sim;

/** The other enclaves of a host, which go on while one is in the middle of a round. */
interface SimInterference {
    /** There are none. */
    SimInterference NONE = new SimInterference() {
        @Override
        public long nextNanos() {
            return SimEvents.NEVER;
        }

        @Override
        public void until(long nanos) {
            // nobody is there
        }
    };

    /** When the first of them has its next event; of those that are in the middle of one themselves, none counts. */
    long nextNanos();

    /** Takes all their events before that time. */
    void until(long nanos);
}
