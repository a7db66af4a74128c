package dev.bascule.model.cndm.proto;

import static dev.bascule.nic.cndm.proto.ProtoRegisters.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.replay.ReplayResult;
import dev.bascule.model.replay.SparseMemory;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The capture of the teaching card's RTL, and facts that it does not show. */
class ProtoDeviceTest {
    private static final int PORT = 0x10000;
    private static final int SEND_RING = 0x1000;
    private static final int RECEIVE_RING = 0x2000;
    private static final int SENT_RING = 0x3000;
    private static final int RECEIVED_RING = 0x4000;
    private static final int BUFFER = 0x8000;
    private static final int LOG = 2;

    private final SparseMemory memory = new SparseMemory();
    private final List<Integer> interrupts = new ArrayList<>();
    private final List<byte[]> wire = new ArrayList<>();
    private final ProtoDevice device = new ProtoDevice(2, memory, interrupts::add,
            (port, data, length) -> wire.add(Arrays.copyOf(data, length)), null);

    private static List<String> lines() throws Exception {
        InputStream stream = Objects
                .requireNonNull(ProtoDeviceTest.class.getResourceAsStream("/vectors/cndm/proto-basic.jsonl.gz"));
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(stream), StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        }
    }

    private static ReplayResult replay(List<String> lines) throws Exception {
        return ProtoReplay.run("changed", new BufferedReader(new StringReader(String.join("\n", lines))));
    }

    @Test
    void capturedRunReplaysWithoutDifference() throws Exception {
        ReplayResult result = replay(lines());
        assertThat(result.differences()).isEmpty();
        assertThat(result.name()).isEqualTo("proto-basic");
        assertThat(result.expectations()).isGreaterThan(300);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "\"expect\":\"0x00140014\" | \"expect\":\"0x00130014\"",
            "\"kind\":\"sq_desc\",\"port\":1 | \"kind\":\"sq_desc\",\"port\":0",
            "\"expect_irq\",\"vector\":1 | \"expect_irq\",\"vector\":0",
            "00000000000000000000000000000080 | 00000000010000000000000000000080" })
    void changedExpectationIsADifferenceAtItsLine(String from, String to) throws Exception {
        List<String> lines = new ArrayList<>(lines());
        int at = 0;
        while (!lines.get(at).contains(from)) {
            at++;
        }
        lines.set(at, lines.get(at).replace(from, to));
        assertThat(replay(lines).differences()).singleElement().asString().startsWith("line " + (at + 1) + ":");
    }

    private void enable(int queue, int ring) {
        device.write(PORT + queue + ADDRESS_LOW, 4, ring);
        device.write(PORT + queue + CONTROL, 4, ENABLE | LOG << SIZE_SHIFT);
    }

    private void open() {
        enable(SEND + COMPLETIONS, SENT_RING);
        enable(RECEIVE + COMPLETIONS, RECEIVED_RING);
        enable(SEND, SEND_RING);
        enable(RECEIVE, RECEIVE_RING);
    }

    private void give(int queue, int ring, int slot, int lengthBytes) {
        memory.write(ring + 16L * (slot & (1 << LOG) - 1), ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN)
                .putInt(4, lengthBytes).putLong(8, BUFFER).array());
        device.write(PORT + queue + POINTERS, 4, slot + 1);
        device.work(100);
    }

    private ByteBuffer entry(int ring, int slot) {
        byte[] entry = new byte[16];
        memory.read(ring + 16L * slot, MemorySegment.ofArray(entry), 0, 16);
        return ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN);
    }

    private int read(int register) {
        return (int) device.read(PORT + register, 4);
    }

    /** No pointer of the host's says how far completions were read: the fifth of four overwrites the first. */
    @Test
    void completionsOverrunTheirRing() {
        open();
        for (int slot = 0; slot < 5; slot++) {
            give(SEND, SEND_RING, slot, 60 + slot);
        }
        assertThat(wire).hasSize(5);
        assertThat(entry(SENT_RING, 0).get(15)).isZero();
        assertThat(entry(SENT_RING, 1).get(15)).isNegative();
        assertThat(read(SEND + COMPLETIONS + POINTERS)).isEqualTo(5);
        assertThat(interrupts).hasSize(5);
    }

    @Test
    void disablingClearsTheCardsPointerAndNotTheHosts() {
        open();
        give(SEND, SEND_RING, 0, 60);
        give(SEND, SEND_RING, 1, 61);
        assertThat(read(SEND + POINTERS)).isEqualTo(2 << 16 | 2);
        device.write(PORT + SEND + CONTROL, 4, 0);
        assertThat(read(SEND + POINTERS)).isEqualTo(2);
        enable(SEND, SEND_RING);
        device.work(100);
        assertThat(wire).as("both are sent again").hasSize(4);
    }

    @Test
    void completionOfADisabledQueueIsKeptAndNoOtherFrameBegins() {
        enable(SEND, SEND_RING);
        give(SEND, SEND_RING, 0, 60);
        give(SEND, SEND_RING, 1, 60);
        assertThat(wire).hasSize(1);
        assertThat(interrupts).isEmpty();
        enable(SEND + COMPLETIONS, SENT_RING);
        device.work(100);
        assertThat(wire).hasSize(2);
        assertThat(interrupts).hasSize(2);
    }

    @Test
    void receivedFrameIsCutToMemoryAndBufferAndToldAsStored() {
        open();
        device.receive(0, new byte[60], 0, 60);
        device.work(100);
        assertThat(device.losses().toString()).contains("no descriptor: 1");
        device.write(PORT + RECEIVE + POINTERS, 4, 0);
        byte[] frame = new byte[5000];
        Arrays.fill(frame, (byte) 7);
        device.receive(0, frame, 0, frame.length);
        give(RECEIVE, RECEIVE_RING, 0, 32);
        assertThat(entry(RECEIVED_RING, 0).getInt(4)).isEqualTo(4096);
        assertThat(entry(BUFFER, 1).get(15)).isEqualTo((byte) 7);
        assertThat(entry(BUFFER, 2).get(0)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 16_385, 65_535 })
    void lengthThatDoesNotLeaveStopsNothing(int lengthBytes) {
        open();
        give(SEND, SEND_RING, 0, lengthBytes);
        give(SEND, SEND_RING, 1, 60);
        assertThat(wire).hasSize(1);
        assertThat(interrupts).hasSize(2);
    }

    @Test
    void longFrameIsWhatTheMemoryHasThen() {
        byte[] frame = new byte[5000];
        for (int i = 0; i < frame.length; i++) {
            frame[i] = (byte) (i * 7 + i / 256);
        }
        memory.write(BUFFER, frame);
        open();
        give(SEND, SEND_RING, 0, frame.length);
        assertThat(wire.getFirst()).hasSize(5000);
        assertThat(wire.getFirst()[0]).isEqualTo(frame[4096]);
        assertThat(wire.getFirst()[2000]).isEqualTo(frame[2000]);
        assertThat(wire.getFirst()[4999]).isEqualTo(frame[4999]);
    }

    @Test
    void whatMakesNoSenseDoesNoHarm() {
        for (long offset = 0; offset < BAR0_BYTES; offset += 0x3C) {
            device.write(offset & ~3, 4, -1);
            device.read(offset & ~3, 4);
        }
        device.write(PORT + SEND, 8, -1);
        assertThat(device.read(PORT + SEND, 8)).isEqualTo(-1);
        device.receive(0, new byte[20_000], 0, 20_000);
        device.receive(1, new byte[60], 0, 60);
        assertThat(device.work(1_000)).isPositive();
        device.reset();
        assertThat(read(SEND + POINTERS)).isZero();
        assertThat(device.work(1)).isZero();
    }
}
