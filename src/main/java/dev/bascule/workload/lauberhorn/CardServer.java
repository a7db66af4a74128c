package dev.bascule.workload.lauberhorn;

import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.RxQueue;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.UdpDecoder;
import dev.bascule.rpc.UdpEncoder;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The demonstration service 0 on a card with descriptors: this project's Corundum driver and model, headers and arguments
 * taken apart in software by the core that polls, or sleeps until the card interrupts.
 */
final class CardServer implements AutoCloseable, PacketProcessor {
    private static final int MOST_PAYLOAD = 1_472;
    private static final long NAP_NANOS = 1_000_000;
    private static final List<ValueType> RESULT = DemoService.WORK_SIGNATURE.result();

    private final NicAdapter adapter;
    private final Nic nic;
    private final Thread thread;
    private final boolean sleeps;
    private final UdpDecoder decoder = new UdpDecoder(MOST_PAYLOAD);
    private final OncRpc onc = new OncRpc();
    private final UdpFlow back = new UdpFlow();
    private final byte[] frame = new byte[2_048];
    private final long[] words = new long[MOST_PAYLOAD / 4];
    private final long[] result = new long[2];
    private volatile boolean stopping;

    /** @param sleeps until an interrupt, instead of polling */
    CardServer(WireEnd wire, boolean sleeps) {
        this.sleeps = sleeps;
        CorundumModel model = new CorundumModel(CorundumConfig.builder().build(), List.of(wire, WireEnd.OPEN), true);
        adapter = Nics.open(LoopbackDevice.open(model));
        NicOptions options = NicOptions.DEFAULTS.withRingEntries(1024);
        nic = adapter.openPort(0, sleeps ? options.withInterrupts() : options);
        nic.start();
        thread = Thread.ofPlatform().daemon().name("card-server").start(this::serve);
    }

    private void serve() {
        RxQueue rx = nic.rxQueue(0);
        ProcessorLoop loop = new ProcessorLoop(rx, nic.txQueue(0), this, 32);
        while (!stopping) {
            if (loop.run() == 0) {
                if (sleeps) {
                    rx.await(NAP_NANOS);
                } else {
                    Thread.yield();
                }
            }
        }
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, frame, 0, lengthBytes);
        decoder.begin();
        decoder.feed(frame, 0, lengthBytes);
        if (decoder.end() != UdpDecoder.Verdict.UDP) {
            return 0;
        }
        byte[] payload = decoder.payload();
        int bytes = decoder.payloadBytes();
        if (onc.read(payload, 0, bytes) != OncRpc.Kind.CALL
                || Xdr.decode(DemoService.WORK_SIGNATURE.arguments(), payload, onc.bodyOffset(),
                        bytes - onc.bodyOffset(), words) == Xdr.BAD) {
            return 0;
        }
        result[0] = words[0];
        result[1] = words[1];
        back.setBack(decoder.flow());
        int at = UdpEncoder.MOST_HEADER_BYTES;
        int head = OncRpc.reply(frame, at, onc.xid(), OncRpc.SUCCESS);
        int length = head + Xdr.encode(RESULT, result, 16, frame, at + head, frame.length - at - head);
        int start = UdpEncoder.wrap(back, frame, at, length);
        MemorySegment.copy(frame, start, memory, ValueLayout.JAVA_BYTE, offset, at + length - start);
        return at + length - start;
    }

    @Override
    public void close() throws InterruptedException {
        stopping = true;
        thread.join();
        adapter.close();
    }
}
