package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.lab.Lab;
import dev.bascule.lab.LabCli;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.TxPipe;
import dev.bascule.pci.PciAddress;
import dev.bascule.vfio.VfioDevice;
import dev.bascule.vfio.VfioOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The driver through the kernel's VFIO on a card that a process outside of the virtual machine serves, with a board whose
 * settings each opening clears: {@code scripts/lab --enso}. Its console is a file.
 */
@Tag("lab")
@Timeout(120)
class EnsoLabTest {
    private static final Path CONSOLE = Path.of("/mnt/console");
    private static final int FRAME_BYTES = 64;
    private static final int FRAMES = 40;
    private static final EnsoConfig CONFIG = EnsoConfig.ofRings(1024, 2048);

    @TempDir
    private Path folder;

    private PciAddress address = PciAddress.parse("0000:00:00.0");

    @BeforeEach
    void find() {
        Assumptions.assumeFalse(Lab.devices(EnsoRegisters.VENDOR_ID, EnsoRegisters.DEVICE_ID).isEmpty(),
                "the lab's QEMU has no vfio-user-pci");
        address = Lab.bound(EnsoRegisters.VENDOR_ID, EnsoRegisters.DEVICE_ID, 0);
    }

    @Test
    void openingResetsTheBoardWhichIsSetWhileTheCardIsHeldAndThenBytesGoRound() throws Exception {
        try (VfioDevice card = VfioDevice.open(address, VfioOptions.DEFAULT)) {
            assertThatThrownBy(() -> EnsoNic.open(card, CONFIG)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("resets it").hasMessageContaining("enso.boardTool");
            setBoard();
            try (EnsoNic nic = EnsoNic.open(card, CONFIG); EnsoGroup group = nic.openGroup()) {
                RxTxPipe in = group.openFallbackRxTx();
                TxPipe out = group.openTx();
                send(out);
                long end = System.nanoTime() + 60_000_000_000L;
                int frames = 0;
                while (frames < FRAMES && System.nanoTime() < end) {
                    group.poll();
                    long bytes = in.peek();
                    if (bytes == 0) {
                        continue;
                    }
                    for (long at = 0; at < bytes; at += FRAME_BYTES) {
                        assertThat(in.memory().get(ValueLayout.JAVA_BYTE, in.offset() + at + 40)).as("frame %d", frames)
                                .isEqualTo((byte) frames++);
                    }
                    in.confirm(bytes);
                    in.free(bytes);
                }
                assertThat(frames).isEqualTo(FRAMES);
            }
        }
    }

    private static void send(TxPipe out) {
        byte[] frame = new byte[FRAME_BYTES];
        frame[12] = 8;
        frame[14] = 0x45;
        frame[17] = FRAME_BYTES - 14;
        frame[23] = 17;
        for (int i = 0; i < FRAMES; i++) {
            frame[40] = (byte) i;
            MemorySegment.copy(MemorySegment.ofArray(frame), 0, out.memory(), out.offset() + (long) i * FRAME_BYTES,
                    FRAME_BYTES);
        }
        assertThat(out.send((long) FRAMES * FRAME_BYTES)).isEqualTo((long) FRAMES * FRAME_BYTES);
    }

    private static void setBoard() throws Exception {
        Files.writeString(CONSOLE, "pipe-ring=1024 notification-ring=2048 inflight=500\n");
        long end = System.nanoTime() + 30_000_000_000L;
        for (String said = said(); !said.startsWith("set "); said = said()) {
            assertThat(System.nanoTime()).as("the console answers: %s", said).isLessThan(end);
            Thread.sleep(20);
        }
    }

    /** The console's text, or why the file cannot be read: it is replaced, which a guest's file system may see in between. */
    private static String said() {
        try {
            return Files.readString(CONSOLE);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** As a user does: the tool is named by the configuration, and no hugepage is asked for. */
    @Test
    void pktgenRunsTheBoardToolAndGetsItsPacketsBack() throws Exception {
        Path config = Files.writeString(folder.resolve("enso.yaml"), """
                kind: pci
                device: {ids: "1172:0000", driver: enso, seen: lab}
                enso:
                  pipeRingFlits: 1024
                  notificationRingEntries: 2048
                  hugepages: false
                  boardTool: [sh, -c, 'echo pipe-ring=$BASCULE_ENSO_PIPE_RING \
                notification-ring=$BASCULE_ENSO_NOTIFICATION_RING inflight=$BASCULE_ENSO_INFLIGHT > %1$s; \
                until grep -q ^set %1$s; do sleep 0.1; done']
                """.formatted(CONSOLE));
        LabCli run = LabCli.call("pktgen", "--device", address.toString(), "--config", config.toString(), "--count",
                "200", "--rate", "500", "--json");
        assertThat(run.status()).as(run.err() + run.out()).isZero();
        assertThat(run.out()).contains("\"packetsReceived\": 200", "\"lost\": 0", "PCI device " + address);
    }
}
