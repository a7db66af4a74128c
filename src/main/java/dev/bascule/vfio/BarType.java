package dev.bascule.vfio;

import dev.bascule.memory.MemoryType;
import org.jspecify.annotations.Nullable;

/**
 * How a BAR is mapped: what was asked for, and what it is.
 *
 * @param asked what was asked for before the device was opened: {@link MemoryType#UC} or {@link MemoryType#WC}
 * @param effective what the kernel's list says, on aarch64 what the mapping's file stands for ({@link MemoryType#UC} is
 *     device memory there, {@link MemoryType#WC} normal non-cacheable); null if that cannot be read here
 * @param remark why it is not what was asked for, or why nobody knows; empty if all is well
 */
public record BarType(MemoryType asked, @Nullable MemoryType effective, String remark) {
    /** Type that a window has to reckon with: the effective one if it is known, else the one asked for. */
    public MemoryType safe() {
        return effective == null ? asked : effective;
    }

    /** Whether it is known to be another type than was asked for. */
    public boolean isWrong() {
        return effective != null && effective != asked;
    }

    @Override
    public String toString() {
        return effective == null
                ? asked + " asked for, not known what it is: " + remark
                : isWrong() ? effective + " instead of " + asked + ": " + remark : effective.toString();
    }
}
