/**
 * Memory that is shared with a device or another process: {@link dev.bascule.memory.Window} (seen through a memory
 * type), {@link dev.bascule.memory.SharedMemory}, {@link dev.bascule.memory.DmaBuffer}, pools, mirrored buffers, IOVA
 * allocation and NUMA placement. Use after close is an exception, never a crash.
 */
@NullMarked
package dev.bascule.memory;

import org.jspecify.annotations.NullMarked;
