package dev.bascule.memory;

import dev.bascule.ffi.Limits;
import dev.bascule.ffi.NativeException;

/** A process that lowers its own limit of locked memory and then wants more. */
final class LockingChild {
    private LockingChild() {}

    public static void main(String[] args) {
        Limits.set(Limits.Resource.LOCKED_MEMORY, new Limits.Limit(64 * 1024, 64 * 1024));
        // just below the size from which hugepages are tried
        try (DmaBuffer buffer = DmaBuffer.allocate("child", (1 << 20) - 1, DmaBuffer.Locking.valueOf(args[0]))) {
            System.out.println("locked=" + buffer.isLocked() + " " + buffer.reason());
        } catch (NativeException e) {
            System.out.println(e.getMessage());
            System.exit(3);
        }
    }
}
