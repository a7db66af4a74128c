package dev.bascule.study.fabric;

import dev.bascule.study.fabric.Match.Test;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A fabric of random size with random graphs, streams and items, and what must come of each item, worked out beside the
 * fabric. Items begin with their stream's mark and number, so that a byte in the wrong stream shows.
 */
final class RandomFabric {
    /** Bytes at an item's beginning that no device changes: mark, number. */
    static final int TAG_BYTES = 8;
    /** A number that no item has. */
    static final int JUNK = 0x7f00_0000;
    private static final int SINK = 99;
    private static final int HOST_BYTES = 1 << 16;

    final SplittableRandom random;
    final Fabric fabric;
    final List<StreamPort> devices = new ArrayList<>();
    final List<RingPort> rings = new ArrayList<>();
    final List<Flow> flows = new ArrayList<>();
    private final Map<Integer, Flow> byStream = new HashMap<>();
    private final Map<Long, Integer> seen = new HashMap<>();
    private final Set<String> wrong = new HashSet<>();

    /** A stream with what is still to be pushed. */
    static final class Flow {
        final int mark;
        final Program program;
        final StreamPort source;
        int stream;
        int pushed;
        int refused;
        final Deque<byte[]> toPush = new ArrayDeque<>();
        final Map<Integer, List<byte[]>> expected = new HashMap<>();
        int expectedEnds;

        Flow(int mark, Program program, StreamPort source) {
            this.mark = mark;
            this.program = program;
            this.source = source;
        }

        boolean touches(Port port) {
            return program.nodes().stream().anyMatch(node -> node.port() == port);
        }
    }

    /** A device that adds its parameter to each byte behind the tag, and appends one; a sink hands over what comes. */
    private final class Adder implements Accelerator {
        private final long workPs;

        Adder(long workPs) {
            this.workPs = workPs;
        }

        @Override
        public int run(int command, int parameter, byte[] in, int offset, int lengthBytes, byte[] out) {
            byte[] item = Arrays.copyOfRange(in, offset, offset + lengthBytes);
            if (command == SINK) {
                arrived(parameter, item);
                return NOTHING;
            }
            byte[] result = added(item, parameter);
            System.arraycopy(result, 0, out, 0, result.length);
            return result.length;
        }

        @Override
        public int mostResult(int lengthBytes) {
            return lengthBytes + 1;
        }

        @Override
        public long workPs(int command, int lengthBytes) {
            return workPs * (1 + lengthBytes % 3);
        }
    }

    private static byte[] added(byte[] item, int parameter) {
        byte[] result = Arrays.copyOf(item, item.length + 1);
        for (int i = TAG_BYTES; i < item.length; i++) {
            result[i] += (byte) parameter;
        }
        result[item.length] = (byte) parameter;
        return result;
    }

