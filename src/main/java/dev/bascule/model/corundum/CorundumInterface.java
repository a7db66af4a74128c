package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.model.Losses;
import dev.bascule.model.parts.PhcTime;
import dev.bascule.nic.corundum.MqnicFormats;
import java.util.Arrays;

/** One interface: its queues, schedulers, ports and the windows they are seen through. */
final class CorundumInterface {
    private final CorundumConfig config;
    private final Layout layout;
    private final RegisterWindow[] smallWindows = new RegisterWindow[4];
    private final RegisterWindow[] largeWindows;
    private final int smallMask;
    private final int largeMask;

    private final CompletionWriter event = new CompletionWriter();
    private final CompletionQueueManager eventQueues;
    private final CompletionQueueManager completionQueues;
    private final WorkQueueManager txQueues;
    private final WorkQueueManager rxQueues;
    private final Scheduler[] schedulers;
    private final QueueMap queueMap;
    private final InterfaceControlBlock limits;
    private final PortControlBlock[] portControls;
    private final TxPort[] txPorts;
    private final RxPort[] rxPorts;
    private final TxEngine txEngine;
    private final RxEngine rxEngine;

    CorundumInterface(CorundumConfig config, Layout layout, int number, RegisterWindow csr, Dma dma,
            InterruptLimiter interrupts, PhcTime time, Wire wire, Cycles cycles) {
        this.config = config;
        this.layout = layout;
        largeWindows = new RegisterWindow[layout.largeWindows()];
        smallMask = (1 << layout.smallShift) - 1;
        largeMask = (1 << layout.largeShift) - 1;
        int high = config.highAddressMask();
        eventQueues = new CompletionQueueManager(true, config.eventQueues(), 1 << config.interruptIndexBits(), high,
                dma,
                (queue, target) -> interrupts.raise(target));
        completionQueues = new CompletionQueueManager(false, config.completionQueues(), config.eventQueues(), high, dma,
                this::sendEvent);
        txQueues = new WorkQueueManager(config.txQueues(), config.completionQueues(), high, this::ringTransmit);
        rxQueues = new WorkQueueManager(config.rxQueues(), config.completionQueues(), high, queue -> {});
        schedulers = new Scheduler[config.schedulers()];
        for (int i = 0; i < schedulers.length; i++) {
            schedulers[i] = config.profile() == CorundumProfile.MAY_2024
                    ? new ChannelScheduler(config, layout.schedulerQueues(i), i)
                    : new PlainScheduler(config, layout.schedulerQueues(i), i);
        }
        queueMap = new QueueMap(config, layout.indirectionTable());
        limits = new InterfaceControlBlock(config);
        TxPacketPool pool = new TxPacketPool();
        portControls = new PortControlBlock[config.ports()];
        txPorts = new TxPort[config.ports()];
        rxPorts = new RxPort[config.ports()];
        for (int i = 0; i < config.ports(); i++) {
            portControls[i] = new PortControlBlock(config);
            txPorts[i] = new TxPort(config, number * config.ports() + i, portControls[i], completionQueues, time, dma,
                    wire, pool, cycles);
            rxPorts[i] = new RxPort(config, i, portControls[i]);
        }
        txEngine = new TxEngine(config, txQueues, dma, txPorts, pool, cycles);
        rxEngine = new RxEngine(config, limits, queueMap, rxQueues, completionQueues, time, dma, rxPorts, cycles);
        mapWindows(csr);
    }

    private void mapWindows(RegisterWindow csr) {
        smallWindows[0] = csr;
        smallWindows[1] = controlWindow();
        smallWindows[2] = queueMap.table();
        smallWindows[3] = eventQueues;
        largeWindows[1] = completionQueues;
        largeWindows[2] = txQueues;
        largeWindows[3] = rxQueues;
        for (int i = 0; 4 + i < largeWindows.length; i++) {
            largeWindows[4 + i] = i < schedulers.length ? schedulers[i].queueWords() : RegisterWindow.EMPTY;
        }
        largeWindows[0] = RegisterWindow.EMPTY;
    }

