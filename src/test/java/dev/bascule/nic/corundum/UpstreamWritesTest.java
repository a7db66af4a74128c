package dev.bascule.nic.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.ForwardingModel;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.corundum.CorundumProfile;
import dev.bascule.nic.PacketBatch;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What this driver writes from opening a card to its first doorbell, beside what upstream's wrote to the same design: a list
 * recorded from the served model. The page on Corundum explains what differs.
 */
class UpstreamWritesTest {
    private static final CorundumConfig DESIGN = CorundumConfig.builder().profile(CorundumProfile.DECEMBER_2023)
            .ports(1)
            .schedulers(1).eventQueues(4).completionQueues(16).txQueues(8).rxQueues(4).interruptIndexBits(2).build();

    /** Of all devices and ports, for the one that is described there. */
    private static final Map<Integer, String> SINGLE = Map.of(0x80028, "TX MTU", 0x8002C, "RX MTU", 0x80114, "RSS mask",
            0x80118, "application mask", 0x81020, "port TX control", 0x81024, "port RX control", 0x82028,
            "scheduler control", 0x8202C, "scheduler destination");

    /** One write: of which queue or register, and what it does there. */
    private record Write(String where, String what) {
        static Write of(int offset, String value) {
            if (offset >= 0x800000) {
                return new Write("scheduler word", "set");
            }
            if (offset >= 0x180000) {
                boolean work = offset >= 0x400000;
                String kind = offset >= 0x600000 ? "RXQ " : work ? "TXQ " : offset >= 0x200000 ? "CQ " : "EQ ";
                int stride = work ? 32 : 16;
                return new Write(kind + (offset & 0x1FFFFF - (offset < 0x200000 ? 0x180000 : 0)) / stride,
                        what(offset % stride, value));
            }
            if (offset >= 0x100000) {
                return new Write("receive queue table", "set");
            }
            if (offset < 0x80000) {
                return new Write("clock", "set");
            }
            return offset >= 0x8102C && offset < 0x81050
                    ? new Write("flow control", "set")
                    : new Write(SINGLE.getOrDefault(offset, Integer.toHexString(offset)),
                            "0".repeat(8).equals(value) ? "0" : "set");
        }

        private static String what(int at, String value) {
            if (at == 0 || at == 4) {
                return at == 0 ? "base low" : "base high";
            }
            if (value.startsWith("c0")) {
                return "target";
            }
            return switch (value.substring(0, 4)) {
                case "8002" -> value.endsWith("ff00") || value.equals("80020000") ? "probe" : "size";
                case "8080" -> value.equals("80800000") ? "producer 0" : "producer";
                case "8090" -> "consumer";
                case "8091" -> "consumer and arm";
                default -> switch (value) {
                    case "40000100" -> "disable";
                    case "40000101" -> "enable";
                    case "40000200" -> "disarm";
                    case "40000201" -> "arm";
                    default -> value;
                };
            };
        }
    }

