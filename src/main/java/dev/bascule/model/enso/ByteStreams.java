package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoRegisters;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Byte streams: a pipe that holds a stream's bytes and no header. Bytes to send are cut into TCP segments, those that arrive
 * are put one behind the other. The other end is told by how much it may go on, and never sends more; bytes that are lost on
 * the wire, or sent beyond that, break the stream at both ends: nothing is sent twice. A host that sets a stream's registers
 * to what cannot be ends it. Not part of Ensō's hardware: this model's, for a driver that asks for it.
 */
final class ByteStreams {
    private static final int FLIT = EnsoFormats.FLIT_BYTES;
    private static final int MOST_WINDOW = 0xFFFF;
    private static final int DMA_BYTES = 512;

    private final QueueRegisters pipes;
    private final StreamNews news;
    private final HostPort host;
    private final EnsoMetrics metrics;
    private final Map<StreamKey, ByteStream> byKey = new HashMap<>();
    private final @Nullable ByteStream[] byPipe = new ByteStream[EnsoRegisters.PIPES];
    private final ArrayDeque<ByteStream> owing = new ArrayDeque<>();
    private EnsoBoard board;
    private boolean offered = true;
    private WireSink wire = WireSink.NONE;

    ByteStreams(QueueRegisters pipes, NotificationManager notifications, HostPort host, EnsoBoard board,
            EnsoMetrics metrics) {
        this.pipes = pipes;
        news = new StreamNews(pipes, notifications, host, metrics);
        this.host = host;
        this.board = board;
        this.metrics = metrics;
    }

    void wire(WireSink sink) {
        wire = sink;
    }

    /** The card has no streams, as the RTL has none. */
    void withdraw() {
        clear();
        offered = false;
    }

    boolean areOffered() {
        return offered;
    }

    /** With rings of another size nothing is where it was. */
    void board(EnsoBoard newBoard) {
        clear();
        board = newBoard;
    }

    void clear() {
        byKey.clear();
        Arrays.fill(byPipe, null);
        owing.clear();
    }

    boolean has(int pipe) {
        return pipe >= 0 && byPipe[pipe] != null;
    }

    /** An entry of the host opens or closes a stream; flits of its ring, or 0 if that cannot be. */
    int configure(byte[] config) {
        int pipe = Bytes.u32(config, EnsoFormats.STREAM_PIPE) & EnsoRegisters.PIPES - 1;
        if (Bytes.u32(config, EnsoFormats.STREAM_OPEN) == 0) {
            ByteStream stream = byPipe[pipe];
            if (stream != null) {
                remove(stream, TcpIp.FIN | TcpIp.ACK);
            }
            return board.pipeMask() + 1;
        }
        StreamKey key = new StreamKey(Bytes.u32(config, EnsoFormats.STREAM_OWN_IP),
                Bytes.u16(config, EnsoFormats.STREAM_OWN_PORT), Bytes.u32(config, EnsoFormats.STREAM_PEER_IP),
                Bytes.u16(config, EnsoFormats.STREAM_PEER_PORT));
        if (byPipe[pipe] != null || byKey.containsKey(key) || pipes.address(pipe) == 0 || pipes.head[pipe] != 0
                || pipes.tail[pipe] != 0) {
            return 0;
        }
        ByteStream stream = new ByteStream(pipe, key);
        byPipe[pipe] = stream;
        byKey.put(key, stream);
        owe(stream, StreamFrames.SYN | TcpIp.ACK);
        return board.pipeMask() + 1;
    }

    /** The pipe is an ordinary one again, and the other end is told that this one went without a word. */
    void end(int pipe) {
        ByteStream stream = byPipe[pipe];
        if (stream != null) {
            remove(stream, StreamFrames.RST);
        }
    }

    private void remove(ByteStream stream, int lastFlags) {
        byPipe[stream.pipe] = null;
        byKey.remove(stream.key);
        boolean tells = stream.isOpen();
        stream.gone = true;
        stream.owes = 0;
        if (tells) {
            owe(stream, lastFlags);
        }
    }

    private void owe(ByteStream stream, int flags) {
        stream.owes |= flags;
        if (!stream.queued) {
            stream.queued = true;
            owing.add(stream);
        }
    }

    /** Sends one frame that has no bytes; false if none is to be sent. */
    boolean step() {
        ByteStream stream = owing.poll();
        if (stream == null) {
            return false;
        }
        stream.queued = false;
        if (stream.owes != 0) {
            frame(stream, stream.owes, 0);
        }
        return true;
    }

    private void frame(ByteStream stream, int flags, int lengthBytes) {
        int window = (int) Math.min(MOST_WINDOW, room(stream) / FLIT);
        stream.promised = Math.max(stream.promised, stream.received + (long) window * FLIT);
        stream.owes = 0;
        byte[] bytes = StreamFrames.build(stream, flags, lengthBytes, window);
        stream.sent += lengthBytes;
        metrics.count(EnsoCounter.TX_PACKETS);
        wire.frame(bytes, bytes.length, 0);
    }

    private long room(ByteStream stream) {
        return (long) board.pipeMask() * FLIT - (stream.received - stream.freed);
    }

    /** Bytes of a stream leave; with the last of a request, or when a frame is full, they are on the wire. */
    void send(int pipe, byte[] flit, int lengthBytes, boolean isLast) {
        ByteStream stream = byPipe[pipe];
        if (stream == null || !stream.isOpen()) {
            if (stream != null && stream.state == EnsoFormats.STREAM_IS_ENDED) {
                fail(stream, EnsoFormats.STREAM_IS_RESET, false); // nobody takes them any more
            }
            return;
        }
        if (stream.sent + stream.filled + lengthBytes > stream.limit) {
            fail(stream, EnsoFormats.STREAM_IS_RESET, true); // the driver sends what the other end does not take
            return;
        }
        int first = Math.min(lengthBytes, stream.segment.length - stream.filled);
        System.arraycopy(flit, 0, stream.segment, stream.filled, first);
        stream.filled += first;
        if (stream.filled == stream.segment.length) {
            flush(stream, isLast && first == lengthBytes);
        }
        System.arraycopy(flit, first, stream.segment, stream.filled, lengthBytes - first);
        stream.filled += lengthBytes - first;
        if (isLast && stream.filled > 0) {
            flush(stream, true);
        }
    }

