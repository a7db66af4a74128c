package dev.bascule.workload;

import java.io.IOException;

/** Something outside of the CPUs that answers: a file, a server. Any thread. */
sealed interface Waits extends AutoCloseable permits RecordFile, SocketBackend {
    /** One that asks, and has one question open at a time. One thread at a time. */
    interface Line extends AutoCloseable {
        /** Asks and waits for the answer; the key is 0 or more. */
        void call(long key) throws IOException;

        /** Whether the last answer is that of this key; takes CPU time. */
        boolean isRight(long key);

        @Override
        void close();
    }

    /** Another line. */
    Line open() throws IOException;

    /** Name of the kind of requests that wait once. */
    String shortName();

    /** Name of the kind that waits many times. */
    String longName();

    /** Description of what is waited for. */
    String describe();

    @Override
    void close();
}