    RandomFabric(long seed, int streams, int items) {
        random = new SplittableRandom(seed);
        FabricCosts costs = random.nextBoolean()
                ? FabricCosts.PROPOSAL
                : FabricCosts.PROPOSAL.withBytesPerSecond(1e9 * (1 + random.nextInt(16)));
        fabric = new Fabric(costs, HOST_BYTES, new StreamLimits(streams, 1 + random.nextInt(8), 2048));
        int count = 3 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            devices.add(fabric.plug("d" + i, new Adder(random.nextInt(3) * 100_000L), 512 << random.nextInt(4),
                    1 + random.nextInt(4)));
        }
        for (int i = 0; i < 2; i++) {
            rings.add(fabric.plugRing("r" + i, new Adder(random.nextInt(2) * 200_000L), 1 + random.nextInt(4)));
        }
        devices.forEach(device -> fabric.streams().onCredit(device, this::credit));
        for (int mark = 0; mark < streams; mark++) {
            Flow flow = flow(mark);
            flows.add(flow);
            flow.stream = fabric.streams().open(flow.program);
            byStream.put(flow.stream, flow);
            int most = 1 + random.nextInt(items);
            for (int number = 0; number < most; number++) {
                flow.toPush.add(item(mark, number));
            }
        }
    }

    private byte[] item(int mark, int number) {
        byte[] item = new byte[TAG_BYTES + 1 + random.nextInt(300)];
        random.nextBytes(item);
        ByteBuffer.wrap(item).putInt(mark).putInt(number);
        return item;
    }

    /** A random graph without circles: each node goes on to later ones; the last ones end items. */
    private Flow flow(int mark) {
        int count = 2 + random.nextInt(6);
        int ends = 1 + random.nextInt(Math.max(1, count / 2));
        StreamPort source = devices.get(random.nextInt(devices.size()));
        List<Program.Node> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean isEnd = i >= count - ends;
            Port port = i == 0
                    ? source
                    : isEnd || random.nextInt(3) > 0
                            ? devices.get(random.nextInt(devices.size()))
                            : rings.get(random.nextInt(rings.size()));
            nodes.add(new Program.Node("n" + i, port, isEnd ? SINK : 1, isEnd ? i : random.nextInt(128), 0, isEnd));
        }
        List<Stage.Entry> load = new ArrayList<>();
        List<Stage.Entry> choose = new ArrayList<>();
        List<Stage.Entry> copy = new ArrayList<>();
        for (int i = 0; i < count - ends; i++) {
            Match here = new Match(Field.NODE, Test.EQ, i);
            load.add(new Stage.Entry(List.of(here), List.of(Op.load(Field.R0, TAG_BYTES, 1))));
            if (random.nextBoolean()) {
                choose.add(new Stage.Entry(List.of(here, new Match(Field.R0, Test.LT, random.nextInt(256))),
                        List.of(Op.set(Field.NEXT, later(i, count)))));
            }
            choose.add(new Stage.Entry(List.of(here), List.of(random.nextInt(12) == 0
                    ? Op.of(Op.Code.DROP, 0)
                    : Op.set(Field.NEXT, later(i, count)))));
            if (random.nextInt(4) == 0) {
                copy.add(new Stage.Entry(List.of(here), List.of(Op.of(Op.Code.EMIT, later(i, count)))));
            }
        }
        return new Flow(mark, new Program("g" + mark, nodes, 0, copy.size(),
                List.of(new Stage(copy), new Stage(load), new Stage(choose))), source);
    }

    private int later(int node, int count) {
        return node + 1 + random.nextInt(count - node - 1);
    }

    /** Pushes whatever has credit, in random order of the streams. */
    void pushAll() {
        flows.forEach(this::push);
    }

    private void credit(int stream) {
        Flow flow = byStream.get(stream);
        if (flow != null && flow.stream == stream) {
            push(flow);
        }
    }

    private void push(Flow flow) {
        while (!flow.toPush.isEmpty()) {
            byte[] item = flow.toPush.peek();
            if (!pushOne(flow, item)) {
                return;
            }
            flow.toPush.remove();
            flow.pushed++;
            expect(flow, 0, item);
        }
    }

    /** In one write, or in several. */
    private boolean pushOne(Flow flow, byte[] item) {
        if (random.nextInt(4) > 0) {
            return flow.source.push(flow.stream, item, 0, item.length);
        }
        if (flow.source.isRemoved() || !fabric.streams().take(flow.stream, flow.source)) {
            return false;
        }
        int cut = random.nextInt(item.length);
        flow.source.writeTo(fabric.streams().sourceWindow(flow.stream), item, 0, cut);
        flow.source.writeTo(fabric.streams().sourceWindow(flow.stream) | Streams.END, item, cut, item.length - cut);
        return true;
    }

    /** Follows an item from where it leaves {@code node}: the graph's meaning, without the fabric. */
    private void expect(Flow flow, int node, byte[] item) {
        int next = -1;
        for (Stage stage : flow.program.stages()) {
            for (Stage.Entry entry : stage.entries()) {
                if (entry.matches().getFirst().value() != node || entry.matches().size() > 1
                        && (item[TAG_BYTES] & 0xff) >= entry.matches().get(1).value()) {
                    continue;
                }
                Op op = entry.ops().getFirst();
                if (op.code() == Op.Code.EMIT) {
                    expectAt(flow, (int) op.value(), item);
                } else if (op.code() == Op.Code.SET) {
                    next = (int) op.value();
                }
                break;
            }
        }
        if (next >= 0) {
            expectAt(flow, next, item);
        }
    }

    private void expectAt(Flow flow, int node, byte[] item) {
        Program.Node place = flow.program.node(node);
        if (place.ends()) {
            flow.expected.computeIfAbsent(node, key -> new ArrayList<>()).add(item);
            flow.expectedEnds++;
        } else {
            expect(flow, node, added(item, place.parameter()));
        }
    }

    private void arrived(int node, byte[] item) {
        if (ByteBuffer.wrap(item).getInt(4) == JUNK) {
            return; // within the credit of a source that floods its own stream
        }
        Flow flow = flows.get(ByteBuffer.wrap(item).getInt());
        List<byte[]> expected = flow.expected.getOrDefault(node, List.of());
        int at = -1;
        for (int i = 0; i < expected.size() && at < 0; i++) {
            at = Arrays.equals(expected.get(i), item) ? i : -1;
        }
        if (at < 0) {
            wrong.add("stream " + flow.mark + ", node " + node + ": an item that was not expected there: "
                    + ByteBuffer.wrap(item).getInt(4));
        } else {
            expected.remove(at);
        }
        seen.merge((long) flow.mark << 8 | node, 1, Integer::sum);
    }

    /** Items that came out where nothing said they should, or changed on the way. */
    Set<String> wrong() {
        return wrong;
    }

    /** What has not come out of the stream, in words. */
    List<String> missing(Flow flow) {
        List<String> missing = new ArrayList<>();
        flow.expected.forEach((node, items) -> items.forEach(item -> missing
                .add("stream " + flow.mark + ", node " + node + ": item " + ByteBuffer.wrap(item).getInt(4))));
        return missing;
    }

    /** What host memory holds. */
    byte[] hostMemory() {
        return fabric.host().memory().get(0, HOST_BYTES);
    }
}
