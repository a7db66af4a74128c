package dev.bascule.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All keys of a hardware configuration. Documented in {@code src/site/markdown/hw-configs.md}; a test compares. */
final class Schema {
    /** Keys by path, in the order of the documentation. */
    static final Map<String, Key> KEYS = keys();

    /** Keys of former releases that did nothing, with what to use instead. */
    static final Map<String, String> GONE = Map.of("cpus", "say 'bascule run --cpus N' and '--agents N'", "smartnic",
            "the memories are as large as the enclave needs", "optimisations.dma",
            "messages of bulk queues always go by DMA", "rdma.relaxedOrdering",
            "writes are always placed in their order, on which a reader relies");

    /** Names of the keys of a link, in order. */
    static final List<String> LINK_NAMES = namesIn("link");

    /** Keys of the long form of a constant. */
    static final List<String> CONSTANT_KEYS = List.of("value", "unit", "source", "confidence");

    private static final long SECOND = 1_000_000_000L;
    private static final long KIB = 1L << 10;
    private static final long GIB = 1L << 30;

    private Schema() {}

    /** Names of the keys of a section; of the top level, section names included, for the empty section. */
    static List<String> namesIn(String section) {
        List<String> names = new ArrayList<>();
        for (Key key : KEYS.values()) {
            if (key.section().equals(section)) {
                names.add(key.name());
            } else if (section.isEmpty() && !names.contains(key.section())) {
                names.add(key.section());
            }
        }
        return names;
    }

    static boolean isSection(String name) {
        return !name.isEmpty() && KEYS.values().stream().anyMatch(k -> k.section().equals(name));
    }

    private static Map<String, Key> keys() {
        Map<String, Key> keys = new LinkedHashMap<>();
        add(keys, new Key("kind", ValueType.WORD, 0, 0, false, ""));
        add(keys, text("description"));
        add(keys, choice("timing", ModelTiming.IMMEDIATE.word(), ModelTiming.RTL.word()));
        add(keys, text("device.ids"));
        add(keys, text("device.driver"));
        add(keys, text("device.seen"));
        add(keys, count("enso.pipeRingFlits", 64, 1 << 19, true, 32768));
        add(keys, count("enso.notificationRingEntries", 1024, 1 << 19, true, 16384));
        add(keys, count("enso.inflightEntries", 1, 1 << 20, false, 500));
        add(keys, new Key("enso.perPacketNotification", ValueType.SWITCH, 0, 1, false, "false"));
        add(keys, new Key("enso.hugepages", ValueType.SWITCH, 0, 1, false, "true"));
        add(keys, new Key("enso.boardTool", ValueType.LIST, 0, 0, false, ""));
        for (String name : List.of("mmioReadUc", "mmioReadWc", "mmioReadWt", "mmioWrite", "postedWrite",
                "dmaRead", "dmaWrite", "msix", "coherentLine")) {
            add(keys, new Key("link." + name, ValueType.CONSTANT, 0, SECOND, false, "0"));
        }
        add(keys, count("queues.channelEntries", 2, 1 << 16, true, 1024));
        add(keys, count("queues.stagedDecisions", 1, 64, true, 1));
        add(keys, new Key("watchdog.softWindow", ValueType.DURATION, 1_000, 60 * SECOND, false, "200 us"));
        add(keys, new Key("watchdog.hardLimit", ValueType.DURATION, 1_000, 60 * SECOND, false, "20 ms"));
        for (String name : List.of("writeCombining", "writeThrough", "prestage", "prefetch", "batch")) {
            add(keys, new Key("optimisations." + name, ValueType.SWITCH, 0, 1, false, "true"));
        }
        addRdma(keys);
        addRegion(keys);
        addCores(keys);
        return Collections.unmodifiableMap(keys);
    }

    /** How the host reaches a card's region. */
    private static void addRegion(Map<String, Key> keys) {
        add(keys, text("region.device"));
        add(keys, count("region.bar", 0, 5, false, 2));
        add(keys, number("region.offset"));
        add(keys, new Key("region.length", ValueType.BYTES, 0, 64 * GIB, false, "0"));
        add(keys, choice("region.hostMemory", "iova", "bar"));
        add(keys, count("region.vectors", 0, 256, false, 64));
        add(keys, count("doorbell.bar", 0, 5, false, 0));
        addRegister(keys, "doorbell");
    }

    /** How the card's own cores reach it. */
    private static void addCores(Map<String, Key> keys) {
        add(keys, choice("cores.memory", "none", "device", "uio", "pci", "file", "socket", "library"));
        add(keys, text("cores.path"));
        add(keys, text("cores.argument"));
        add(keys, count("cores.bar", 0, 5, false, 0));
        add(keys, number("cores.offset"));
        add(keys, new Key("cores.length", ValueType.BYTES, 0, 64 * GIB, false, "0"));
        add(keys, new Key("cores.cached", ValueType.SWITCH, 0, 1, false, "true"));
        add(keys, text("window.path"));
        add(keys, number("window.offset"));
        add(keys, new Key("window.length", ValueType.BYTES, 0, 1024 * GIB, false, "0"));
        add(keys, number("window.base"));
        add(keys, text("interrupt.path"));
        addRegister(keys, "interrupt");
    }

    private static void addRegister(Map<String, Key> keys, String section) {
        add(keys, number(section + ".offset"));
        add(keys, choice(section + ".width", "none", "1", "2", "4", "8"));
        add(keys, number(section + ".value"));
        add(keys, number(section + ".stride"));
        add(keys, number(section + ".step"));
    }

    private static Key text(String path) {
        return new Key(path, ValueType.TEXT, 0, 0, false, "");
    }

    private static Key number(String path) {
        return new Key(path, ValueType.NUMBER, 0, Long.MAX_VALUE, false, "0");
    }

    private static Key choice(String path, String... words) {
        return new Key(path, ValueType.CHOICE, 0, 0, false, words[0], List.of(words));
    }

    /** How a peer is reached by verbs. */
    private static void addRdma(Map<String, Key> keys) {
        for (String name : List.of("device", "name", "peer", "secretFile")) {
            add(keys, new Key("rdma." + name, ValueType.TEXT, 0, 0, false, ""));
        }
        add(keys, count("rdma.port", 0, 254, false, 0));
        add(keys, count("rdma.gidIndex", -1, 255, false, -1));
        add(keys, count("rdma.trafficClass", 0, 255, false, 0));
        add(keys, new Key("rdma.stallLimit", ValueType.DURATION, 1_000_000, 60 * SECOND, false, "20 ms"));
    }

    private static Key count(String path, long min, long max, boolean powerOfTwo, long fallback) {
        return new Key(path, ValueType.COUNT, min, max, powerOfTwo, Long.toString(fallback));
    }

    private static void add(Map<String, Key> keys, Key key) {
        keys.put(key.path(), key);
    }
}
