package dev.bascule.model.enso.backend;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Finds the shared memory behind a physical address a program names. */
@FunctionalInterface
interface PageFinder {
    /** The huge page that starts at {@code physicalPage}, mapped here, or null if no program's file holds it. */
    @Nullable
    MemorySegment find(long physicalPage);

    /** The page is no longer used. */
    default void release(MemorySegment page) {}
}
