package dev.bascule.study.lauberhorn;

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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/**
 * The demonstration service 0 on a card with descriptors: this project's Corundum driver and model, headers and arguments
 * taken apart in software by the core that polls, or sleeps until the card interrupts.
 */
final class CardServer implements AutoCloseable, PacketProcessor {
    private static final long NAP_NANOS = 1_000_000;

    private final NicAdapter adapter;
    private final Nic nic;
    private final Thread thread;
    private final boolean sleeps;
    private final CardTransactions transactions = new CardTransactions();
    private final SoftwareServer server = new SoftwareServer();
    private final byte[] frame = new byte[SoftwareServer.FRAME_BYTES];
    private volatile boolean stopping;

    /** @param sleeps until an interrupt, instead of polling */
    CardServer(WireEnd wire, boolean sleeps) {
        this.sleeps = sleeps;
        CorundumModel model = new CorundumModel(CorundumConfig.builder().build(), List.of(wire, WireEnd.OPEN), true,
                transactions);
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

    /** DMA operations, interrupts, and writes of registers on the way of data, since the beginning. */
    long transactions() {
        Map<String, Long> known = nic.statistics();
        return transactions.count() + known.getOrDefault("rx_doorbells", 0L) + known.getOrDefault("tx_doorbells", 0L);
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        if (lengthBytes > frame.length) {
            return 0;
        }
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, frame, 0, lengthBytes);
        int reply = server.serve(frame, lengthBytes);
        MemorySegment.copy(frame, 0, memory, ValueLayout.JAVA_BYTE, offset, reply);
        return reply;
    }

    @Override
    public void close() throws InterruptedException {
        stopping = true;
        thread.join();
        adapter.close();
    }
}
