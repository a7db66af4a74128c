package dev.bascule.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The constants of a cost profile; all are required. Documented in {@code src/site/markdown/simulation.md}. */
final class CostKeys {
    /** Dimension of a constant, with its units. */
    enum Dimension {
        TIME(Map.of("ns", 1.0, "us", 1e3, "ms", 1e6)), RATIO(Map.of("x", 1.0)), BANDWIDTH(Map.of("GB/s", 1e9)), SIZE(
                Map.of("B", 1.0, "KiB", 1024.0));

        final Map<String, Double> units;

        Dimension(Map<String, Double> units) {
            this.units = units;
        }
    }

    /** By path, in order. */
    static final Map<String, Dimension> KEYS = keys();

    /** Of the simulated host. */
    static final Schema COSTS = new Schema("costs", "cost profile", KEYS);
    /** Of the interconnects between a core and a NIC. */
    static final Schema INTERCONNECTS = new Schema("interconnects", "file of interconnects", interconnects());

    private CostKeys() {}

    static Dimension dimension(String path) {
        Dimension ofHost = KEYS.get(path);
        return ofHost != null ? ofHost : INTERCONNECTS.keys().getOrDefault(path, Dimension.RATIO);
    }

    /** Schema of a file of one kind. */
    record Schema(String kind, String what, Map<String, Dimension> keys) {
        List<String> sections() {
            return keys.keySet().stream().map(Schema::section).distinct().toList();
        }

        List<String> namesIn(String section) {
            List<String> names = new ArrayList<>();
            for (String path : keys.keySet()) {
                if (section(path).equals(section)) {
                    names.add(path.substring(section.length() + 1));
                }
            }
            return names;
        }

        private static String section(String path) {
            return path.substring(0, path.indexOf('.'));
        }
    }

    private static Map<String, Dimension> keys() {
        Map<String, Dimension> keys = new LinkedHashMap<>();
        for (String name : List.of("entry", "contextSwitch", "coldStart", "message", "commit", "interrupt",
                "interprocessor", "resume", "fallback", "poll", "tick", "sourceLook")) {
            keys.put("kernel." + name, Dimension.TIME);
        }
        for (String name : List.of("mmioReadUc", "mmioReadWt", "mmioWrite", "postedWrite", "dmaRead", "dmaWrite",
                "msix", "coherentLine", "atomicOp", "sharedLine")) {
            keys.put("link." + name, Dimension.TIME);
        }
        keys.put("link.dmaBandwidth", Dimension.BANDWIDTH);
        keys.put("link.credits", Dimension.SIZE);
        for (String place : List.of("hostAgent", "nicAgent")) {
            for (String name : List.of("round", "message", "decision", "unschedule", "commit", "interrupt", "poll",
                    "restart")) {
                keys.put(place + "." + name, Dimension.TIME);
            }
        }
        keys.put("nicAgent.slowdown", Dimension.RATIO);
        keys.put("cpu.smtShare", Dimension.RATIO);
        keys.put("cpu.turboGain", Dimension.RATIO);
        for (String name : List.of("migration", "line", "interrupt")) {
            keys.put("socket." + name, Dimension.TIME);
        }
        keys.put("memory.fast", Dimension.TIME);
        keys.put("memory.slow", Dimension.TIME);
        return Collections.unmodifiableMap(keys);
    }

    private static Map<String, Dimension> interconnects() {
        Map<String, Dimension> keys = new LinkedHashMap<>();
        for (String place : List.of("eci", "cxl")) {
            for (String name : List.of("roundTrip", "receiveLine", "nextReceiveLine", "sendLine", "nextSendLine")) {
                keys.put(place + "." + name, Dimension.TIME);
            }
        }
        for (String name : List.of("roundTrip", "receive", "receiveWord", "send", "sendLine", "dmaRead", "dmaWrite",
                "doorbell", "interrupt")) {
            keys.put("pcie." + name, Dimension.TIME);
        }
        keys.put("pcie.dmaBandwidth", Dimension.BANDWIDTH);
        for (String name : List.of("interruptEntry", "wakeUp", "contextSwitch", "entry", "stack", "demultiplex",
                "unmarshal", "poll", "slice")) {
            keys.put("host." + name, Dimension.TIME);
        }
        for (String name : List.of("decode", "steer")) {
            keys.put("nic." + name, Dimension.TIME);
        }
        return Collections.unmodifiableMap(keys);
    }
}
