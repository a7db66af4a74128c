package dev.bascule.study.fabric;

/**
 * How long a device works on an item: a fixed time and one for each byte. What a device takes is chosen by whoever plugs it
 * in; the fabric's own figures do not rest on it.
 *
 * @param fixedPs for each item
 * @param psPerByte for each byte
 */
public record WorkTime(long fixedPs, double psPerByte) {
    /** Devices that work in no time, so that only the fabric is seen. */
    public static final WorkTime NONE = new WorkTime(0, 0);

    /** Checks the ranges. */
    public WorkTime {
        if (fixedPs < 0 || psPerByte < 0) {
            throw new IllegalArgumentException("work takes no negative time");
        }
    }

    /** For an item of this length, ps. */
    public long of(int lengthBytes) {
        return fixedPs + Math.round(psPerByte * lengthBytes);
    }
}
