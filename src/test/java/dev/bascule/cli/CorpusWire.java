package dev.bascule.cli;

import dev.bascule.model.WireEnd;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** A station that sends each of its frames once, when the card can take it, and keeps what comes out. */
final class CorpusWire implements WireEnd {
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private final List<byte[]> out = new ArrayList<>();

    CorpusWire(Collection<byte[]> frames) {
        waiting.addAll(frames);
    }

    @Override
    public synchronized boolean transmit(byte[] data, int offset, int lengthBytes) {
        out.add(Arrays.copyOfRange(data, offset, offset + lengthBytes));
        return true;
    }

    @Override
    public synchronized int poll(FrameSink sink, int budget) {
        int done = 0;
        while (done < budget && !waiting.isEmpty()
                && sink.offer(waiting.peek(), 0, waiting.peek().length)) {
            waiting.remove();
            done++;
        }
        return done;
    }

    synchronized List<byte[]> out() {
        return List.copyOf(out);
    }

    /** Frames that the card did not take yet. */
    synchronized int waiting() {
        return waiting.size();
    }
}
