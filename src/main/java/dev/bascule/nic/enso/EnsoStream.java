package dev.bascule.nic.enso;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A byte stream between two cards, both ways: the bytes lie one behind the other in the pipe's ring, without headers and
 * without boundaries, in the order in which they were sent. The card cuts what is sent into frames of at most 1,500 bytes of
 * IPv4 and joins what arrives. Nothing is sent that the other end has no room for: {@link #send} takes what it has room for and
 * says how much that was.
 * <p>
 * Nothing is sent twice. Bytes that are lost on the wire end the stream at the last byte before them: {@link #state} then says
 * {@link State#BROKEN} here and {@link State#RESET} at the other end. What had arrived before can still be read.
 * <p>
 * Not part of Ensō's hardware, whose RTL has no segmentation: the model of this project has it. Thread rule: that of its
 * group. Source of the frames' form: RFC 9293 without options, retransmission and handshake.
 */
public final class EnsoStream implements AutoCloseable {
    /** What may still happen. */
    public enum State {
        /** Bytes go both ways, when the other end is open as well. */
        OPEN,
        /** The other end has closed it, and had taken all that was sent; what is readable is the rest. */
        ENDED,
        /** Bytes behind the readable ones are lost; the stream is at its end. */
        BROKEN,
        /** The other end has lost bytes, or closed without taking all that was sent. */
        RESET
    }

    static final List<State> STATES = List.of(State.values());

    private final EnsoGroup group;
    private final StreamPipe pipe;

    EnsoStream(EnsoGroup group, StreamPipe pipe) {
        this.group = group;
        this.pipe = pipe;
    }

    /** Looks for news, and says how many bytes are readable: contiguous, at {@link #offset} of {@link #memory}. */
    public long peek() {
        pipe.poll();
        return pipe.readable();
    }

    /** What arrives: the ring, twice in a row. */
    public MemorySegment memory() {
        return pipe.memory();
    }

    /** Where in {@link #memory} the oldest readable byte is. */
    public long offset() {
        return pipe.readPosition();
    }

    /**
     * Gives the oldest readable bytes back, any number of them; the other end may then send as many more, in steps of 64.
     *
     * @throws IllegalArgumentException if fewer are readable
     */
    public void free(long lengthBytes) {
        pipe.give(lengthBytes);
    }

    /**
     * Looks for news, and says how many bytes can be sent now: written at {@link #sendOffset} of {@link #sendMemory}. With
     * each 1,024th look in a row that finds no credit the card asks the other end again, as its answer may have been lost.
     */
    public long room() {
        pipe.pollForCredit();
        return pipe.room();
    }

    /** What is to be sent: a ring, twice in a row. */
    public MemorySegment sendMemory() {
        return pipe.out.segment();
    }

    /** Where in {@link #sendMemory} the next byte to be sent goes. */
    public long sendOffset() {
        return pipe.writePosition();
    }

    /**
     * Sends the next bytes of {@link #sendMemory}, any number of them. They are not to be changed while they are among
     * {@link #pendingBytes}.
     *
     * @return bytes accepted, from the start: fewer than asked when there is no more {@link #room}; 0 when the stream is not
     *     open any more
     */
    public long send(long lengthBytes) {
        return pipe.send(lengthBytes);
    }

    /** Bytes sent that the card has not read yet. */
    public long pendingBytes() {
        return pipe.pendingBytes();
    }

    /** Bytes accepted by {@link #send} so far. */
    public long sentBytes() {
        return pipe.sentBytes();
    }

    /** Bytes that have arrived so far, in order and without a hole. */
    public long receivedBytes() {
        return pipe.receivedBytes();
    }

    /** What the card has said last; {@link #peek} and {@link #room} look for news. */
    public State state() {
        return pipe.state();
    }

    /**
     * Sends what is accepted, tells the other end, and frees the memory. What is readable and not read is lost, which the
     * other end learns if it had not all arrived.
     *
     * @throws dev.bascule.device.DeviceException if the card does not answer within a second
     */
    @Override
    public void close() {
        group.close(pipe);
    }
}
