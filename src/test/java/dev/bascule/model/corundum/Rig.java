package dev.bascule.model.corundum;

import dev.bascule.device.DmaAccess;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/** A device on a bench: memory, clock, wire and a trace of what it does, one line per action. */
final class Rig implements DmaAccess, CorundumObserver {
    static final int CSR = 0x80000;
    static final int PORT0 = CSR + 0x1010;
    static final int PORT1 = CSR + 0x2010;
    static final int SCHEDULER0 = CSR + 0x3010;
    static final int SCHEDULER1 = CSR + 0x4010;
    static final int TABLE = 0x100000;
    static final int EQ = 0x180000;
    static final int CQ = 0x200000;
    static final int TXQ = 0x400000;
    static final int RXQ = 0x600000;
    static final int SCHED_QUEUES = 0x800000;
    static final int PHC = 0x100;

    static final long EQ_RING = 0x10_0000;
    static final long CQ_RING = 0x20_0000;
    static final long TX_RING = 0x40_0000;
    static final long RX_RING = 0x60_0000;
    static final long BUFFERS = 0x1_0000_0000L;

    private final Map<Long, byte[]> pages = new HashMap<>();
    final List<String> trace = new ArrayList<>();
    final List<byte[]> sent = new ArrayList<>();
    final List<Integer> sentPorts = new ArrayList<>();
    final List<Integer> interrupts = new ArrayList<>();
    final CorundumDevice device;
    LongPredicate faulty = address -> false;
    long nanos;
    boolean loopback;

    Rig() {
        this(small().build());
    }

    Rig(CorundumConfig config) {
        device = new CorundumDevice(config, this, interrupts::add, this::leave, () -> nanos, this);
    }

    /** The design the captures were made with. */
    static CorundumConfigBuilder small() {
        return CorundumConfig.builder().eventQueues(8).completionQueues(64).txQueues(32).rxQueues(32).dmaAddressBits(49)
                .msix(false);
    }

    // registers

    int r(long offset) {
        return (int) device.read(offset, 4);
    }

    void w(long offset, int value) {
        device.write(offset, 4, value & 0xFFFFFFFFL);
    }

    /** Writes commands, one after the other, to one word of a queue. */
    void commands(long word, int... commands) {
        for (int command : commands) {
            w(word, command);
        }
    }

    void w16(long offset, int value) {
        device.write(offset, 2, value & 0xFFFF);
    }

    void w8(long offset, int value) {
        device.write(offset, 1, value & 0xFF);
    }

    /** Lets the device work until it has nothing left to do; returns what it did since the last call. */
    List<String> run() {
        while (device.work(1 << 20) != 0) {
            // until idle
        }
        List<String> done = new ArrayList<>(trace);
        trace.clear();
        return done;
    }

    // queues

    void openEq(int number, int logSize, int vector) {
        openCompletionQueue(EQ + number * 16, EQ_RING + number * 0x1_0000L, logSize, vector);
    }

    void openCq(int number, int logSize, int eq) {
        openCompletionQueue(CQ + number * 16, CQ_RING + number * 0x1_0000L, logSize, eq);
    }

    private void openCompletionQueue(int at, long ring, int logSize, int target) {
        w(at + 8, 0x40000100);
        w(at, (int) ring);
        w(at + 4, (int) (ring >> 32));
        w(at + 8, 0x80020000 | logSize);
        w(at + 8, 0xC0000000 | target);
        w(at + 8, 0x80800000);
        w(at + 8, 0x80900000);
        w(at + 8, 0x40000101);
    }

    void openTxq(int number, int logSize, int logBlock, int cq) {
        openWorkQueue(TXQ + number * 32, TX_RING + number * 0x1_0000L, logSize, logBlock, cq);
    }

    void openRxq(int number, int logSize, int logBlock, int cq) {
        openWorkQueue(RXQ + number * 32, RX_RING + number * 0x1_0000L, logSize, logBlock, cq);
    }

    private void openWorkQueue(int at, long ring, int logSize, int logBlock, int cq) {
        w(at + 8, 0x40000100);
        w(at, (int) ring);
        w(at + 4, (int) (ring >> 32));
        w(at + 8, 0x80020000 | logBlock << 8 | logSize);
        w(at + 8, 0xC0000000 | cq);
        w(at + 8, 0x80800000);
        w(at + 8, 0x80900000);
        w(at + 8, 0x40000101);
    }

    void arm(int recordQueue) {
        w(recordQueue + 8, 0x40000201);
    }

    /** Opens ports, the first scheduler and its queue 0: with interrupts at once. */
    Rig ready() {
        w(0x4C, 0);
        for (int port : new int[] { PORT0, PORT1 }) {
            w(port + 0x10, 1);
            w(port + 0x14, 1);
        }
        openEq(0, 5, 0);
        openCq(0, 5, 0);
        openCq(1, 5, 0);
        openTxq(0, 4, 0, 1);
        openRxq(0, 4, 0, 0);
        w(SCHED_QUEUES, 0x40000101);
        w(SCHEDULER0 + 0x20, 1);
        w(SCHEDULER0 + 0x18, 1);
        run();
        return this;
    }