    private static List<Write> upstream() throws Exception {
        List<Write> writes = new ArrayList<>();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                UpstreamWritesTest.class.getResourceAsStream("/corundum/upstream-writes-2023-12.txt"),
                StandardCharsets.US_ASCII))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (!line.startsWith("#")) {
                    String[] parts = line.split(" ");
                    writes.add(Write.of(Integer.parseInt(parts[0], 16), parts[1]));
                }
            }
        }
        assertThat(writes).hasSizeGreaterThan(200);
        return writes;
    }

    /** As many queues as upstream opened, sleeping as it does. */
    private static List<Write> ours() {
        List<Write> writes = new ArrayList<>();
        CorundumModel model = new CorundumModel(DESIGN, List.of(Cables.loopback()), false);
        ForwardingModel log = new ForwardingModel(model) {
            @Override
            public void write(int bar, long offset, int widthBytes, long value) {
                writes.add(Write.of((int) offset, "%08x".formatted((int) value)));
                super.write(bar, offset, widthBytes, value);
            }
        };
        try (CorundumAdapter card = CorundumAdapter.open(LoopbackDevice.open(log))) {
            CorundumNic nic = card.openPort(0,
                    CorundumOptions.DEFAULTS.withRingEntries(1024).withQueues(1, 8).withInterrupts());
            nic.start();
            nic.rxQueue(0).await(0);
            PacketBatch batch = new PacketBatch(1);
            nic.txQueue(4).allocate(batch, 1);
            batch.setLength(0, 60);
            nic.txQueue(4).write(batch);
            nic.txQueue(4).commit();
            return List.copyOf(writes);
        }
    }

    /** What was written to each queue, from when it was first given a ring. */
    private static Map<String, List<String>> setUps(List<Write> writes, String kind) {
        Map<String, List<String>> all = new LinkedHashMap<>();
        writes.stream().filter(write -> write.where.startsWith(kind)).forEach(
                write -> all.computeIfAbsent(write.where, where -> new ArrayList<>()).add(write.what));
        all.replaceAll((where, what) -> what.subList(Math.max(0, what.indexOf("base low")), what.size()));
        all.values().removeIf(what -> !what.contains("base low"));
        return all;
    }

    @Test
    void queuesAreSetUpByTheSameCommandsInTheSameOrder() throws Exception {
        List<Write> theirs = upstream();
        List<Write> mine = ours();
        for (String kind : List.of("RXQ", "TXQ")) {
            Map<String, List<String>> them = setUps(theirs, kind);
            Map<String, List<String>> us = setUps(mine, kind);
            assertThat(us.keySet()).as(kind).isEqualTo(them.keySet());
            us.forEach((queue, what) -> assertThat(what).as(queue).isEqualTo(them.get(queue)));
        }
        List<String> theirRecords = setUps(theirs, "CQ").get("CQ 0");
        assertThat(theirRecords).startsWith("base low", "base high", "size", "target", "producer 0", "consumer",
                "enable",
                "arm");
        setUps(mine, "CQ").forEach((queue, what) -> assertThat(what).as("%s, which is armed by who sleeps", queue)
                .startsWith(theirRecords.subList(0, 7).toArray(String[]::new)));
        assertThat(setUps(theirs, "EQ").get("EQ 0")).startsWith(theirRecords.subList(0, 8).toArray(String[]::new));
        assertThat(setUps(mine, "EQ").get("EQ 0")).as("armed with the consumer in one command")
                .startsWith("base low", "base high", "size", "target", "producer 0", "consumer", "enable",
                        "consumer and arm");
    }

    @Test
    void whatIsFoundIsStoppedFirstAsUpstreamDoesAndDisarmedToo() throws Exception {
        Set<String> theirs = stoppedBeforeAnyRing(upstream(), "disable");
        List<Write> mine = ours();
        assertThat(stoppedBeforeAnyRing(mine, "disable")).containsAll(theirs).hasSize(4 + 16 + 8 + 4);
        assertThat(stoppedBeforeAnyRing(mine, "disarm")).hasSize(4 + 16);
    }

    private static Set<String> stoppedBeforeAnyRing(List<Write> writes, String what) {
        Set<String> queues = new TreeSet<>();
        for (Write write : writes) {
            if (write.what.equals("base low")) {
                break;
            }
            if (write.what.equals(what)) {
                queues.add(write.where);
            }
        }
        return queues;
    }

    @Test
    void trafficIsLetInAndOutInTheSameOrder() throws Exception {
        List<String> steps = List.of("TXQ 0 enable", "RXQ 0 enable", "port TX control set", "scheduler control set",
                "port RX control set", "TXQ 4 producer");
        assertThat(order(upstream(), steps)).as("upstream").isEqualTo(steps);
        List<String> mine = order(ours(), steps);
        assertThat(mine).containsExactlyInAnyOrderElementsOf(steps);
        assertThat(mine.subList(2, 6)).as("the queues first, in whatever order").isEqualTo(steps.subList(2, 6));
    }

    private static List<String> order(List<Write> writes, List<String> steps) {
        return writes.stream().map(write -> write.where + " " + write.what).filter(steps::contains).distinct().toList();
    }

    @Test
    void noOtherRegisterIsWrittenAndWhatIsLeftOutIsExplained() throws Exception {
        Set<String> theirs = registers(upstream());
        Set<String> mine = registers(ours());
        Set<String> only = new TreeSet<>(mine);
        only.removeAll(theirs);
        assertThat(only).as("written here and not by upstream: it leaves the destination at its reset value")
                .isEqualTo(Set.of("scheduler destination"));
        Set<String> missing = new TreeSet<>(theirs);
        missing.removeAll(mine);
        assertThat(missing).as("the page on Corundum explains each").isEqualTo(Set.of("clock", "flow control"));
    }

    private static Set<String> registers(List<Write> writes) {
        return writes.stream().map(write -> write.where.replaceAll(" \\d+$", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
