package dev.bascule.host.lauberhorn;

import dev.bascule.ffi.EventFd;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** How one who waits for a core, or for its return, is woken. A wake-up before the sleep is not lost. */
interface Sleeper {
    /** Wakes who sleeps, or will. Any thread; never blocks. */
    void wake();

    /** Sleeps until woken, at most about this long; may return early. One thread. */
    void sleep(long nanos);

    /** For threads of one process. */
    final class Local implements Sleeper {
        private volatile @Nullable Thread sleeper;

        @Override
        public void wake() {
            LockSupport.unpark(sleeper);
        }

        @Override
        public void sleep(long nanos) {
            if (sleeper == null) {
                sleeper = Thread.currentThread();
                return; // whoever woke before knew of nobody: look once more
            }
            LockSupport.parkNanos(this, nanos);
        }
    }

    /** Between processes. */
    record Event(EventFd eventFd) implements Sleeper {
        private static final long MILLI = 1_000_000;

        @Override
        public void wake() {
            eventFd.signal();
        }

        @Override
        public void sleep(long nanos) {
            eventFd.await(Math.max(1, nanos / MILLI));
            eventFd.take();
        }
    }
}
