package dev.bascule.app.judge;

import dev.bascule.nic.PacketBatch;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.HashMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Whether frames arrive as they were sent, and with what the card says it adds to them. */
final class FrameParts {
    private static final int FLOWS = 256;
    private static final int JUMBO_RING = 64;

    static final List<Part> ALL = List.of(
            Part.ofAll("frames", "frames of all kinds and lengths arrive, every byte as sent", FrameParts::frames),
            new Part("jumbo", "so do the longest ones that the card names", FrameParts::shortCard, FrameParts::jumbo),
            new Part("flows", "a flow stays on its queue, and flows spread over the queues", FrameParts::oneQueue,
                    FrameParts::flows),
            new Part("rx-checksum", "the card's sum of a received frame is right, for every length",
                    bench -> Part.unless(bench.far().rxChecksum(), "the card names no checksum of received frames"),
                    FrameParts::rxChecksum),
            new Part("tx-checksum", "the card inserts the checksum of UDP and TCP where it is asked to",
                    FrameParts::noTxChecksum, FrameParts::txChecksum));

    private FrameParts() {}

    private static String frames(Bench bench) {
        try (Link link = bench.open(bench.options(bench.plan().queues()))) {
            Traffic traffic = bench.traffic(link, bench.ordinary());
            traffic.exchange(bench.some());
            return traffic.text() + "; " + bench.kinds().size() + " kinds, 60 to " + bench.ordinary() + " bytes"
                    + (bench.refused().isEmpty()
                            ? ""
                            : "; the driver refuses to send " + names(bench.refused()));
        }
    }

    private static String names(List<FrameKind> kinds) {
        return kinds.stream().map(FrameKind::text).collect(Collectors.joining(", "));
    }

    private static Optional<String> shortCard(Bench bench) {
        return Part.unless(bench.longest() > bench.ordinary(),
                "the longest frame that the card names has " + bench.longest() + " bytes");
    }

    private static String jumbo(Bench bench) {
        try (Link link = bench.open(bench.options(1).withRingEntries(JUMBO_RING).withMaxFrameBytes(bench.longest()))) {
            Traffic traffic = bench.traffic(link, Math.min(bench.longest(),
                    Math.min(link.near().maxFrameBytes(), link.near().txQueue(0).bufferBytes())));
            traffic.exchange(bench.some() / 5);
            return traffic.text() + "; up to " + bench.longest() + " bytes";
        }
    }

    private static Optional<String> oneQueue(Bench bench) {
        return !bench.far().receiveSideScaling()
                ? Optional.of("the card names no spreading of flows")
                : Part.unless(bench.plan().queues() > 1, "one queue; more with --queues");
    }

    private static String flows(Bench bench) {
        int queues = bench.plan().queues();
        List<FrameKind> kinds = bench.kinds().stream()
                .filter(kind -> kind == FrameKind.UDP || kind == FrameKind.TCP).toList();
        if (kinds.isEmpty()) {
            throw new Fault("the driver sends neither UDP nor TCP over IPv4");
        }
        try (Link link = bench.open(bench.options(queues))) {
            Frames frames = bench.frames(kinds, 60, bench.ordinary(), FLOWS);
            Traffic traffic = bench.traffic(link, frames);
            int[] queueOf = new int[FLOWS];
            Arrays.fill(queueOf, -1);
            Map<Integer, Integer> hashes = new HashMap<>();
            traffic.onArrival((queue, number, batch, entry) -> {
                int flow = frames.flow(number);
                if (queueOf[flow] >= 0 && queueOf[flow] != queue) {
                    throw new Fault("flow " + flow + " came on queue " + queueOf[flow] + ", and its frame " + number
                            + " on queue " + queue);
                }
                queueOf[flow] = queue;
                Integer before = (batch.flags(entry) & PacketBatch.HAS_HASH) == 0
                        ? null
                        : hashes.put(flow, batch.hash(entry));
                if (before != null && before != batch.hash(entry)) {
                    throw new Fault("flow %d had hash 0x%08x, and its frame %d has 0x%08x".formatted(flow, before,
                            number, batch.hash(entry)));
                }
            });
            traffic.exchange(bench.some());
            return traffic.text() + spread(queueOf, queues) + (hashes.isEmpty() ? "" : "; one hash each");
        }
    }

    private static String spread(int[] queueOf, int queues) {
        TreeMap<Integer, Integer> shares = new TreeMap<>();
        for (int queue : queueOf) {
            shares.merge(queue, 1, Integer::sum);
        }
        if (shares.size() <= queues / 2) {
            throw new Fault(FLOWS + " flows use only the queues " + shares.keySet() + " of " + queues);
        }
        return "; " + FLOWS + " flows, " + shares.values().stream().mapToInt(Integer::intValue).min().orElse(0) + " to "
                + shares.values().stream().mapToInt(Integer::intValue).max().orElse(0) + " on a queue";
    }

    private static String rxChecksum(Bench bench) {
        try (Link link = bench.open(bench.options(bench.plan().queues()))) {
            Set<Integer> lengths = new HashSet<>();
            Traffic traffic = bench.traffic(link, Math.min(260, bench.ordinary()));
            traffic.onArrival((queue, number, batch, entry) -> lengths.add(batch.length(entry)));
            traffic.exchange(bench.some() / 2);
            Traffic longer = bench.traffic(link, bench.ordinary());
            longer.onArrival((queue, number, batch, entry) -> lengths.add(batch.length(entry)));
            longer.exchange(bench.some());
            return "the sums of %,d frames of %,d lengths are right".formatted(traffic.received() + longer.received(),
                    lengths.size());
        }
    }

    private static List<FrameKind> transports(Bench bench) {
        return bench.kinds().stream().filter(kind -> kind.transportAt() > 0).toList();
    }

    private static Optional<String> noTxChecksum(Bench bench) {
        return !bench.near().txChecksum()
                ? Optional.of("the card names no insertion of checksums")
                : Part.unless(!transports(bench).isEmpty(), "the driver sends neither UDP nor TCP");
    }

    private static String txChecksum(Bench bench) {
        try (Link link = bench.open(bench.options(bench.plan().queues()))) {
            List<FrameKind> kinds = transports(bench);
            Traffic traffic = bench.traffic(link, bench.frames(kinds, 60, bench.ordinary(), 0)).askingForChecksums();
            traffic.exchange(bench.some());
            return "%,d sums inserted, all right; %s".formatted(traffic.received(), names(kinds));
        }
    }
}
