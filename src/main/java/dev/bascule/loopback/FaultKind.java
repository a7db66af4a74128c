package dev.bascule.loopback;

/** Faults of one access or message. {@code amount} is that of the {@link FaultRule}. */
public enum FaultKind {
    /** It never happens. A dropped read gives all ones. */
    DROP,
    /** It happens {@code amount} nanoseconds late; what comes after it may overtake it. */
    DELAY,
    /** It happens, and once more after {@code amount} later messages (at least 1). */
    DUPLICATE,
    /** It happens after {@code amount} later messages (at least 1). */
    REORDER,
    /** Only some of its 8-byte pieces happen. */
    TEAR,
    /** One bit of it is wrong. */
    CORRUPT,
    /** The device is pulled out at this moment: reads give all ones, writes and interrupts vanish, for good. */
    REMOVE,
    /** The device hangs from this moment on: writes have no effect, nothing changes any more, no interrupts. */
    DEAD
}
