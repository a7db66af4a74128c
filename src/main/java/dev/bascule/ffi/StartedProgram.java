package dev.bascule.ffi;

import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One program that {@link ProgramStart} started: a {@link Process} without streams, as its standard ones are those of this
 * process. A signal never meets a later process of its number. Any thread.
 */
public final class StartedProgram extends Process {
    private static final int P_PID = 1;
    private static final int WEXITED = 4;
    private static final int WNOWAIT = 0x0100_0000;
    private static final int SIGINFO_BYTES = 128;
    /** Where siginfo_t has why it ended, and its status or signal. */
    private static final int CODE = 8;
    private static final int STATUS = 24;
    private static final int CLD_EXITED = 1;
    private static final int SIGNALLED = 128;
    private static final int SIGTERM = 15;
    private static final int SIGKILL = 9;

    private final int pid;
    private final CompletableFuture<Integer> exit = new CompletableFuture<>();
    private final @Nullable HeldProcess held;
    private boolean isBuried;

    /** @param pid of a child that nobody has waited for */
    StartedProgram(int pid) {
        this.pid = pid;
        held = hold(pid);
        Thread.ofPlatform().daemon().name("program-" + pid).start(this::await);
    }

    /** A kernel without pidfds starts programs as well; signals are refused then. */
    private static @Nullable HeldProcess hold(int pid) {
        try {
            return HeldProcess.open(pid);
        } catch (NativeException e) {
            return null;
        }
    }

    private void await() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(SIGINFO_BYTES, 8);
            waitFor(info, WEXITED | WNOWAIT);
            synchronized (this) {
                isBuried = true;
                waitFor(info, WEXITED);
                if (held != null) {
                    held.close();
                }
            }
            int status = info.get(ValueLayout.JAVA_INT, STATUS);
            exit.complete(info.get(ValueLayout.JAVA_INT, CODE) == CLD_EXITED ? status : SIGNALLED + status);
        } catch (RuntimeException e) {
            exit.completeExceptionally(e);
        }
    }

    private void waitFor(MemorySegment info, int how) {
        while ((int) NativeCall.words(Fn.WAITID, NativeCall.word(P_PID), NativeCall.word(pid), info,
                NativeCall.word(how)) < 0) {
            if (NativeCall.errno() != Errno.EINTR) {
                throw NativeException.last("waitid", "process " + pid);
            }
        }
    }

    private synchronized void signal(int number) {
        if (!isBuried && held != null) {
            held.signal(number);
        }
    }

    @Override
    public long pid() {
        return pid;
    }

    @Override
    public ProcessHandle toHandle() {
        return ProcessHandle.of(pid).orElseThrow(() -> new IllegalStateException("process " + pid + " has ended"));
    }

    /** None once it has ended, also for who has just seen it alive. */
    @Override
    public Stream<ProcessHandle> children() {
        return of(ProcessHandle::children);
    }

    /** As {@link #children}. */
    @Override
    public Stream<ProcessHandle> descendants() {
        return of(ProcessHandle::descendants);
    }

    private synchronized Stream<ProcessHandle> of(Function<ProcessHandle, Stream<ProcessHandle>> look) {
        return isBuried ? Stream.empty() : ProcessHandle.of(pid).map(look).orElseGet(Stream::empty);
    }

    @Override
    public ProcessHandle.Info info() {
        return toHandle().info();
    }

    @Override
    public boolean isAlive() {
        return !exit.isDone();
    }

    @Override
    public int waitFor() throws InterruptedException {
        try {
            return exit.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    @Override
    public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
        try {
            exit.get(timeout, unit);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    @Override
    public int exitValue() {
        if (!exit.isDone()) {
            throw new IllegalThreadStateException("process " + pid + " has not ended");
        }
        return exit.join();
    }

    @Override
    public void destroy() {
        signal(SIGTERM);
    }

    @Override
    public Process destroyForcibly() {
        signal(SIGKILL);
        return this;
    }

    @Override
    public boolean supportsNormalTermination() {
        return true;
    }

    @Override
    public InputStream getInputStream() {
        return InputStream.nullInputStream();
    }

    @Override
    public InputStream getErrorStream() {
        return InputStream.nullInputStream();
    }

    @Override
    public OutputStream getOutputStream() {
        return OutputStream.nullOutputStream();
    }
}