    private void flush(ByteStream stream, boolean pushes) {
        int bytes = stream.filled;
        stream.filled = 0;
        frame(stream, TcpIp.ACK | (pushes ? TcpIp.PSH : 0) | stream.owes, bytes);
    }

    /** A frame arrives; false if it is of no stream. */
    boolean arrive(byte[] bytes, int offset, int lengthBytes) {
        if (byKey.isEmpty() || lengthBytes <= 0) {
            return false;
        }
        byte[] frame = Arrays.copyOfRange(bytes, offset, offset + lengthBytes);
        ByteStream stream = StreamFrames.isSegment(frame) ? byKey.get(StreamFrames.key(frame)) : null;
        if (stream == null) {
            return false;
        }
        if (stream.isOpen() && StreamFrames.isWhole(frame)) { // a damaged one is as one that is lost
            take(stream, frame);
        }
        return true;
    }

    private void take(ByteStream stream, byte[] frame) {
        int flags = StreamFrames.flags(frame);
        int ahead = StreamFrames.sequence(frame) - (int) stream.received;
        long unseen = Integer.toUnsignedLong((int) stream.sent - StreamFrames.acknowledged(frame));
        int payload = TcpIp.payload(frame);
        int bytes = TcpIp.end(frame) - payload;
        boolean restarted = (flags & StreamFrames.SYN) != 0 && (stream.received > 0 || unseen > 0 && stream.limit > 0);
        if ((flags & StreamFrames.RST) != 0 || restarted) {
            fail(stream, EnsoFormats.STREAM_IS_RESET, false);
            return;
        }
        if (ahead < 0) {
            if (bytes == 0) {
                owe(stream, TcpIp.ACK); // the other end asks how far it may go on
            }
            return; // it was overtaken, and a newer one has said more
        }
        if (ahead > 0 || unseen > stream.sent || bytes > stream.promised - stream.received
                || !write(stream, frame, payload, bytes)) {
            fail(stream, EnsoFormats.STREAM_IS_BROKEN, true);
            return;
        }
        stream.received += bytes;
        pipes.tail[stream.pipe] = tailFlits(stream);
        stream.limit = Math.max(stream.limit, stream.sent - unseen + (long) StreamFrames.windowFlits(frame) * FLIT);
        if ((flags & StreamFrames.SYN) != 0) {
            owe(stream, TcpIp.ACK);
        }
        if ((flags & TcpIp.FIN) != 0) {
            stream.state = unseen > 0 || stream.filled > 0
                    ? EnsoFormats.STREAM_IS_RESET
                    : EnsoFormats.STREAM_IS_ENDED;
        }
        news.tell(stream);
    }

    private void fail(ByteStream stream, int state, boolean tellsPeer) {
        stream.state = state;
        if (tellsPeer) {
            owe(stream, StreamFrames.RST);
        }
        news.tell(stream);
    }

    private int tailFlits(ByteStream stream) {
        return (int) ((stream.received + FLIT - 1) / FLIT) & board.pipeMask();
    }

    private boolean write(ByteStream stream, byte[] frame, int offset, int lengthBytes) {
        long base = pipes.address(stream.pipe) & ~(long) EnsoFormats.BUFFER_ID_MASK;
        long ring = (board.pipeMask() + 1L) * FLIT;
        for (int done = 0; done < lengthBytes;) {
            long at = (stream.received + done) % ring;
            int part = (int) Math.min(Math.min(DMA_BYTES, lengthBytes - done), ring - at);
            if (!host.write(base + at, frame, offset + done, part)) {
                metrics.count(EnsoCounter.DMA_FAULTS);
                return false;
            }
            metrics.count(EnsoCounter.RX_BURSTS);
            host.wrote(EnsoTransfer.DATA, part);
            done += part;
        }
        return true;
    }

    /**
     * The host wrote the head of a stream's pipe: it has read all that it was told, and gives bytes back. If it had said so
     * before, gives none and has no credit, the other end is asked for credit: the last may have been lost.
     *
     * @return false if the pipe is no stream, or no longer one, as its registers are not what they can be
     */
    boolean headWritten(int pipe) {
        ByteStream stream = byPipe[pipe];
        if (stream == null) {
            return false;
        }
        long given = (long) (pipes.head[pipe] - (int) (stream.freed / FLIT) & board.pipeMask()) * FLIT;
        if (pipes.tail[pipe] != tailFlits(stream) || pipes.head[pipe] != (pipes.head[pipe] & board.pipeMask())
                || given > stream.received - stream.freed) {
            end(pipe);
            return false;
        }
        if (given == 0 && stream.armed && stream.isOpen() && stream.sent + stream.filled == stream.limit) {
            owe(stream, StreamFrames.PROBE);
        }
        stream.freed += given;
        stream.armed = true;
        long quarter = (board.pipeMask() + 1L) * FLIT / 4;
        long more = stream.received + room(stream) / FLIT * FLIT - stream.promised;
        if (stream.isOpen()
                && (more >= quarter || more >= FLIT && stream.promised - stream.received < quarter)) {
            owe(stream, TcpIp.ACK);
        }
        news.tell(stream);
        return true;
    }
}
