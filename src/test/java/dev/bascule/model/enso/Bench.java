package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoRegisters;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A block on a bench: host memory, registers by name, and a readable list of what the device did. */
final class Bench implements HostPort, FlitSink, ConfigSink {
    static final long RX_RING = 0x5000_0000L;
    static final long TX_RING = 0x5010_0000L;
    static final int FLIT = EnsoFormats.FLIT_BYTES;

    final SparseMemory memory = new SparseMemory();
    final EnsoMetrics metrics = new EnsoMetrics();
    final PcieBlock block;
    private final List<String> events = new ArrayList<>();
    private final Random random = new Random(7);
    private boolean refuse;

    Bench(EnsoBoard board) {
        block = new PcieBlock(this, board, this, this, metrics);
    }

    /** A bench with notification buffer 0 in place. */
    static Bench ready(int pipeRing, int notificationRing) {
        Bench bench = new Bench(new EnsoBoard(pipeRing, notificationRing, 500, false));
        bench.notificationBuffer(0, RX_RING, TX_RING);
        return bench;
    }

    void notificationBuffer(int buffer, long rxRing, long txRing) {
        long page = EnsoRegisters.notificationPage(buffer);
        block.write(page + EnsoRegisters.RX_ADDRESS_LOW, 8, rxRing);
        block.write(page + EnsoRegisters.TX_ADDRESS_LOW, 8, txRing);
    }

    void address(int pipe, long address) {
        block.write(EnsoRegisters.pipePage(pipe) + EnsoRegisters.RX_ADDRESS_LOW, 8, address);
    }

    void head(int pipe, int head) {
        block.write(EnsoRegisters.pipePage(pipe) + EnsoRegisters.RX_HEAD, 4, head);
    }

    void tail(int pipe, int tail) {
        block.write(EnsoRegisters.pipePage(pipe) + EnsoRegisters.RX_TAIL, 4, tail);
    }

    int tail(int pipe) {
        return (int) block.read(EnsoRegisters.pipePage(pipe) + EnsoRegisters.RX_TAIL, 4);
    }

    void ring(int buffer, int register, int value) {
        block.write(EnsoRegisters.notificationPage(buffer) + register, 4, value);
    }

    int ring(int buffer, int register) {
        return (int) block.read(EnsoRegisters.notificationPage(buffer) + register, 4);
    }

    void packet(int pipe, int flits) {
        byte[] data = new byte[flits * FLIT];
        random.nextBytes(data);
        block.packet(pipe, data, 0, data.length);
    }

    /** Puts a TX entry into slot {@code slot} of the ring at {@code txRing}. */
    void entry(long txRing, int slot, long signal, long address, long length) {
        byte[] entry = new byte[EnsoFormats.ENTRY_BYTES];
        Bytes.putU64(entry, EnsoFormats.SIGNAL, signal);
        Bytes.putU64(entry, EnsoFormats.TX_ADDRESS, address);
        Bytes.putU64(entry, EnsoFormats.TX_LENGTH, length);
        memory.write(txRing + (long) slot * EnsoFormats.ENTRY_BYTES, entry, 0, entry.length);
    }

    /** Puts a packet whose IPv4 length announces {@code frameBytes} at {@code address}. */
    void frame(long address, int frameBytes) {
        byte[] data = new byte[(Math.max(frameBytes, FLIT) + FLIT - 1) / FLIT * FLIT];
        random.nextBytes(data);
        int ipLength = frameBytes - 14;
        data[16] = (byte) (ipLength >>> 8);
        data[17] = (byte) ipLength;
        memory.write(address, data, 0, data.length);
    }

    void txTail(int buffer, int tail) {
        ring(buffer, EnsoRegisters.TX_TAIL, tail);
    }

    void refuseDma(boolean on) {
        refuse = on;
    }

    /** Lets the device come to rest and returns what it did since the last call. */
    List<String> events() {
        for (int i = 0; block.step(); i++) {
            if (i > 1_000_000) {
                throw new AssertionError("the device does not come to rest");
            }
        }
        List<String> copy = List.copyOf(events);
        events.clear();
        return copy;
    }

    static String data(long address, int flits) {
        return "data @%x flits %d".formatted(address, flits);
    }

    static String notification(long address, long pipe, long tail) {
        return "entry @%x {1, %d, %d}".formatted(address, pipe, tail);
    }

    static String completion(long address, long dataAddress, long length) {
        return "entry @%x {0, %d, %d}".formatted(address, dataAddress, length);
    }

    static String entriesRead(long address, int entries) {
        return "read entries @%x count %d".formatted(address, entries);
    }

    static String dataRead(long address, int bytes) {
        return "read data @%x bytes %d".formatted(address, bytes);
    }

    static String flit(boolean start, boolean end, int validBytes) {
        return "flit %d,%d unused %d".formatted(start ? 1 : 0, end ? 1 : 0, FLIT - validBytes);
    }

    @Override
    public boolean write(long address, byte[] data, int offset, int lengthBytes) {
        if (refuse) {
            return false;
        }
        memory.write(address, data, offset, lengthBytes);
        boolean entry = lengthBytes == FLIT && address >= RX_RING && zeroFrom(data, offset + 24, offset + FLIT);
        events.add(entry
                ? "entry @%x {%d, %d, %d}".formatted(address, Bytes.u64(data, offset), Bytes.u64(data, offset + 8),
                        Bytes.u64(data, offset + 16))
                : data(address, lengthBytes / FLIT));
        return true;
    }

    @Override
    public boolean read(long address, byte[] into, int offset, int lengthBytes) {
        if (refuse) {
            return false;
        }
        memory.read(address, into, offset, lengthBytes);
        return true;
    }

    @Override
    public void entriesRequested(long address, int lengthBytes) {
        events.add(entriesRead(address, lengthBytes / EnsoFormats.ENTRY_BYTES));
    }

    @Override
    public void dataRequested(long address, int lengthBytes) {
        events.add(dataRead(address, lengthBytes));
    }

    @Override
    public void flit(boolean startOfPacket, boolean endOfPacket, byte[] flit, int validBytes) {
        events.add(flit(startOfPacket, endOfPacket, validBytes));
    }

    @Override
    public void config(byte[] entry) {
        events.add("config %d".formatted(Bytes.u64(entry, EnsoFormats.CONFIG_ID)));
    }

    private static boolean zeroFrom(byte[] data, int from, int to) {
        for (int i = from; i < to; i++) {
            if (data[i] != 0) {
                return false;
            }
        }
        return true;
    }
}
