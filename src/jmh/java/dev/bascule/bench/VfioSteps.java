package dev.bascule.bench;

/** What Java and C do with the same device, one after the other. */
interface VfioSteps extends AutoCloseable {
    /** One thing that is timed. */
    enum Step {
        /** A 32-bit load from a mapped register. */
        READ,
        /** A 32-bit store to one. */
        WRITE,
        /** 4 KiB mapped for the device and unmapped. */
        MAP_SMALL,
        /** A hugepage of 2 MiB mapped for the device and unmapped. */
        MAP_HUGE,
        /** Raised by the device, awaited, its cause read and acknowledged. */
        INTERRUPT
    }

    /** Does a step so many times. */
    void run(Step step, long count);

    @Override
    void close();
}
