package dev.bascule.nic.enso;

import dev.bascule.config.ModelTiming;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.EnsoCounter;
import dev.bascule.model.enso.EnsoDevice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A driver on the model in one thread, with the timing of the compiled design: the model works when the driver waits, and
 * when the test says so.
 */
final class EnsoRig implements AutoCloseable {
    static final EnsoConfig SMALL = EnsoConfig.ofRings(1024, 1024);
    static final int SERVER = 0xC0A80001;
    static final int PORT = 80;
    /** 55 cycles of 4 ns, in those of 5 ns that the model counts. */
    private static final int ANSWER_CYCLES = 44;

    final List<byte[]> sent = new ArrayList<>();
    final EnsoDevice model;
    final LoopbackDevice backing;
    final EnsoNic nic;
    private long cycle;

    EnsoRig(EnsoConfig config, EnsoBoard board) {
        model = new EnsoDevice(board, () -> cycle,
                (frame, length, at) -> sent.add(Arrays.copyOf(frame, length)), ModelTiming.RTL);
        backing = LoopbackDevice.open(model);
        nic = open(config);
    }

    static EnsoRig small() {
        return of(SMALL);
    }

    static EnsoRig of(EnsoConfig config) {
        return new EnsoRig(config, board(config));
    }

    static EnsoBoard board(EnsoConfig config) {
        return new EnsoBoard(config.pipeRingFlits(), config.notificationRingEntries(), config.inflightEntries(),
                config.perPacketNotification());
    }

    EnsoNic open(EnsoConfig config) {
        try {
            return EnsoNic.open(backing, config, work -> work());
        } catch (RuntimeException e) {
            backing.close();
            throw e;
        }
    }

    void work() {
        cycle += 10;
        while (model.work(1000) > 0) {
            cycle++;
        }
    }

    void time(long cycles) {
        cycle = cycles;
    }

    /** A frame arrives once what the driver stored is answered; {@link #race} does not wait for that. */
    void receive(byte[] frame) {
        answered();
        race(frame);
    }

    /** Lets as much time pass as the answer of a head update takes. */
    void answered() {
        cycle += ANSWER_CYCLES;
        model.work(0);
    }

    /** A frame arrives at once. */
    void race(byte[] frame) {
        model.receive(frame, 0, frame.length);
    }

    /** A UDP frame to {@link #SERVER}, {@link #PORT}, whose payload bytes all are {@code fill}. */
    static byte[] frame(int lengthBytes, int fill) {
        return frame(lengthBytes, fill, SERVER, PORT);
    }

    static byte[] frame(int lengthBytes, int fill, int destination, int port) {
        byte[] frame = new byte[lengthBytes];
        Arrays.fill(frame, 42, lengthBytes, (byte) fill);
        put(frame, 0, 0x0200_0000, 4);
        put(frame, 6, 0x0200_0001, 4);
        put(frame, 12, 0x0800, 2);
        frame[14] = 0x45;
        put(frame, 16, lengthBytes - 14, 2);
        frame[22] = 64;
        frame[23] = 17;
        put(frame, 26, 0x0A000001, 4);
        put(frame, 30, destination, 4);
        put(frame, 34, 1234, 2);
        put(frame, 36, port, 2);
        put(frame, 38, lengthBytes - 34, 2);
        int sum = 0;
        for (int at = 14; at < 34; at++) {
            sum += (frame[at] & 0xFF) << 8 * (at & 1 ^ 1);
        }
        put(frame, 24, ~((sum & 0xFFFF) + (sum >>> 16)), 2);
        return frame;
    }

    private static void put(byte[] frame, int at, int value, int bytes) {
        for (int i = 0; i < bytes; i++) {
            frame[at + i] = (byte) (value >>> 8 * (bytes - 1 - i));
        }
    }

    long count(EnsoCounter counter) {
        return model.metrics().get(counter);
    }

    @Override
    public void close() {
        nic.close();
        backing.close();
    }
}
