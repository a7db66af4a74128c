package dev.bascule.model.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("NullAway.Init")
class CaptureFilesTest {
    private static final long TIME = 1_700_000_000_123_456_789L;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = { "frames.pcap", "frames.pcapng" })
    void whatIsWrittenIsReadWithItsNanoseconds(String name) throws IOException {
        Path file = folder.resolve(name);
        List<byte[]> frames = new ArrayList<>();
        Random random = new Random(11);
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("port 0"))) {
            for (int length : new int[] { 60, 61, 62, 63, 64, 1514, 9214, 1, 0, 65536 }) {
                byte[] frame = new byte[length];
                random.nextBytes(frame);
                frames.add(frame);
                writer.write(TIME + frames.size(), 0, frame, 0, length);
            }
        }
        List<CapturedFrame> read = read(file);
        assertThat(read).hasSameSizeAs(frames);
        for (int i = 0; i < frames.size(); i++) {
            assertThat(read.get(i).data()).isEqualTo(frames.get(i));
            assertThat(read.get(i).timestampNanos()).isEqualTo(TIME + i + 1);
            assertThat(read.get(i).isCut()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "parts.pcap", "parts.pcapng" })
    void aFrameCanBeGivenInParts(String name) throws IOException {
        Path file = folder.resolve(name);
        MemorySegment memory = MemorySegment.ofArray(new byte[] { 1, 2, 3, 4, 5, 6, 7 });
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("p"))) {
            writer.begin(TIME, 0, 5);
            writer.append(memory, 1, 2);
            assertThatThrownBy(writer::end).isInstanceOf(IllegalStateException.class).hasMessageContaining("3 bytes");
            assertThatThrownBy(() -> writer.append(memory, 0, 4)).isInstanceOf(IndexOutOfBoundsException.class);
            writer.append(memory, 4, 3);
            writer.end();
            writer.write(TIME, 0, new byte[] { 9 }, 0, 1);
        }
        assertThat(read(file)).extracting(CapturedFrame::data).containsExactly(new byte[] { 2, 3, 5, 6, 7 },
                new byte[] { 9 });
    }

    @Test
    void severalInterfacesNeedPcapng() throws IOException {
        Path file = folder.resolve("two.pcapng");
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("a", "interface b"))) {
            writer.write(TIME, 1, new byte[] { 1, 2, 3 }, 1, 2);
            writer.flush();
            assertThat(read(file)).as("readable while it grows").hasSize(1);
            assertThatThrownBy(() -> writer.write(TIME, 2, new byte[1], 0, 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(read(file).getFirst().interfaceIndex()).isEqualTo(1);
        assertThat(read(file).getFirst().data()).containsExactly(2, 3);
        assertThatThrownBy(() -> CaptureWriter.create(folder.resolve("two.pcap"), List.of("a", "b")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("pcap has one");
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void bothByteOrdersAndMicrosecondsAreRead(boolean big) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(100).order(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        out.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4).putLong(0).putInt(65535).putInt(1);
        out.putInt(1000).putInt(5).putInt(2).putInt(100).put(new byte[] { 7, 8 });
        CapturedFrame frame = read(write("old.pcap", out)).getFirst();
        assertThat(frame.timestampNanos()).isEqualTo(1_000_000_005_000L);
        assertThat(frame.isCut()).as("2 of 100 bytes").isTrue();
        assertThat(frame.originalBytes()).isEqualTo(100);
        assertThat(frame.data()).containsExactly(7, 8);
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void pcapngOfOthersIsUnderstood(boolean big) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(400).order(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        out.putInt(0x0a0d0d0a).putInt(36).putInt(0x1a2b3c4d).putShort((short) 1).putShort((short) 2).putLong(-1)
                .putShort((short) 4).putShort((short) 2).put(new byte[] { 'x', 'y', 0, 0 }).putInt(36);
        out.putInt(1).putInt(20).putShort((short) 1).putShort((short) 0).putInt(0).putInt(20); // microseconds
        out.putInt(1).putInt(32).putShort((short) 1).putShort((short) 0).putInt(64).putShort((short) 9)
                .putShort((short) 1).put(new byte[] { (byte) 0x8a, 0, 0, 0 }).putInt(0).putInt(32); // 2^-10 s
        out.putInt(0x4bad).putInt(16).putInt(99).putInt(16); // unknown
        out.putInt(6).putInt(36).putInt(0).putInt(0).putInt(3).putInt(1).putInt(60).put(new byte[] { 9, 0, 0, 0 })
                .putInt(36);
        out.putInt(6).putInt(36).putInt(1).putInt(0).putInt(2048).putInt(1).putInt(1).put(new byte[] { 8, 0, 0, 0 })
                .putInt(36);
        out.putInt(3).putInt(20).putInt(2).put(new byte[] { 5, 6, 0, 0 }).putInt(20); // simple packet
        List<CapturedFrame> frames = read(write("other.pcapng", out));
        assertThat(frames).hasSize(3);
        assertThat(frames.get(0).timestampNanos()).isEqualTo(3000);
        assertThat(frames.get(0).originalBytes()).isEqualTo(60);
        assertThat(frames.get(1).timestampNanos()).isEqualTo(2_000_000_000L);
        assertThat(frames.get(2).data()).containsExactly(5, 6);
        assertThat(frames.get(2).timestampNanos()).isEqualTo(CapturedFrame.NO_TIME);
    }

    @Test
    void foreignFilesAreRefusedAtTheirFirstBytes() throws IOException {
        Path text = Files.writeString(folder.resolve("notes.txt"), "not a capture at all");
        assertThatThrownBy(() -> CaptureReader.open(text)).isInstanceOf(CaptureFormatException.class)
                .hasMessageContaining("notes.txt").hasMessageContaining("byte 0")
                .hasMessageContaining("no capture file");
        Path empty = Files.createFile(folder.resolve("empty"));
        assertThatThrownBy(() -> CaptureReader.open(empty)).hasMessageContaining("too short");
        assertThatThrownBy(() -> CaptureReader.open(folder.resolve("none"))).isInstanceOf(IOException.class);
        ByteBuffer wifi = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN).putInt(0xa1b2c3d4).putShort((short) 2)
                .putShort((short) 4).putLong(0).putInt(65535).putInt(105);
        Path other = write("wifi.pcap", wifi);
        assertThatThrownBy(() -> CaptureReader.open(other)).hasMessageContaining("link type 105");
        ByteBuffer future = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN).putInt(0xa1b2c3d4)
                .putShort((short) 3).putShort((short) 0).putLong(0).putInt(65535).putInt(1);
        Path version = write("future.pcap", future);
        assertThatThrownBy(() -> CaptureReader.open(version)).hasMessageContaining("version 3.0");
    }

    @ParameterizedTest
    @ValueSource(strings = { "cut.pcap", "cut.pcapng" })
    void filesCutAnywhereGiveWhatIsWholeAndThenSayWhere(String name) throws IOException {
        Path file = folder.resolve(name);
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("p"))) {
            for (int i = 0; i < 3; i++) {
                writer.write(TIME, 0, new byte[61], 0, 61);
            }
        }
        byte[] whole = Files.readAllBytes(file);
        int clean = 0;
        for (int length = 0; length < whole.length; length++) {
            Path cut = Files.write(folder.resolve("x" + name), java.util.Arrays.copyOf(whole, length));
            try {
                List<CapturedFrame> frames = read(cut);
                assertThat(frames.size()).isLessThan(3);
                clean++;
            } catch (CaptureFormatException e) {
                assertThat(e).hasMessageContaining(cut.toString()).hasMessageContaining("byte ");
            }
        }
        assertThat(clean).as("ends between frames or blocks").isBetween(3, 4);
    }

    @ParameterizedTest
    @ValueSource(strings = { "bad.pcap", "bad.pcapng" })
    void damagedFilesNeverThrowAnythingElse(String name) throws IOException {
        Path file = folder.resolve(name);
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("p"))) {
            for (int i = 0; i < 3; i++) {
                writer.write(TIME, 0, new byte[100], 0, 100);
            }
        }
        byte[] whole = Files.readAllBytes(file);
        Random random = new Random(5);
        int refused = 0;
        for (int run = 0; run < 3000; run++) {
            byte[] damaged = whole.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            Path bad = Files.write(folder.resolve("y" + name), damaged);
            try {
                read(bad);
            } catch (CaptureFormatException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    private Path write(String name, ByteBuffer content) throws IOException {
        return Files.write(folder.resolve(name), java.util.Arrays.copyOf(content.array(), content.position()));
    }

    private static List<CapturedFrame> read(Path file) throws IOException {
        List<CapturedFrame> frames = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(file)) {
            CapturedFrame frame = reader.next();
            while (frame != null) {
                frames.add(frame);
                frame = reader.next();
            }
        }
        return frames;
    }
}
