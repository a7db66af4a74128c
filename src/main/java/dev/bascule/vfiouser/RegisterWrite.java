package dev.bascule.vfiouser;

/**
 * One of several register writes that are sent together.
 *
 * @param offset bytes from the start of the BAR, a multiple of the width
 * @param widthBytes 1, 2, 4 or 8
 * @param value the low bytes are written
 */
record RegisterWrite(long offset, int widthBytes, long value) {}
