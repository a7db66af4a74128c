package dev.bascule.study.nagare;

import dev.bascule.config.FabricConfig;
import dev.bascule.host.TimeHistogram;
import dev.bascule.study.fabric.Fabric;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.fabric.Port;
import dev.bascule.study.fabric.StreamLimits;
import dev.bascule.study.fabric.StreamPort;
import dev.bascule.study.fabric.graph.FabricSetup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Frames through a graph by streams: a flow's first frame opens its stream, and a frame waits at the card until its stream
 * has credit, so nothing is lost for want of room. One thread.
 */
public final class FabricRun implements AutoCloseable {
    private static final int CARD_FRAMES = 4096;

    private final FabricSetup setup;
    private final Fabric fabric;
    private final StreamPort card;
    private final Map<FlowKey, Integer> streams = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Integer, Deque<byte[]>> waiting = new HashMap<>();
    private final TimeHistogram latency = TimeHistogram.single();
    private final int mostStreams;
    private long received;
    private long opened;
    private int held;

    /** Where frames come from; null after the last. */
    @FunctionalInterface
    public interface Frames {
        /** The next frame. */
        byte @Nullable [] next() throws IOException;
    }

    /**
     * A run.
     *
     * @param folder where stores make their files; null: a graph with stores is refused
     * @param wire takes what a card sends: the card's name and the frame
     */
    public FabricRun(FabricConfig config, FabricCosts costs, StreamLimits limits, @Nullable Path folder,
            BiConsumer<String, byte[]> wire) {
        setup = new FabricSetup(config, costs, limits, folder, false, wire);
        fabric = setup.fabric();
        if (!(setup.source() instanceof StreamPort source)) {
            throw new IllegalArgumentException(config.file() + ": frames come in at a card; the source of '"
                    + config.name() + "' is the host");
        }
        card = source;
        mostStreams = limits.streams();
        fabric.streams().onCredit(card, this::credit);
        fabric.streams().onLeft((stream, ps) -> latency.record(ps / FabricCosts.NANO));
    }

    /** The devices and the graph. */
    public FabricSetup setup() {
        return setup;
    }

    /** Sends all frames through and waits for the last. */
    public FabricResult run(Frames frames) throws IOException {
        byte[] frame = frames.next();
        while (frame != null) {
            while (!offer(frame)) {
                if (!fabric.time().step()) {
                    throw new IllegalStateException("no stream comes to rest, and all " + mostStreams + " are taken");
                }
            }
            while (held >= CARD_FRAMES && fabric.time().step()) {
                // frames leave the card as credits come
            }
            if (held >= CARD_FRAMES) {
                break; // a device holds everything up, and the rest has nowhere to go
            }
            frame = frames.next();
        }
        fabric.time().run();
        return result();
    }

    /** A frame arrives at the card; false if there is no stream for it, as all are at work for other flows. */
    public boolean offer(byte[] frame) {
        int stream = stream(FlowKey.of(frame));
        if (stream < 0) {
            return false;
        }
        received++;
        Deque<byte[]> queue = waiting.get(stream);
        if (queue != null || !card.push(stream, frame, 0, frame.length)) {
            waiting.computeIfAbsent(stream, key -> new ArrayDeque<>()).add(frame);
            held++;
        }
        return true;
    }

    /** The flow's stream; a new flow takes that of the flow that is quiet for longest, if there is none left; -1: none. */
    private int stream(FlowKey key) {
        Integer known = streams.get(key);
        if (known != null) {
            return known;
        }
        if (streams.size() == mostStreams && !closeQuietest()) {
            return -1;
        }
        int stream = fabric.streams().open(setup.program());
        opened++;
        streams.put(key, stream);
        return stream;
    }

    private boolean closeQuietest() {
        Iterator<Integer> oldest = streams.values().iterator();
        while (oldest.hasNext()) {
            int stream = oldest.next();
            if (fabric.streams().isQuiet(stream) && !waiting.containsKey(stream)) {
                fabric.streams().close(stream);
                oldest.remove();
                return true;
            }
        }
        return false;
    }

    private void credit(int stream) {
        Deque<byte[]> queue = waiting.get(stream);
        while (queue != null && !queue.isEmpty() && card.push(stream, queue.element(), 0, queue.element().length)) {
            queue.remove();
            held--;
        }
        if (queue != null && queue.isEmpty()) {
            waiting.remove(stream);
        }
    }

    /** Result of all frames so far. */
    public FabricResult result() {
        return new FabricResult(setup.program().name(), false, fabric.costs(), received, fabric.streams().completed(),
                fabric.audit().counts(), opened, fabric.traffic().rows(), fabric.host().cpuActions(),
                fabric.streams().mostBuffered(), fabric.time().now(), latency, busiest(fabric));
    }

    static Map.Entry<String, Long> busiest(Fabric fabric) {
        Map.Entry<String, Long> most = Map.entry("none", 0L);
        for (Port port : fabric.ports()) {
            if (port.bytesUp() > most.getValue()) {
                most = Map.entry(port.name() + " to the switch", port.bytesUp());
            }
            if (port.bytesDown() > most.getValue()) {
                most = Map.entry("the switch to " + port.name(), port.bytesDown());
            }
        }
        return most;
    }

    @Override
    public void close() throws IOException {
        setup.close();
    }
}
