package dev.bascule.app.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.app.Capture;
import dev.bascule.model.wire.CaptureFormatException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Captures written and read again, and captures of every kind that cannot be sent. */
class EnsoFramesTest {
    private static final long MOST = 1 << 20;

    @TempDir
    Path folder;

    private static byte[] ipv4(int lengthBytes) {
        byte[] frame = new byte[lengthBytes];
        frame[12] = 8;
        frame[14] = 0x45;
        frame[16] = (byte) (lengthBytes - 14 >>> 8);
        frame[17] = (byte) (lengthBytes - 14);
        return frame;
    }

    private Path captured(byte[]... frames) throws IOException {
        Path file = folder.resolve("test.pcap");
        try (Capture capture = new Capture(file, () -> 1_500_000_000_000_000_007L)) {
            for (byte[] frame : frames) {
                assertThat(capture.process(MemorySegment.ofArray(frame), 0, frame.length)).isZero();
            }
            assertThat(capture.packets()).isEqualTo(frames.length);
        }
        return file;
    }

    @Test
    void whatIsCapturedIsReadAgain() throws IOException {
        EnsoFrames read = EnsoFrames.read(captured(ipv4(60), ipv4(1518)), MOST);
        assertThat(read.frames()).hasSize(2);
        assertThat(read.frames().get(1)).isEqualTo(ipv4(1518));
        assertThat(read.leftOut()).isZero();
    }

    @Test
    void framesTheCardCannotCutAreLeftOutByReason() throws IOException {
        byte[] vlan = ipv4(100);
        vlan[12] = (byte) 0x81;
        byte[] ipv6 = ipv4(100);
        ipv6[12] = (byte) 0x86;
        ipv6[13] = (byte) 0xDD;
        byte[] liar = ipv4(100);
        liar[16] = 9;
        byte[] padded = ipv4(100);
        padded[17] = 46; // 60 bytes and padding
        EnsoFrames read = EnsoFrames.read(captured(ipv4(2000), vlan, ipv6, liar, new byte[10], padded), MOST);
        assertThat(read).extracting(EnsoFrames::jumbo, EnsoFrames::tagged, EnsoFrames::foreign, EnsoFrames::truncated)
                .containsExactly(1, 1, 1, 2);
        assertThat(read.frames()).hasSize(1);
        assertThat(read.frames().getFirst()).hasSize(60);
    }

    @Test
    void framesTheCaptureCutAreLeftOut() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(24 + 16 + 60 + 16 + 60).order(ByteOrder.BIG_ENDIAN);
        bytes.putInt(0xA1B2C3D4).putShort((short) 2).putShort((short) 4).putInt(0).putInt(0).putInt(96).putInt(1);
        bytes.putInt(1).putInt(2).putInt(60).putInt(1500).put(ipv4(60));
        bytes.putInt(1).putInt(2).putInt(60).putInt(60).put(ipv4(60));
        Path file = folder.resolve("cut.pcap");
        Files.write(file, bytes.array());
        EnsoFrames read = EnsoFrames.read(file, MOST);
        assertThat(read.frames()).hasSize(1);
        assertThat(read.truncated()).isEqualTo(1);
        Files.write(file, java.util.Arrays.copyOf(bytes.array(), bytes.capacity() - 20));
        assertThatThrownBy(() -> EnsoFrames.read(file, MOST)).isInstanceOf(CaptureFormatException.class)
                .hasMessageContaining("cut.pcap: byte ").hasMessageContaining("cut off");
    }
}
