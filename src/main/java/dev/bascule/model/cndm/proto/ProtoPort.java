package dev.bascule.model.cndm.proto;

import static dev.bascule.nic.cndm.proto.ProtoRegisters.*;

import dev.bascule.model.Losses;
import dev.bascule.model.parts.FrameFifo;
import dev.bascule.model.parts.FrameMemory;
import dev.bascule.model.parts.PortDevice;
import dev.bascule.model.replay.Action.Kind;
import dev.bascule.model.replay.Expectation;
import dev.bascule.model.replay.ObservedHost;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.IntConsumer;

/** A port: four queues, and one engine each way that moves one frame at a time. */
final class ProtoPort {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** Frame memory: longer received frames are cut, longer sent ones become garbage [RTL]. */
    private static final int MEMORY_BYTES = 4096;
    private static final int FIFO_BYTES = 16384;
    private static final int NONE = -1;
    private static final int QUEUES = 4;
    private static final int QUEUE_STRIDE = RECEIVE - SEND;

    private final ObservedHost host;
    private final IntConsumer interrupts;
    private final PortDevice.Wires wires;
    private final int number;
    private final ProtoQueue send = new ProtoQueue(1, false);
    private final ProtoQueue receive = new ProtoQueue(2, false);
    private final ProtoQueue sent = new ProtoQueue(3, true);
    private final ProtoQueue received = new ProtoQueue(4, true);
    private final MemorySegment entry = MemorySegment.ofArray(new byte[ENTRY_BYTES]);
    private final FrameMemory frame = new FrameMemory(MEMORY_BYTES, 1 << Short.SIZE);
    private final FrameFifo arrived = new FrameFifo(FIFO_BYTES, FIFO_BYTES);
    /** Lengths of completions that wait for their queue to be enabled. */
    private int sentLength = NONE;
    private int receivedLength = NONE;

    private long noRoom;
    private long noDescriptor;
    private long fault;
    private long tooLong;

    ProtoPort(ObservedHost host, IntConsumer interrupts, PortDevice.Wires wires, int number) {
        this.host = host;
        this.interrupts = interrupts;
        this.wires = wires;
        this.number = number;
    }

    int read(int offset) {
        int queue = offset / QUEUE_STRIDE;
        return queue >= 1 && queue <= QUEUES ? queue(queue).read(offset % QUEUE_STRIDE) : 0;
    }

    void write(int offset, int value) {
        int queue = offset / QUEUE_STRIDE;
        if (queue >= 1 && queue <= QUEUES) {
            queue(queue).write(offset % QUEUE_STRIDE, value);
        }
    }

    private ProtoQueue queue(int which) {
        return switch (which) {
            case 1 -> send;
            case 2 -> receive;
            case 3 -> sent;
            default -> received;
        };
    }

    private int stream(ProtoQueue queue) {
        return Expectation.stream(number, queue.number);
    }

    /** Sends a frame: descriptor, data, wire, completion, interrupt. */
    int transmit() {
        if (sentLength != NONE || !send.hasWork()) {
            return completeSent();
        }
        long cause = host.next();
        if (!host.read(Kind.TX_DESCRIPTOR, stream(send), send.take(), entry, ENTRY_BYTES)
                || !readFrame(entry.get(LONG, 8), entry.get(SHORT, 4) & 0xFFFF)) {
            fault++;
        }
        host.resume(cause);
        sentLength = 0; // a completion of a sent frame tells no length [RTL]
        completeSent();
        return 1;
    }

    private boolean readFrame(long address, int lengthBytes) {
        if (!host.read(Kind.TX_DATA, stream(send), address, frame.segment(), lengthBytes)) {
            return false;
        }
        if (lengthBytes > FIFO_BYTES) {
            tooLong++;
        } else if (lengthBytes > 0) {
            frame.wrap(lengthBytes);
            host.resume(0); // it is completed once it is in the FIFO, before it is on the wire or after [RTL]
            host.frame(number, frame.segment(), lengthBytes);
            wires.transmit(number, frame.data(), lengthBytes);
        }
        return true;
    }

    private int completeSent() {
        if (sentLength == NONE || !sent.enabled) {
            return 0;
        }
        complete(sent, sentLength);
        sentLength = NONE;
        return 1;
    }

    /** A frame arrives at the FIFO, which takes whole frames only. */
    void arrive(byte[] data, int offset, int lengthBytes) {
        if (lengthBytes == 0 || lengthBytes > FIFO_BYTES || !arrived.add(data, offset, lengthBytes, 0)) {
            noRoom++;
        }
    }

    boolean fits(int lengthBytes) {
        return arrived.hasRoom(lengthBytes);
    }

    boolean hasRoom(int lengthBytes) {
        return lengthBytes > FIFO_BYTES || arrived.isEmpty() && receivedLength == NONE && receive.hasWork();
    }

    /** Receives a frame: descriptor, data, completion, interrupt; without a descriptor it is lost. */
    int store() {
        if (receivedLength != NONE || arrived.isEmpty()) {
            return completeReceived();
        }
        int lengthBytes = Math.min(arrived.headLength(), MEMORY_BYTES);
        if (receive.hasWork()) {
            host.next();
            if (!host.read(Kind.RX_DESCRIPTOR, stream(receive), receive.take(), entry, ENTRY_BYTES)
                    || !writeFrame(entry.get(LONG, 8), Math.min(lengthBytes, entry.get(SHORT, 4) & 0xFFFF))) {
                fault++;
            }
            receivedLength = lengthBytes; // of the frame, also when the buffer was shorter [RTL]
        } else {
            noDescriptor++;
        }
        arrived.removeHead();
        completeReceived();
        return 1;
    }

    private boolean writeFrame(long address, int lengthBytes) {
        return lengthBytes == 0 || host.write(Kind.RX_DATA, stream(receive), address, arrived.segment(),
                arrived.headOffset(), lengthBytes);
    }

    private int completeReceived() {
        if (receivedLength == NONE || !received.enabled) {
            return 0;
        }
        complete(received, receivedLength);
        receivedLength = NONE;
        return 1;
    }

    /** Nobody looks whether the queue is full [RTL]. */
    private void complete(ProtoQueue queue, int lengthBytes) {
        entry.set(LONG, 0, (long) lengthBytes << 32);
        entry.set(LONG, 8, queue.phase() ? Long.MIN_VALUE : 0);
        if (!host.write(Kind.COMPLETION, stream(queue), queue.take(), entry, 0, ENTRY_BYTES)) {
            fault++;
        }
        int vector = number % INTERRUPTS;
        host.interrupt(vector, false);
        interrupts.accept(vector);
    }

    Losses losses() {
        String where = "port " + number;
        return Losses.NONE.plus(where, "no room", noRoom).plus(where, "no descriptor", noDescriptor)
                .plus(where, "memory refused", fault).plus(where, "too long", tooLong);
    }

    void reset() {
        for (int which = 1; which <= QUEUES; which++) {
            for (int register = CONTROL; register <= ADDRESS_HIGH; register += Integer.BYTES) {
                queue(which).write(register, 0);
            }
        }
        arrived.clear();
        sentLength = NONE;
        receivedLength = NONE;
    }
}
