package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.Lines;
import dev.bascule.agent.RegionHeader;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.model.ivshmem.IvshmemHub;
import dev.bascule.nic.ivshmem.IvshmemDriver;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CardRegionTest {
    private static final int ROUNDS = 3_000;
    private static final int WAVE = RegionHeader.WAVE;
    private static final int SWAP = RegionHeader.SWAP;
    private static final long SMALL = 4096;
    private static final long LARGE = 8192;

    @TempDir
    private Path folder = Path.of("");

    private final IvshmemHub hub = new IvshmemHub(1 << 16, 8);
    private final LoopbackDevice hostDevice = LoopbackDevice.open(hub.peer());
    private final LoopbackDevice agentDevice = LoopbackDevice.open(hub.peer());
    private final IvshmemCard host = new IvshmemCard(IvshmemDriver.open(hostDevice));
    private final IvshmemCard agent = new IvshmemCard(IvshmemDriver.open(agentDevice));

    @AfterEach
    void close() {
        agentDevice.close();
        hostDevice.close();
        hub.close();
    }

    private HostRegion region() {
        return new HostRegion(host, folder, true);
    }

    @Test
    void anAgentSeesOneLayoutWholeWhileTheHostLaysTheRegionOutAnewAgainAndAgain() throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch bothThere = new CountDownLatch(2);
        Thread laying = Thread.ofPlatform().start(() -> {
            HostRegion region = region();
            meet(bothThere);
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    region.create(WAVE, SMALL, LARGE, LARGE, true);
                    region.create(SWAP, LARGE, SMALL, SMALL, true);
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
            isOver = !laying.isAlive();
            waves += sees(WAVE, SMALL, LARGE) ? 1 : 0;
            swaps += sees(SWAP, LARGE, SMALL) ? 1 : 0;
        }
        laying.join();
        assertThat(failure.get()).isNull();
        assertThat(waves + swaps).as("layouts seen").isPositive();
    }

    private boolean sees(int transport, long nicBytes, long hostBytes) {
        try {
            CoresRegion seen = CoresRegion.attach(agent, transport);
            assertThat(seen.nic().sizeBytes()).isEqualTo(nicBytes);
            assertThat(seen.hostMemory().sizeBytes()).isEqualTo(hostBytes);
            return true;
        } catch (AgentException e) {
            assertThat(e).hasMessageMatching("(?s).*(no host has laid one out|start the agent with --transport).*");
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
        region().create(WAVE, SMALL, LARGE, LARGE, true);
        for (long bytes : new long[] { 0, -1, 7, 1 << 16, Long.MAX_VALUE, Long.MAX_VALUE - 4096 }) {
            new Handshake(WAVE, 1, bytes, SMALL, 0, 0, true, 5).write(agent.memory());
            assertThatThrownBy(() -> CoresRegion.attach(agent, WAVE).nic()).as("%d bytes", bytes)
                    .isInstanceOf(AgentException.class).hasMessageContaining("its header names");
        }
    }

    @Test
    void bytesThatNoHostWroteAreNoHeader() {
        region().create(WAVE, SMALL, LARGE, LARGE, true);
        Window header = agent.window(MemoryType.UC);
        long[] words = new long[8];
        header.loadLine(0, words, 0);
        assertThat(words[7]).isEqualTo(Lines.digest(words, 0));
        header.storeRelease(16, 1);
        assertThatThrownBy(() -> CoresRegion.attach(agent, WAVE)).hasMessageContaining("damaged");
    }

    @Test
    void aHostOfAnotherVersionIsNamed() {
        region().create(WAVE, SMALL, LARGE, LARGE, true);
        Window header = agent.window(MemoryType.UC);
        long[] words = new long[8];
        header.loadLine(0, words, 0);
        words[1] = words[1] & ~0xffL | 77;
        words[7] = Lines.digest(words, 0);
        header.storeLine(0, words, 0);
        assertThatThrownBy(() -> CoresRegion.attach(agent, WAVE))
                .hasMessageContaining("speaks version 77 of the handshake, this agent " + Handshake.VERSION);
    }

    @Test
    void eachHostOfTheRegionHasAnEpochOfItsOwn() {
        region().create(WAVE, SMALL, LARGE, LARGE, true);
        int first = Handshake.read(agent.memory()).epoch();
        region().create(WAVE, SMALL, LARGE, LARGE, true);
        assertThat(Handshake.read(agent.memory()).epoch()).isEqualTo(first + 1);
    }
}
