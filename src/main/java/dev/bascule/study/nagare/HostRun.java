package dev.bascule.study.nagare;

import dev.bascule.config.FabricConfig;
import dev.bascule.config.FabricConfig.Edge;
import dev.bascule.host.TimeHistogram;
import dev.bascule.study.fabric.Audit;
import dev.bascule.study.fabric.Fabric;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.fabric.HostChain;
import dev.bascule.study.fabric.Program;
import dev.bascule.study.fabric.RingPort;
import dev.bascule.study.fabric.StreamLimits;
import dev.bascule.study.fabric.graph.FabricSetup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Run of a graph's frames with the CPU in the middle and every device behind its descriptor ring, over a switch that
 * only routes. For graphs that are one chain. One thread.
 */
public final class HostRun implements AutoCloseable {
    private static final int ITEM_BYTES = 16 << 10;

    private final FabricSetup setup;
    private final Fabric fabric;
    private final HostChain chain;
    private final TimeHistogram latency = TimeHistogram.single();
    private long received;

    /** A run; {@link IllegalArgumentException} if the graph branches. */
    public HostRun(FabricConfig config, FabricCosts costs, @Nullable Path folder, BiConsumer<String, byte[]> wire) {
        setup = new FabricSetup(config, costs.withoutStages(), StreamLimits.DEFAULT, folder, true, (card, frame) -> {
            left();
            wire.accept(card, frame);
        });
        fabric = setup.fabric();
        List<HostChain.Step> steps = steps(config);
        if (!(setup.source() instanceof RingPort card) || steps.isEmpty()) {
            throw new IllegalArgumentException(config.file() + ": with the CPU in the middle, '" + config.name()
                    + "' must be one chain that begins at a card");
        }
        chain = new HostChain(fabric, card, ITEM_BYTES, steps);
    }

    /** The present, ps. */
    public long nowPs() {
        return fabric.time().now();
    }

    private void left() {
        latency.record(chain.left() / FabricCosts.NANO);
    }

    /** The nodes behind the source in order; none if one has two ways on. */
    private List<HostChain.Step> steps(FabricConfig config) {
        List<HostChain.Step> steps = new ArrayList<>();
        Program program = setup.program();
        String at = program.nodes().get(program.source()).name();
        for (;;) {
            String from = at;
            List<Edge> out = config.edges().stream().filter(edge -> edge.from().equals(from)).toList();
            if (out.isEmpty()) {
                return steps;
            }
            if (out.size() > 1 || !out.getFirst().when().isEmpty()) {
                return List.of();
            }
            at = out.getFirst().to();
            String next = at;
            Program.Node node = program.nodes().stream().filter(each -> each.name().equals(next)).findFirst()
                    .orElseThrow();
            if (!(node.port() instanceof RingPort port)) {
                return List.of();
            }
            steps.add(new HostChain.Step(port, node.command(), node.parameter(), node.offset()));
        }
    }

    /** Sends all frames through and waits for the last. A frame waits until the card has a slot. */
    public FabricResult run(FabricRun.Frames frames) throws IOException {
        for (byte[] frame = frames.next(); frame != null; frame = frames.next()) {
            while (!chain.hasRoom() && fabric.time().step()) {
                // slots come back as the CPU takes frames
            }
            received++;
            chain.receive(frame);
        }
        fabric.time().run();
        Map<Audit.Reason, Long> refused = new EnumMap<>(Audit.Reason.class);
        refused.putAll(fabric.audit().counts());
        if (chain.rejected() > 0) {
            refused.merge(Audit.Reason.REJECTED, chain.rejected(), Long::sum);
        }
        return new FabricResult(setup.program().name(), true, fabric.costs(), received, chain.ended(), refused, 0,
                fabric.traffic().rows(), fabric.host().cpuActions(), 0, fabric.time().now(), latency,
                FabricRun.busiest(fabric));
    }

    @Override
    public void close() throws IOException {
        setup.close();
    }
}
