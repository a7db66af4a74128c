package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Captures written and read again, and captures of every kind that cannot be sent. */
class PcapFramesTest {
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
        PcapFrames read = PcapFrames.read(captured(ipv4(60), ipv4(1518)));
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
        PcapFrames read = PcapFrames.read(captured(ipv4(2000), vlan, ipv6, liar, new byte[10], padded));
        assertThat(read).extracting(PcapFrames::jumbo, PcapFrames::tagged, PcapFrames::foreign, PcapFrames::truncated)
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
        PcapFrames read = PcapFrames.read(file);
        assertThat(read.frames()).hasSize(1);
        assertThat(read.truncated()).isEqualTo(1);
        Files.write(file, java.util.Arrays.copyOf(bytes.array(), bytes.capacity() - 20));
        assertThat(PcapFrames.read(file).truncated()).isEqualTo(2);
    }

    @Test
    void whatIsNoCaptureIsToldWithItsPlace() throws IOException {
        Path file = folder.resolve("bad.pcap");
        Files.writeString(file, "not a capture at all, really");
        assertThatThrownBy(() -> PcapFrames.read(file)).isInstanceOf(IOException.class)
                .hasMessageContaining("not a pcap file");
        Files.write(file, new byte[0]);
        assertThatThrownBy(() -> PcapFrames.read(file)).hasMessageContaining("not a pcap file");
        ByteBuffer head = ByteBuffer.allocate(24 + 16).order(ByteOrder.LITTLE_ENDIAN).putInt(0xA1B2C3D4)
                .putShort((short) 2).putShort((short) 4).putInt(0).putInt(0).putInt(96).putInt(105);
        Files.write(file, head.array());
        assertThatThrownBy(() -> PcapFrames.read(file)).hasMessageContaining("link type 105");
        head.putInt(20, 1).putInt(24 + 8, -5);
        Files.write(file, head.array());
        assertThatThrownBy(() -> PcapFrames.read(file)).hasMessageContaining("frame 1");
        Files.write(file, java.util.Arrays.copyOf(head.array(), 30));
        assertThatThrownBy(() -> PcapFrames.read(file)).hasMessageContaining("header of frame 1");
    }
}
