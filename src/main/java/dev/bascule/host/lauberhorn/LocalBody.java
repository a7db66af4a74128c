package dev.bascule.host.lauberhorn;

import dev.bascule.memory.Window;
import dev.bascule.model.lauberhorn.LineMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** A process that is threads of this JVM: the quick form. A handler that never returns is left behind when it is killed. */
final class LocalBody implements RpcProcess.Body {
    private static final long STOP_MILLIS = 2_000;

    private final UserThread[] threads;
    private final Thread[] carriers;
    private final Sleeper[] sleepers;
    private volatile boolean alive = true;

    LocalBody(int process, RpcHandler[] handlers, LineMemory memory, LauberhornOptions options,
            IntFunction<Sleeper> kernelOf) {
        int count = memory.layout().threads();
        threads = new UserThread[count];
        carriers = new Thread[count];
        sleepers = new Sleeper[count];
        for (int i = 0; i < count; i++) {
            sleepers[i] = new Sleeper.Local();
            Window window = memory.cpu();
            threads[i] = new UserThread(i, process, handlers, window, memory.layout(), options.idle().get(),
                    sleepers[i],
                    kernelOf, options.patienceNanos());
            carriers[i] = Thread.ofPlatform().daemon().name("process-" + process + "-" + i)
                    .unstarted(options.onCores(threads[i]));
        }
    }

    void start() {
        for (Thread carrier : carriers) {
            carrier.start();
        }
    }

    @Override
    public Sleeper sleeper(int threadOfProcess) {
        return sleepers[threadOfProcess];
    }

    @Override
    public void kill() {
        alive = false;
        for (UserThread thread : threads) {
            thread.stop();
        }
    }

    @Override
    public void stop() {
        kill();
        try {
            for (Thread carrier : carriers) {
                carrier.join(STOP_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isAlive() {
        return alive;
    }

    @Override
    public long[] served() {
        long[] both = new long[2];
        for (UserThread thread : threads) {
            both[0] += thread.served();
            both[1] += thread.failed();
        }
        return both;
    }

    @Override
    public List<String> failures() {
        List<String> all = new ArrayList<>();
        for (UserThread thread : threads) {
            Throwable failure = thread.lastFailure();
            if (failure != null) {
                all.add(thread + ": " + failure);
            }
        }
        return all;
    }
}
