/**
 * Wires that ports of device models can be plugged into: a cable to another process, capture files, a TAP interface of
 * the kernel; and the reading and writing of capture files (pcap, pcapng).
 */
@NullMarked
package dev.bascule.model.wire;

import org.jspecify.annotations.NullMarked;