    // memory

    void descriptor(long address, int command, int lengthBytes, long buffer) {
        byte[] bytes = new byte[16];
        bytes[2] = (byte) command;
        bytes[3] = (byte) (command >> 8);
        put32(bytes, 4, lengthBytes);
        put32(bytes, 8, (int) buffer);
        put32(bytes, 12, (int) (buffer >> 32));
        put(address, bytes);
    }

    private static void put32(byte[] bytes, int at, int value) {
        for (int i = 0; i < 4; i++) {
            bytes[at + i] = (byte) (value >> 8 * i);
        }
    }

    void put(long address, byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            page(address + i)[(int) (address + i & 0xFFF)] = bytes[i];
        }
    }

    byte[] get(long address, int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            bytes[i] = page(address + i)[(int) (address + i & 0xFFF)];
        }
        return bytes;
    }

    String hex(long address, int lengthBytes) {
        return HexFormat.of().formatHex(get(address, lengthBytes));
    }

    private byte[] page(long address) {
        return pages.computeIfAbsent(address >>> 12, key -> new byte[4096]);
    }

    /** Puts a packet of one fragment into TX queue {@code queue} at ring index {@code index}. */
    void transmitDescriptor(int queue, int index, byte[] frame, int command) {
        long buffer = BUFFERS + queue * 0x100_0000L + index * 0x1_0000L;
        put(buffer, frame);
        descriptor(TX_RING + queue * 0x1_0000L + (index & 15) * 16L, command, frame.length, buffer);
    }

    void producer(int workQueue, int value) {
        w(workQueue + 8, 0x80800000 | value & 0xFFFF);
    }

    /** Sends one frame from TX queue 0, which must be empty, and returns what appeared on the wire. */
    byte[] transmit(int index, byte[] frame, int command) {
        sent.clear();
        transmitDescriptor(0, index, frame, command);
        producer(TXQ, index + 1);
        run();
        return sent.isEmpty() ? new byte[0] : sent.get(0);
    }

    /** Posts buffers of {@code lengthBytes} in all 16 entries of RX queue 0, {@code count} of them. */
    void post(int count, int lengthBytes) {
        for (int i = 0; i < 16; i++) {
            descriptor(RX_RING + i * 16L, 0, lengthBytes, BUFFERS + 0x8000_0000L + i * 0x1_0000L);
        }
        producer(RXQ, count);
    }

    boolean receive(int port, byte[] frame) {
        return device.receive(port, frame, 0, frame.length);
    }

    static byte[] frame(int lengthBytes) {
        byte[] frame = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            frame[i] = (byte) (i * 7 + lengthBytes);
        }
        return frame;
    }

    /** An untagged IPv4 frame with ports. */
    static byte[] ipv4(int protocol, int headerWords, int lengthBytes) {
        byte[] frame = frame(lengthBytes);
        frame[12] = 8;
        frame[13] = 0;
        frame[14] = (byte) (0x40 | headerWords);
        frame[23] = (byte) protocol;
        byte[] tuple = HexFormat.of().parseHex("0a0102030a09080712345678");
        System.arraycopy(tuple, 0, frame, 26, tuple.length);
        return frame;
    }

    // device's side

    private void leave(int port, byte[] data, int offset, int lengthBytes) {
        byte[] frame = Arrays.copyOfRange(data, offset, offset + lengthBytes);
        sent.add(frame);
        sentPorts.add(port);
        if (loopback) {
            device.receive(port, frame, 0, frame.length);
        }
    }

    @Override
    public boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
        if (faulty.test(iova)) {
            return false;
        }
        MemorySegment.copy(MemorySegment.ofArray(get(iova, (int) lengthBytes)), 0, to, toOffset, lengthBytes);
        return true;
    }

    @Override
    public boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
        if (faulty.test(iova)) {
            return false;
        }
        byte[] bytes = new byte[(int) lengthBytes];
        MemorySegment.copy(from, fromOffset, MemorySegment.ofArray(bytes), 0, lengthBytes);
        put(iova, bytes);
        return true;
    }

    @Override
    public void descriptorRead(boolean transmit, int queue, long address, int lengthBytes, long cause) {
        trace.add("%s%d desc %x %d".formatted(transmit ? "tx" : "rx", queue, address, lengthBytes));
    }

    @Override
    public void dataRead(int queue, long address, int lengthBytes, long cause) {
        trace.add("tx%d data %x %d".formatted(queue, address, lengthBytes));
    }

    @Override
    public void dataWritten(int queue, long address, byte[] data, int offset, int lengthBytes, long cause) {
        trace.add("rx%d data %x %d".formatted(queue, address, lengthBytes));
    }

    @Override
    public void recordWritten(boolean events, int queue, long address, byte[] record, long cause) {
        trace.add("%s%d %x".formatted(events ? "eq" : "cq", queue, address));
    }

    @Override
    public void transmitted(int port, byte[] data, int offset, int lengthBytes, long cause) {
        trace.add("wire%d %d".formatted(port, lengthBytes));
    }

    @Override
    public void interrupted(int vector, long cause) {
        trace.add("irq%d".formatted(vector));
    }
}
