package dev.bascule.study.nagare;

import dev.bascule.study.fabric.Accelerator;
import dev.bascule.study.fabric.Fabric;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.fabric.Field;
import dev.bascule.study.fabric.FrameSender;
import dev.bascule.study.fabric.HostChain;
import dev.bascule.study.fabric.Match;
import dev.bascule.study.fabric.Op;
import dev.bascule.study.fabric.Port;
import dev.bascule.study.fabric.Program;
import dev.bascule.study.fabric.RingPort;
import dev.bascule.study.fabric.Stage;
import dev.bascule.study.fabric.StreamLimits;
import dev.bascule.study.fabric.StreamPort;
import dev.bascule.study.fabric.WorkTime;
import java.util.ArrayList;
import java.util.List;

/**
 * A card, accelerators in a row or as branches, and the card again, for the figures of {@link NagareReproduction}.
 * Accelerators pass items on as they are; if they take no time, only the fabric is seen.
 */
final class ChainRig {
    private static final int LANES = 64;
    private static final int INPUT_BYTES = 256 << 10;
    private static final int SLOT_BYTES = 2048;

    /** Design of a chain, by who moves data from one device to the next. */
    enum Design {
        /** Devices push to each other. */
        STREAMS,
        /** The switch drives devices with rings; the card takes streams. */
        ADAPTED,
        /** The CPU, over rings in host memory. */
        CPU
    }

    /**
     * Outcome of a run.
     *
     * @param firstPs when the first item left
     * @param lastPs when the last item left
     * @param items that left
     * @param transfers an item
     * @param halfRoundTrips an item
     * @param cpuActions an item
     */
    record Outcome(long firstPs, long lastPs, long items, double transfers, double halfRoundTrips, double cpuActions) {
        double itemsPerSecond() {
            return items < 2 ? 0 : (items - 1) * 1e12 / (lastPs - firstPs);
        }
    }

    private final Design design;
    private final Fabric fabric;
    private final List<Port> accelerators = new ArrayList<>();
    private final Port card;
    private long left;
    private long firstPs;
    private long lastPs;

    /** Passes items on as they are. */
    private record Pass(WorkTime time) implements Accelerator {
        @Override
        public int run(int command, int parameter, byte[] in, int offset, int lengthBytes, byte[] out) {
            System.arraycopy(in, offset, out, 0, lengthBytes);
            return lengthBytes;
        }

        @Override
        public long workPs(int command, int lengthBytes) {
            return time.of(lengthBytes);
        }
    }

    /** Accelerators that take no time. */
    ChainRig(Design design, FabricCosts costs, int count, StreamLimits limits) {
        this(design, costs, count, limits, WorkTime.NONE, LANES);
    }

    /** Accelerators that take this time for an item, and work on so many at a time. */
    ChainRig(Design design, FabricCosts costs, int count, StreamLimits limits, WorkTime time, int lanes) {
        this.design = design;
        fabric = new Fabric(design == Design.CPU ? costs.withoutStages() : costs,
                design == Design.CPU ? HostChain.memoryBytes(count + 1, SLOT_BYTES) : 4096,
                limits);
        FrameSender sender = new FrameSender(frame -> left(), 0);
        card = design == Design.CPU
                ? fabric.plugRing("card", sender, LANES)
                : fabric.plug("card", sender, INPUT_BYTES, LANES);
        for (int i = 0; i < count; i++) {
            accelerators.add(design == Design.STREAMS
                    ? fabric.plug("a" + i, new Pass(time), INPUT_BYTES, lanes)
                    : fabric.plugRing("a" + i, new Pass(time), lanes));
        }
    }

    private void left() {
        lastPs = fabric.time().now();
        if (left++ == 0) {
            firstPs = lastPs;
        }
    }

    Fabric fabric() {
        return fabric;
    }

    /** All accelerators one behind the other. */
    Program chain() {
        List<Stage.Entry> choose = new ArrayList<>();
        for (int i = 0; i <= accelerators.size(); i++) {
            choose.add(new Stage.Entry(List.of(new Match(Field.NODE, Match.Test.EQ, i)),
                    List.of(Op.set(Field.NEXT, i + 1))));
        }
        return new Program("chain", nodes(), 0, 0, List.of(new Stage(choose)));
    }

    /** A tree: the item's first byte says which accelerator it goes to, and from there it leaves. */
    Program tree() {
        int count = accelerators.size();
        List<Stage.Entry> choose = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            choose.add(new Stage.Entry(
                    List.of(new Match(Field.NODE, Match.Test.EQ, 0), new Match(Field.R0, Match.Test.EQ, i)),
                    List.of(Op.set(Field.NEXT, i))));
            choose.add(new Stage.Entry(List.of(new Match(Field.NODE, Match.Test.EQ, i)),
                    List.of(Op.set(Field.NEXT, count + 1))));
        }
        Stage load = new Stage(List.of(new Stage.Entry(List.of(), List.of(Op.load(Field.R0, 0, 1)))));
        return new Program("tree", nodes(), 0, 0, List.of(load, new Stage(choose)));
    }

    private List<Program.Node> nodes() {
        List<Program.Node> nodes = new ArrayList<>();
        nodes.add(new Program.Node("in", card, 0, 0, 0, false));
        for (int i = 0; i < accelerators.size(); i++) {
            nodes.add(new Program.Node("a" + i, accelerators.get(i), 1, 0, 0, false));
        }
        nodes.add(new Program.Node("out", card, FrameSender.SEND, 0, 0, true));
        return nodes;
    }

    /** Sends items of a length through, as fast as they are taken, over a number of streams. */
    Outcome run(Program program, int items, int lengthBytes, int streams) {
        if (design == Design.CPU) {
            return throughHost(items, lengthBytes);
        }
        StreamPort source = (StreamPort) card;
        int[] numbers = new int[streams];
        for (int i = 0; i < streams; i++) {
            numbers[i] = fabric.streams().open(program);
        }
        byte[] item = new byte[lengthBytes];
        for (int sent = 0; sent < items;) {
            item[0] = (byte) (1 + sent % Math.max(1, accelerators.size()));
            if (source.push(numbers[sent % streams], item, 0, lengthBytes)) {
                sent++;
            } else if (!fabric.time().step()) {
                throw new IllegalStateException("the fabric stands still after " + left + " of " + items + " items");
            }
        }
        fabric.time().run();
        return outcome(items);
    }

    private Outcome throughHost(int items, int lengthBytes) {
        RingPort source = (RingPort) card;
        List<HostChain.Step> steps = new ArrayList<>();
        accelerators.forEach(port -> steps.add(new HostChain.Step((RingPort) port, 1, 0, 0)));
        steps.add(new HostChain.Step(source, FrameSender.SEND, 0, 0));
        HostChain chain = new HostChain(fabric, source, SLOT_BYTES, steps);
        byte[] item = new byte[lengthBytes];
        for (int sent = 0; sent < items;) {
            if (chain.hasRoom()) {
                chain.receive(item);
                sent++;
            } else if (!fabric.time().step()) {
                throw new IllegalStateException("the chain stands still after " + left + " of " + items + " items");
            }
        }
        fabric.time().run();
        return outcome(items);
    }

    private Outcome outcome(int items) {
        return new Outcome(firstPs, lastPs, left, (double) fabric.traffic().transfers() / items,
                (double) fabric.traffic().halfRoundTrips() / items, (double) fabric.host().cpuActions() / items);
    }
}
