package dev.bascule.nic.lesson;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.PacketBatch;
import dev.bascule.vfiouser.VfioUserDevice;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The lesson card's driver on its Verilog in a cocotb testbench under Icarus Verilog; skipped where neither can be had. */
@Tag("cosim")
@Timeout(300)
@SuppressWarnings("NullAway.Init")
class CocotbCosimTest {
    private static final String SCRIPT = "scripts/cocotb";
    private static final Path TESTBENCH = Path.of("native/cosim/python/nic_cocotb.py").toAbsolutePath();
    private static final Path DESIGN = Path.of("native/cosim/example/nic.v");
    private static final int FRAMES = 24;
    private static final long START_SECONDS = 120;

    @TempDir
    private Path folder;

    private Path socket;
    private Path log;
    private Process simulation;

    @BeforeEach
    void start() throws Exception {
        Assumptions.assumeTrue(Files.exists(DESIGN) || System.getenv("BASCULE_NIC") != null, "no " + DESIGN);
        Process setUp = new ProcessBuilder(SCRIPT, "--set-up").redirectErrorStream(true).start();
        String said = new String(setUp.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Assumptions.assumeTrue(setUp.waitFor() == 0, "no cocotb here: " + said);
        socket = folder.resolve("nic");
        log = folder.resolve("log");
        simulation = new ProcessBuilder(SCRIPT, "--", "python3", TESTBENCH.toString(), socket.toString(),
                folder.resolve("build").toString()).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        long start = System.nanoTime();
        while (!Files.exists(socket)) {
            assertThat(simulation.isAlive() && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(START_SECONDS))
                    .as(Files.readString(log)).isTrue();
            LockSupport.parkNanos(10_000_000);
        }
    }

    @AfterEach
    void end() {
        if (simulation != null) {
            simulation.descendants().forEach(ProcessHandle::destroyForcibly);
            simulation.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void framesComeBackByteByByte(boolean interrupts) throws Exception {
        try (NicAdapter card = Nics.open(VfioUserDevice.open(socket))) {
            Nic nic = card.openPort(0,
                    interrupts ? NicOptions.DEFAULTS.withInterrupts() : NicOptions.DEFAULTS.withRingEntries(64));
            nic.start();
            SplittableRandom random = new SplittableRandom(7);
            PacketBatch out = new PacketBatch(4);
            PacketBatch in = new PacketBatch(16);
            Deque<byte[]> sent = new ArrayDeque<>();
            for (int begun = 0; begun < FRAMES; begun += 4) {
                send(nic, out, random, sent);
                while (!sent.isEmpty()) {
                    receive(nic, in, sent);
                }
            }
            assertThat(nic.statistics()).containsEntry("rx_packets", (long) FRAMES).containsEntry("rx_errors", 0L);
        }
        ended();
    }

    private static void send(Nic nic, PacketBatch out, SplittableRandom random, Deque<byte[]> sent) {
        int count = nic.txQueue(0).allocate(out, 4);
        assertThat(count).isEqualTo(4);
        for (int i = 0; i < count; i++) {
            byte[] frame = new byte[random.nextInt(14, 300)];
            random.nextBytes(frame);
            MemorySegment.copy(frame, 0, out.memory().segment(), ValueLayout.JAVA_BYTE, out.offset(i), frame.length);
            out.setLength(i, frame.length);
            sent.add(frame);
        }
        assertThat(nic.txQueue(0).write(out)).isEqualTo(count);
        nic.txQueue(0).commit();
    }

    /** A second of the design's time is hours of the simulator's: a frame that is lost ends by the test's own limit. */
    private static void receive(Nic nic, PacketBatch in, Deque<byte[]> sent) {
        assertThat(nic.rxQueue(0).await(1_000_000_000)).isTrue();
        nic.rxQueue(0).poll(in);
        for (int i = 0; i < in.size(); i++) {
            assertThat(in.memory().segment().asSlice(in.offset(i), in.length(i)).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(sent.remove());
        }
        in.release();
    }

    @Test
    void theDesignsTimeIsTheSimulators() throws Exception {
        try (VfioUserDevice device = VfioUserDevice.open(socket)) {
            long before = device.nanoTime();
            while (device.nanoTime() - before < 10_000) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat((device.nanoTime() - before) % 4).as("whole cycles of 4 ns").isZero();
        }
        ended();
    }

    /** The testbench ends with its client, and passes. */
    private void ended() throws IOException, InterruptedException {
        assertThat(simulation.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(log)).contains("PASS=1 FAIL=0");
        assertThat(simulation.exitValue()).isZero();
    }
}
