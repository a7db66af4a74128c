package dev.bascule.model.enso;

import dev.bascule.model.replay.EventStream;
import dev.bascule.model.replay.HexPattern;
import dev.bascule.model.replay.VectorLine;
import dev.bascule.nic.enso.EnsoFormats;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The five streams of a recorded run, and the block's surroundings that feed their actual side: host memory, wire,
 * configuration. Order between streams is not compared.
 */
final class RunStreams implements HostPort, FlitSink, ConfigSink {
    private static final int FLIT = EnsoFormats.FLIT_BYTES;

    final SparseMemory memory = new SparseMemory();
    private final EventStream writes = new EventStream("DMA writes");
    private final EventStream entryReads = new EventStream("descriptor reads");
    private final EventStream dataReads = new EventStream("data reads");
    private final EventStream flits = new EventStream("transmitted flits");
    private final EventStream configs = new EventStream("configuration entries");
    private final List<EventStream> all = List.of(writes, entryReads, dataReads, flits, configs);

    void settle(int line, Consumer<String> differences) {
        all.forEach(stream -> stream.settle(line, differences));
    }

    void expectWrite(VectorLine line) {
        HexPattern data = line.hex("hex");
        writes.expect(line.number(), writeHead(line.number("addr"), data.bytes().length), data);
    }

    void expectRead(VectorLine line) {
        String kind = line.text("kind");
        EventStream stream = switch (kind) {
            case "descriptors" -> entryReads;
            case "data" -> dataReads;
            default -> throw line.wrong("kind", "is '" + kind + "', not descriptors or data");
        };
        stream.expect(line.number(), readHead(line.number("addr"), line.number("len", 0, Integer.MAX_VALUE)));
    }

    void expectConfig(VectorLine line) {
        configs.expect(line.number(), "entry", line.hex("hex"));
    }

    void expectFlits(VectorLine line) {
        int count = line.number("flits", 1, 1 << 20);
        int length = line.number("len", 1, count * FLIT);
        HexPattern data = line.hex("hex");
        if (data.bytes().length != count * FLIT) {
            throw line.wrong("hex", "has " + data.bytes().length + " bytes, not " + count + " flits");
        }
        for (int i = 0; i < count; i++) {
            boolean start = i == 0 && line.flag("sop");
            boolean end = i == count - 1 && line.flag("eop");
            int valid = Math.min(FLIT, length - i * FLIT);
            flits.expect(line.number(), flitHead(start, end, valid), data.slice(i * FLIT, (i + 1) * FLIT));
        }
    }

    @Override
    public boolean write(long address, byte[] data, int offset, int lengthBytes) {
        writes.happened(writeHead(address, lengthBytes), Arrays.copyOfRange(data, offset, offset + lengthBytes));
        memory.write(address, data, offset, lengthBytes);
        return true;
    }

    @Override
    public boolean read(long address, byte[] into, int offset, int lengthBytes) {
        memory.read(address, into, offset, lengthBytes);
        return true;
    }

    @Override
    public void entriesRequested(long address, int lengthBytes) {
        entryReads.happened(readHead(address, lengthBytes));
    }

    @Override
    public void dataRequested(long address, int lengthBytes) {
        dataReads.happened(readHead(address, lengthBytes));
    }

    @Override
    public void flit(boolean startOfPacket, boolean endOfPacket, byte[] flit, int validBytes) {
        flits.happened(flitHead(startOfPacket, endOfPacket, validBytes), flit.clone());
    }

    @Override
    public void config(byte[] entry) {
        configs.happened("entry", entry.clone());
    }

    private static String writeHead(long address, int lengthBytes) {
        return lengthBytes + " bytes at 0x" + Long.toHexString(address);
    }

    private static String readHead(long address, int lengthBytes) {
        return "read of " + lengthBytes + " bytes at 0x" + Long.toHexString(address);
    }

    private static String flitHead(boolean start, boolean end, int validBytes) {
        return (start ? "first" : "next") + " flit with " + validBytes + " bytes" + (end ? ", last" : "");
    }
}
