package dev.bascule.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.LibVerbs;
import dev.bascule.ffi.Verbs;
import dev.bascule.lab.Lab;
import dev.bascule.memory.Window;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long a store, a look and a bell take over soft-RoCE in an emulated machine: printed, and no bound is asserted. */
@Tag("rdma")
class RdmaLatencyLabTest {
    private static final int ROUNDS = 300;
    private static final MirrorHost.Sizes SIZES = new MirrorHost.Sizes(1 << 16, 4096, 0, 4);

    private volatile int bells;

    @Test
    void storesLooksAndBellsTakeWhatIsPrinted() throws Exception {
        Lab.require();
        Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "latency");
        Credentials both = new Credentials("one", "one", MirrorPair.SECRET);
        Thread sleeper = Thread.currentThread();
        Verbs verbs = LibVerbs.load();
        try (ServerSocket listener = MirrorPair.listen();
                MirrorHost host = new MirrorHost(verbs, new MirrorHost.Setup(Path.of("/sys"), MirrorPair.PATIENT, both,
                        "wave", 1, line -> {}), folder.resolve("host"), SIZES, cpu -> {
                            bells++;
                            LockSupport.unpark(sleeper);
                        })) {
            host.serve(() -> List.of((InetSocketAddress) listener.getLocalSocketAddress()), refused -> {});
            try (MirrorAgent agent = MirrorAgent.answer(verbs,
                    new MirrorAgent.Setup(Path.of("/sys"), MirrorPair.PATIENT,
                            both, "wave", 0),
                    listener.accept(), folder.resolve("agent"), nic -> {})) {
                measure(host, agent);
            }
            host.unlink();
        }
    }

    private void measure(MirrorHost host, MirrorAgent agent) throws InterruptedException {
        Window here = host.windows().nic();
        Window there = agent.nicMemory();
        Thread echo = Thread.ofPlatform().daemon().start(() -> {
            for (int round = 1; round <= ROUNDS; round++) {
                MirrorPair.awaitWord(there, 0, round);
                there.storeRelease(64, round);
                there.writeFence();
            }
        });
        print("a line stored and fenced there, and one back", round -> {
            here.storeRelease(0, round);
            here.writeFence();
            MirrorPair.awaitWord(here, 64, round);
        });
        echo.join();
        print("a look at the peer's copy", round -> {
            while (here.isBehind(64, 0)) {
                Thread.onSpinWait();
            }
        });
        print("a bell that wakes a thread", round -> {
            agent.ring(0);
            while (bells < round) {
                LockSupport.parkNanos(1_000_000_000);
            }
        });
        assertThat(bells).isEqualTo(ROUNDS);
    }

    private static void print(String what, IntConsumer round) {
        long[] nanos = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long start = System.nanoTime();
            round.accept(i + 1);
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        System.out.printf("emulated, soft-RoCE: %s: p50 %,d us, p99 %,d us, n=%d%n", what, nanos[ROUNDS / 2] / 1_000,
                nanos[ROUNDS * 99 / 100] / 1_000, ROUNDS);
    }
}