    private BlockWindow controlWindow() {
        BlockWindow window = new BlockWindow(layout.control(), Layout.schedulerBlock(config, schedulers.length));
        window.add(0, limits);
        RegisterBlock last = window.addAfter(limits, 0x40, queues(TYPE_EVENT_QUEUES, VERSION_EVENT_QUEUES,
                layout.eventQueues(), config.eventQueues(), COMPLETION_QUEUE_STRIDE));
        last = window.addAfter(last, 0x60, queues(TYPE_COMPLETION_QUEUES, VERSION_COMPLETION_QUEUES,
                layout.completionQueues(), config.completionQueues(), COMPLETION_QUEUE_STRIDE));
        last = window.addAfter(last, 0x80, queues(TYPE_TX_QUEUES, VERSION_TX_QUEUES, layout.txQueues(),
                config.txQueues(), WORK_QUEUE_STRIDE));
        last = window.addAfter(last, 0xA0, queues(TYPE_RX_QUEUES, VERSION_RX_QUEUES, layout.rxQueues(),
                config.rxQueues(), WORK_QUEUE_STRIDE));
        last = window.addAfter(last, 0x100, queueMap);
        for (int i = 0; i < portControls.length; i++) {
            int at = Layout.portBlock(i);
            last = window.addAfter(last, at, sublist(TYPE_PORT, VERSION_PORT, at));
            window.add(at + Layout.SUBLIST, portControls[i]);
        }
        for (int i = 0; i < schedulers.length; i++) {
            int at = Layout.schedulerBlock(config, i);
            last = window.addAfter(last, at, sublist(TYPE_SCHEDULER_BLOCK, VERSION_SCHEDULER_BLOCK, at));
            window.add(at + Layout.SUBLIST, schedulers[i].block());
            if (config.tdma()) {
                TdmaBlocks.addTo(window, at, schedulers[i].block(), config.profile());
            }
        }
        return window;
    }

    private static RegisterBlock queues(int type, int version, int offset, int count, int stride) {
        return new ConstantBlock(type, version, 0x20, offset, count, stride);
    }

    private RegisterBlock sublist(int type, int version, int at) {
        return new ConstantBlock(type, version, 0x10, layout.control() + at + Layout.SUBLIST);
    }

    private RegisterWindow window(int offset) {
        int large = offset >> layout.largeShift;
        return large == 0 ? smallWindows[offset >> layout.smallShift] : largeWindows[large];
    }

    private int within(int offset) {
        return offset >> layout.largeShift == 0 ? offset & smallMask : offset & largeMask;
    }

    int read(int offset) {
        return window(offset).read(within(offset));
    }

    void write(int offset, int value, int lanes) {
        window(offset).write(within(offset), value, lanes);
    }

    private void ringTransmit(int queue) {
        for (Scheduler scheduler : schedulers) {
            scheduler.doorbell(queue);
        }
    }

    private void sendEvent(int completionQueue, int eventQueue) {
        event.clear();
        event.put16(MqnicFormats.EVENT_SOURCE, completionQueue);
        eventQueues.enqueue(eventQueue, event.bytes, event.segment);
    }

    /** One packet from each scheduler, one received frame; says how much was done. */
    int step() {
        int done = txEngine.advance();
        for (TxPort port : txPorts) {
            done += port.drain(txEngine);
        }
        for (Scheduler scheduler : schedulers) {
            if (txEngine.step(scheduler)) {
                done++;
            }
        }
        if (rxEngine.step()) {
            done++;
        }
        return done;
    }

    /** Whether something comes by itself, after some cycles. */
    boolean isBusy() {
        boolean busy = txEngine.isBusy() || rxEngine.isBusy();
        for (TxPort port : txPorts) {
            busy |= port.isBusy();
        }
        return busy;
    }

    boolean receive(int port, byte[] data, int offset, int lengthBytes, long arrival) {
        return rxPorts[port].receive(data, offset, lengthBytes, arrival);
    }

    void refuse(int port) {
        rxPorts[port].refuse();
    }

    boolean hasRoom(int port, byte[] data, int offset, int lengthBytes) {
        return rxPorts[port].isOpen() && rxEngine.hasRoom(port, data, offset, lengthBytes);
    }

    /** Received frames lost, by place. */
    Losses losses(String prefix) {
        Losses losses = Losses.NONE;
        for (RxPort port : rxPorts) {
            losses = losses.plus(prefix + "port " + port.number(), "no room", port.dropped());
        }
        for (int i = 0; i < rxQueues.count(); i++) {
            losses = losses.plus(prefix + "queue " + i, "no descriptor", rxQueues.queue(i).dropped);
        }
        return losses;
    }

    void setLinkUp(int port, boolean up) {
        portControls[port].setLinkUp(up);
    }

    void setHoldReports(int port, boolean hold) {
        txPorts[port].setHoldReports(hold);
    }

    void arrange(int[] queues) {
        for (Scheduler scheduler : schedulers) {
            scheduler.arrange(queues);
        }
    }

    /** Losses of one kind since the reset. */
    long lost(Statistics.Loss what) {
        return switch (what) {
            case FIFO_FULL -> Arrays.stream(rxPorts).mapToLong(RxPort::dropped).sum();
            case NO_DESCRIPTOR -> rxEngine.dropped();
            case COMPLETION -> completionQueues.dropped();
            case EVENT -> eventQueues.dropped();
        };
    }

    boolean isTransmitWedged() {
        return txEngine.isWedged();
    }

    void reset() {
        for (RegisterWindow window : smallWindows) {
            window.reset();
        }
        for (RegisterWindow window : largeWindows) {
            window.reset();
        }
        for (int i = 0; i < txPorts.length; i++) {
            txPorts[i].reset();
            rxPorts[i].reset();
        }
        txEngine.reset();
        rxEngine.reset();
    }
}
