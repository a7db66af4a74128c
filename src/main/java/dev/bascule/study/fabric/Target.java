package dev.bascule.study.fabric;

/** Memory or registers behind an address range of a port. Offsets are from the range's beginning and lie within it. */
public interface Target {
    /** A write has arrived. */
    void write(long offset, byte[] data);

    /** Answers a read that has arrived: puts its bytes into {@code to}, from {@code at} on. */
    void read(long offset, byte[] to, int at, int lengthBytes);
}
