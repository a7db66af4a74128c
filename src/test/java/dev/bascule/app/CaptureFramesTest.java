package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.model.wire.CaptureFormatException;
import dev.bascule.model.wire.CaptureWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Captures as something to send, and when. */
class CaptureFramesTest {
    private static final long MOST = 1 << 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private Path written(String name, int... lengths) throws IOException {
        Path file = folder.resolve(name);
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("p"))) {
            for (int i = 0; i < lengths.length; i++) {
                byte[] frame = new byte[lengths[i]];
                Arrays.fill(frame, (byte) i);
                writer.write(1_700_000_000_000_000_000L + 1000L * i * i, 0, frame, 0, frame.length);
            }
        }
        return file;
    }

    @ParameterizedTest
    @ValueSource(strings = { "a.pcap", "a.pcapng" })
    void framesOfAnyProtocolComeInOrderAndBytesAsTheyAre(String name) throws IOException {
        CaptureFrames read = CaptureFrames.read(written(name, 60, 14, 1514), 1514, MOST);
        assertThat(read.frames()).extracting(frame -> frame.length).containsExactly(60, 14, 1514);
        assertThat(read.frames().get(2)).containsOnly(2);
        assertThat(read.leftOut()).isZero();
    }

    @Test
    void whatCannotBeSentIsCountedByReason() throws IOException {
        Path file = written("b.pcap", 60, 13, 1515, 100);
        byte[] bytes = Files.readAllBytes(file);
        bytes[24 + 12] = 99; // the first had 99 bytes on the wire
        Files.write(file, bytes);
        CaptureFrames read = CaptureFrames.read(file, 1514, MOST);
        assertThat(read.frames()).hasSize(1);
        assertThat(List.of(read.cut(), read.tooShort(), read.tooLong())).containsExactly(1, 1, 1);
        assertThat(read.leftOut()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = { "c.pcap", "c.pcapng" })
    void aFileCutInsideAFrameIsRefusedWithThePlace(String name) throws IOException {
        Path file = written(name, 60, 60);
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 20));
        assertThatThrownBy(() -> CaptureFrames.read(file, 1514, MOST)).isInstanceOf(CaptureFormatException.class)
                .hasMessageContaining(name + ": byte ").hasMessageContaining("cut off");
    }

    @Test
    void foreignFilesAreRefused() throws IOException {
        Path text = Files.writeString(folder.resolve("notes.txt"), "not a capture at all");
        assertThatThrownBy(() -> CaptureFrames.read(text, 1514, MOST)).hasMessageContaining("no capture file");
        ByteBuffer wifi = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN).putInt(0xA1B2C3D4).putShort((short) 2)
                .putShort((short) 4).putLong(0).putInt(96).putInt(105);
        Path other = Files.write(folder.resolve("wifi.pcap"), wifi.array());
        assertThatThrownBy(() -> CaptureFrames.read(other, 1514, MOST)).hasMessageContaining("link type 105");
    }

    @Test
    void memoryIsLimited() throws IOException {
        Path file = written("d.pcap", 1000, 1000);
        assertThatThrownBy(() -> CaptureFrames.read(file, 1514, 1500)).isInstanceOf(IOException.class)
                .hasMessageContaining("d.pcap").hasMessageContaining("send a part");
    }

    @Test
    void theRecordedPaceGoesOnOverTheEndOfTheFile() throws IOException {
        Pace pace = CaptureFrames.read(written("e.pcap", 60, 60, 60), 1514, MOST).pace(1); // at 0, 1000 and 4000 ns
        assertThat(pace.due(0, 0, 9)).isEqualTo(1);
        assertThat(pace.due(999, 1, 9)).isZero();
        assertThat(pace.due(4000, 1, 9)).isEqualTo(2);
        assertThat(pace.due(5999, 3, 9)).isZero();
        assertThat(pace.due(6000, 3, 9)).as("2000, the mean distance, after the last").isEqualTo(1);
        assertThat(pace.due(1_000_000_000, 0, 9)).as("no more than asked for").isEqualTo(9);
        assertThat(CaptureFrames.read(written("f.pcap", 60, 60), 1514, MOST).pace(2).due(500, 0, 9))
                .as("in half the time").isEqualTo(2);
    }

    @Test
    void framesWithoutATimeGoWithThoseBesideThem() throws IOException {
        long year = 1_600_000_000_000_000_000L;
        CaptureFrames read = CaptureFrames.read(blocks(0, year, 0, year + 1000, 0), 1514, MOST);
        Pace pace = read.pace(1);
        assertThat(pace.due(0, 0, 9)).as("the first, which has none, with the second; the third too").isEqualTo(3);
        assertThat(pace.due(1000, 3, 9)).as("the last, which has none, with the fourth").isEqualTo(2);
        assertThat(read.longestGap()).isEqualTo(new CaptureFrames.Gap(4, 1000));
        assertThat(CaptureFrames.read(blocks(0, 0), 1514, MOST).pace(1).due(0, 0, 9)).as("no time at all").isEqualTo(9);
    }

    @Test
    void theLongestGapNamesTheFrameThatEndsIt() throws IOException {
        assertThat(CaptureFrames.read(blocks(5, 9, 7, 3, 20), 1514, MOST).longestGap())
                .as("from the latest so far, 9").isEqualTo(new CaptureFrames.Gap(5, 11));
        assertThat(CaptureFrames.read(blocks(9, 8, 7), 1514, MOST).longestGap()).isEqualTo(new CaptureFrames.Gap(0, 0));
    }

    /** A pcapng file of frames of these times in nanoseconds; 0 for a frame without a time. */
    private Path blocks(long... times) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0x0a0d0d0a).putInt(28).putInt(0x1a2b3c4d).putInt(1).putLong(-1).putInt(28);
        out.putInt(1).putInt(32).putInt(1).putInt(0).putShort((short) 9).putShort((short) 1).putInt(9).putInt(0)
                .putInt(32);
        for (long time : times) {
            if (time == 0) {
                out.putInt(3).putInt(76).putInt(60).put(new byte[60]).putInt(76);
            } else {
                out.putInt(6).putInt(92).putInt(0).putInt((int) (time >>> 32)).putInt((int) time).putInt(60).putInt(60)
                        .put(new byte[60]).putInt(92);
            }
        }
        return Files.write(folder.resolve("blocks.pcapng"), Arrays.copyOf(out.array(), out.position()));
    }

    @Test
    void packetsRecordedOutOfOrderKeepTheirPlace() {
        Pace pace = Pace.recorded(new long[] { 100, 50, 300 }, 1);
        assertThat(pace.due(0, 0, 9)).isEqualTo(2);
        assertThat(pace.due(200, 2, 9)).isEqualTo(1);
        assertThatThrownBy(() -> Pace.recorded(new long[0], 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Pace.recorded(new long[1], Double.NaN)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Pace.rate(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
