package dev.bascule.model.smartnic;

import dev.bascule.device.Interrupt;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** How the sender of a signal wakes its sleeping receiver. */
interface Waker extends AutoCloseable {
    /** Wakes the receiver, or its next {@code block}. Never blocks. */
    void wake();

    /** The receiver is about to look a last time before it blocks; a {@code wake} from here on is not lost. */
    default void prepare() {}

    /** Blocks until woken, for at most this long; may return early for no reason. */
    void block(long nanos);

    /** Discards wakes that no one waits for. */
    default void clear() {}

    /** Descriptor that epoll can wait for; {@link Interrupt#NO_EVENT_FD} if there is none. */
    default int eventFd() {
        return Interrupt.NO_EVENT_FD;
    }

    @Override
    default void close() {}

    /** Sender and receiver in one process. */
    final class Local implements Waker {
        private volatile @Nullable Thread sleeper;

        @Override
        public void prepare() {
            sleeper = Thread.currentThread();
        }

        @Override
        public void wake() {
            LockSupport.unpark(sleeper);
        }

        @Override
        public void block(long nanos) {
            LockSupport.parkNanos(this, nanos);
        }
    }

    /** No way to wake: the receiver looks again after a short nap. */
    final class Poll implements Waker {
        private static final long NAP_NANOS = 50_000;

        @Override
        public void wake() {}

        @Override
        public void block(long nanos) {
            LockSupport.parkNanos(this, Math.min(nanos, NAP_NANOS));
        }
    }
}
