package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.Cosim;
import dev.bascule.junit.CosimServer;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;

/** An unmodified QEMU as the client of a compiled design: a foreign judge of the server of {@code native/cosim}. */
@Tag("cosim")
class CosimQemuTest {
    private static final long BAR0 = 0xe000_0000L;
    private static final long RX_RING = 0x100000;
    private static final long TX_RING = 0x101000;
    private static final long MESSAGE = 0x300000;

    @Cosim(build = "target/cosim/nic")
    void aGuestSendsAFrameAndGetsItBackWithAnInterrupt(CosimServer server) throws Exception {
        Assumptions.assumeTrue(QtestMachine.isFetched(), "no QEMU 10.1 here yet: scripts/lab-qemu --set-up");
        for (int run = 0; run < 2; run++) {
            try (QtestMachine machine = QtestMachine.start(server.socket())) {
                drive(machine, run);
                machine.kill();
            }
        }
        assertThat(server.said()).doesNotContain("refused");
    }

    private static void drive(QtestMachine machine, int seed) throws Exception {
        assertThat(machine.config(0)).isEqualTo(0xb1c5_1234L);
        assertThat(machine.sizeAndPlace(0, BAR0)).isEqualTo(4096);
        machine.config(4, 6); // memory and bus mastering
        assertThat(machine.load(BAR0, 4)).isEqualTo(0x424e_4943);
        long entry = BAR0 + 0x800;
        machine.store(entry, 4, MESSAGE); // a message is a write: here to ordinary memory
        machine.store(entry + 4, 4, 0);
        machine.store(entry + 8, 4, 0x5a);
        machine.store(entry + 12, 4, 0);
        machine.config(0x80, machine.config(0x80) | 0x8000_0000L);

        byte[] frame = new byte[1001];
        new Random(seed).nextBytes(frame);
        machine.fill(0x200000, frame);
        ring(machine, 0x100, RX_RING, 0x210000, 2048);
        ring(machine, 0x200, TX_RING, 0x200000, frame.length);
        machine.store(BAR0 + 8, 4, 1);
        machine.store(BAR0 + 0x114, 4, 0);
        machine.store(BAR0 + 0x10c, 4, 1);
        machine.store(BAR0 + 0x20c, 4, 1);
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (machine.load(MESSAGE, 4) != 0x5a && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
        }
        assertThat(machine.load(MESSAGE, 4)).as("the interrupt's message").isEqualTo(0x5a);
        assertThat(machine.load(RX_RING + 8, 8)).as("length and phase").isEqualTo(1L << 56 | frame.length);
        assertThat(machine.bytes(0x210000, frame.length)).isEqualTo(frame);
    }

    private static void ring(QtestMachine machine, int block, long ring, long buffer, int lengthBytes)
            throws Exception {
        machine.store(ring, 8, buffer);
        machine.store(ring + 8, 8, lengthBytes);
        machine.store(BAR0 + block, 4, ring);
        machine.store(BAR0 + block + 4, 4, 0);
        machine.store(BAR0 + block + 8, 4, 3);
    }
}
