package dev.bascule.config;

import java.util.List;
import java.util.Map;

/** Makes the records out of checked values; what is missing gets the schema's default. */
final class ConfigBuilder {
    private ConfigBuilder() {}

    static HardwareConfig build(String name, Map<String, Object> values) {
        return new HardwareConfig(name, (DeviceKind) valueOrDefault(values, "kind"),
                (String) valueOrDefault(values, "description"),
                link(values),
                new HardwareConfig.Queues(count(values, "queues.channelEntries"),
                        count(values, "queues.stagedDecisions")),
                new HardwareConfig.Watchdog(whole(values, "watchdog.softWindow"),
                        whole(values, "watchdog.hardLimit")),
                new HardwareConfig.Optimisations(on(values, "writeCombining"), on(values, "writeThrough"),
                        on(values, "prestage"), on(values, "prefetch"), on(values, "batch")),
                device(values),
                new HardwareConfig.Enso(count(values, "enso.pipeRingFlits"),
                        count(values, "enso.notificationRingEntries"), count(values, "enso.inflightEntries"),
                        (Boolean) valueOrDefault(values, "enso.perPacketNotification"),
                        (Boolean) valueOrDefault(values, "enso.hugepages"), words(values, "enso.boardTool")),
                rdma(values), CardBuilder.build(values), ModelTiming.of(text(values, "timing")));
    }

    private static List<String> words(Map<String, Object> values, String path) {
        return ((List<?>) valueOrDefault(values, path)).stream().map(String.class::cast).toList();
    }

    private static HardwareConfig.Rdma rdma(Map<String, Object> values) {
        return new HardwareConfig.Rdma(text(values, "rdma.device"), count(values, "rdma.port"),
                count(values, "rdma.gidIndex"), count(values, "rdma.trafficClass"), whole(values, "rdma.stallLimit"),
                text(values, "rdma.name"), text(values, "rdma.peer"), text(values, "rdma.secretFile"));
    }

    private static HardwareConfig.Device device(Map<String, Object> values) {
        String ids = text(values, "device.ids").strip();
        return new HardwareConfig.Device(ids.isEmpty() ? List.of() : List.of(ids.split("\\s+")),
                text(values, "device.driver"), text(values, "device.seen"));
    }

    static String text(Map<String, Object> values, String path) {
        return (String) valueOrDefault(values, path);
    }

    private static LinkConfig link(Map<String, Object> values) {
        List<Constant> c = Schema.LINK_NAMES.stream().map(n -> (Constant) valueOrDefault(values, "link." + n)).toList();
        return new LinkConfig(c.get(0), c.get(1), c.get(2), c.get(3), c.get(4), c.get(5), c.get(6), c.get(7), c.get(8));
    }

    /** The value read, or the default of the schema. */
    static Object valueOrDefault(Map<String, Object> values, String path) {
        Object value = values.get(path);
        return value != null ? value : defaultOf(path);
    }

    private static Object defaultOf(String path) {
        Key key = Schema.KEYS.get(path);
        if (key == null) {
            throw new IllegalArgumentException("no such key: " + path);
        }
        try {
            return switch (key.type()) {
                case WORD -> throw new IllegalStateException(path + " has no default");
                case TEXT, CHOICE -> key.fallback();
                case LIST -> List.of();
                case SWITCH -> Boolean.valueOf(key.fallback());
                case COUNT, NUMBER -> Long.valueOf(key.fallback());
                case BYTES -> Quantity.parse(key.fallback(), Quantity.BYTE_UNITS);
                case DURATION -> Quantity.parse(key.fallback(), Quantity.DURATION_UNITS);
                case CONSTANT -> Constant.chosen(Quantity.parse(key.fallback(), Quantity.DURATION_UNITS));
            };
        } catch (Quantity.Malformed e) {
            throw new IllegalStateException("default of " + path, e);
        }
    }

    static long whole(Map<String, Object> values, String path) {
        return (Long) valueOrDefault(values, path);
    }

    static int count(Map<String, Object> values, String path) {
        return Math.toIntExact(whole(values, path));
    }

    private static boolean on(Map<String, Object> values, String name) {
        return (Boolean) valueOrDefault(values, "optimisations." + name);
    }
}
