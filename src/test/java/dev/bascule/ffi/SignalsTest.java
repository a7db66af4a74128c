package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import org.junit.jupiter.api.Test;

class SignalsTest {
    /** The parent becomes a program that knows of no child, as a process 1 that reaps none. */
    @Test
    void aProcessThatNobodyReapsHasEnded() throws Exception {
        Process parent = new ProcessBuilder("sh", "-c", "true & echo $!; exec sleep 1000").start();
        try (BufferedReader out = parent.inputReader()) {
            long child = Long.parseLong(out.readLine());
            Signals.awaitEnd(child);
            assertThat(Signals.hasEnded(parent.pid())).isFalse();
        } finally {
            parent.destroyForcibly();
        }
        parent.waitFor();
        assertThat(Signals.hasEnded(parent.pid())).isTrue();
    }
}
