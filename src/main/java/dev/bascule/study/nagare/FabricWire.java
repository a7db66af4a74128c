package dev.bascule.study.nagare;

import dev.bascule.config.FabricConfig;
import dev.bascule.model.WireEnd;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.fabric.StreamLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A cable into a streaming fabric: a frame that the device sends arrives at the graph's card, and what that card sends comes
 * back; frames of other cards of the graph leave it. Virtual time goes on with each frame until the fabric is at rest.
 * Thread rule: as {@link WireEnd}.
 */
public final class FabricWire implements WireEnd {
    private static final int MOST_WAITING = 4096;

    private final FabricRun run;
    private final Deque<byte[]> back = new ArrayDeque<>();
    private final String card;

    /**
     * A cable into a graph, which has no stores.
     *
     * @throws dev.bascule.study.fabric.graph.GraphException if the graph cannot run
     */
    public FabricWire(FabricConfig config, FabricCosts costs) {
        run = new FabricRun(config, costs, StreamLimits.DEFAULT, null, this::sent);
        card = run.setup().source().name();
    }

    private void sent(String from, byte[] frame) {
        if (from.equals(card)) {
            back.add(frame);
        }
    }

    @Override
    public boolean transmit(byte[] data, int offset, int lengthBytes) {
        if (back.size() >= MOST_WAITING) {
            return false;
        }
        byte[] frame = new byte[lengthBytes];
        System.arraycopy(data, offset, frame, 0, lengthBytes);
        boolean isTaken = run.offer(frame);
        run.setup().fabric().time().run();
        return isTaken;
    }

    @Override
    public int poll(FrameSink sink, int budget) {
        int done = 0;
        while (done < budget && !back.isEmpty()) {
            byte[] frame = back.element();
            if (!sink.offer(frame, 0, frame.length)) {
                break;
            }
            back.remove();
            done++;
        }
        return done;
    }

    /** Result of all frames so far. */
    public FabricResult result() {
        return run.result();
    }

    @Override
    public void close() {
        try {
            run.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
