package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.Lines;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.model.ivshmem.IvshmemHub;
import dev.bascule.nic.ivshmem.IvshmemDriver;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IvshmemRegionTest {
    private static final int ROUNDS = 3_000;
    private static final long SMALL = 4096;
    private static final long LARGE = 8192;

    private final IvshmemHub hub = new IvshmemHub(1 << 16, 8);
    private final LoopbackDevice hostDevice = LoopbackDevice.open(hub.peer());
    private final LoopbackDevice agentDevice = LoopbackDevice.open(hub.peer());
    private final IvshmemDriver hostDriver = IvshmemDriver.open(hostDevice);
    private final IvshmemDriver agentDriver = IvshmemDriver.open(agentDevice);

    @AfterEach
    void close() {
        agentDevice.close();
        hostDevice.close();
        hub.close();
    }

    @Test
    void anAgentSeesOneLayoutWholeWhileTheHostLaysTheRegionOutAnewAgainAndAgain() throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch bothThere = new CountDownLatch(2);
        Thread host = Thread.ofPlatform().start(() -> {
            IvshmemRegion region = new IvshmemRegion(hostDriver);
            meet(bothThere);
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    region.create("wave", SMALL, LARGE);
                    region.create("swap", LARGE, SMALL);
                }
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        });
        meet(bothThere);
        int waves = 0;
        int swaps = 0;
        boolean isOver = false;
        while (!isOver) {
            isOver = !host.isAlive();
            waves += sees("wave", SMALL, LARGE) ? 1 : 0;
            swaps += sees("swap", LARGE, SMALL) ? 1 : 0;
        }
        host.join();
        assertThat(failure.get()).isNull();
        assertThat(waves + swaps).as("layouts seen").isPositive();
    }

    private boolean sees(String transport, long nicBytes, long hostBytes) {
        try {
            IvshmemRegion.Layout seen = new IvshmemRegion(agentDriver).attach(transport);
            assertThat(seen).isEqualTo(new IvshmemRegion.Layout(hostDriver.position(), nicBytes, hostBytes,
                    transport.hashCode()));
            return true;
        } catch (AgentException e) {
            assertThat(e).hasMessageMatching(".*(no host has laid one out|does not speak " + transport + ").*");
            return false;
        }
    }

    private static void meet(CountDownLatch bothThere) {
        bothThere.countDown();
        try {
            bothThere.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aSealedHeaderThatNamesMoreThanTheBarHasIsRefused() {
        new IvshmemRegion(hostDriver).create("wave", SMALL, LARGE);
        for (long bytes : new long[] { 0, -1, 1 << 16, Long.MAX_VALUE, Long.MAX_VALUE - 4096 }) {
            Window header = agentDriver.window(MemoryType.UC);
            long[] words = new IvshmemRegion.Layout(0, bytes, SMALL, "wave".hashCode()).words();
            header.storeLine(0, words, 0);
            IvshmemRegion agent = new IvshmemRegion(agentDriver);
            agent.attach("wave");
            assertThatThrownBy(() -> {
                agent.nicMemory(MemoryType.UC);
                agent.hostMemory();
            }).as("%d bytes", bytes).isInstanceOf(AgentException.class).hasMessageContaining("its header names");
        }
    }

    @Test
    void bytesThatNoHostWroteAreNoHeader() {
        new IvshmemRegion(hostDriver).create("wave", SMALL, LARGE);
        Window header = agentDriver.window(MemoryType.UC);
        long[] words = new long[8];
        header.loadLine(0, words, 0);
        assertThat(words[7]).isEqualTo(Lines.digest(words, 0));
        header.storeRelease(16, 1);
        assertThatThrownBy(() -> new IvshmemRegion(agentDriver).attach("wave")).hasMessageContaining("damaged");
    }
}
