package dev.bascule.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Devices of a streaming fabric and the graph that items take through them, as somebody wrote it down: words and numbers,
 * not yet checked against what the devices can do. Read by {@link FabricConfigs}.
 *
 * @param file where it stands, for messages
 * @param name of the graph
 * @param devices by name, in order
 * @param nodes by name, in order
 * @param edges in order, which is their priority
 * @param denied pairs of devices of which the first may not reach the second
 */
public record FabricConfig(String file, @Key(type = ValueType.PLAIN, fallback = "graph") String name,
        @Key Map<String, Device> devices, @Key Map<String, Node> nodes, @Key(required = true) List<Edge> edges,
        @Key(value = "deny", type = ValueType.ARROWS) List<Edge> denied) {
    /**
     * A place in the file.
     *
     * @param line counted from 1; 0 for what no file holds
     * @param column counted from 1
     */
    public record Place(int line, int column) {
        /** Of what was built by a program. */
        public static final Place NONE = new Place(0, 0);
    }

    /**
     * A device.
     *
     * @param place where
     * @param kind such as {@code nic} or {@code crypto}
     * @param settings of its kind, by key
     */
    public record Device(Place place, @Key(type = ValueType.PLAIN, required = true) String kind,
            @Key Map<String, String> settings) {
        /** Keeps a copy. */
        public Device {
            settings = Map.copyOf(settings);
        }
    }

    /**
     * One device's part in the graph.
     *
     * @param place where
     * @param device its name
     * @param action what it does, such as {@code open}
     * @param settings by key
     */
    public record Node(Place place, @Key(type = ValueType.PLAIN, required = true) String device,
            @Key(value = "do", type = ValueType.PLAIN, required = true) String action,
            @Key Map<String, String> settings) {
        /** Keeps a copy. */
        public Node {
            settings = Map.copyOf(settings);
        }
    }

    /**
     * A way from one to another.
     *
     * @param place where
     * @param from name of a node, or of a device in {@link FabricConfig#denied}
     * @param to the same
     * @param when condition, such as {@code u8 at 42 == 3}; empty: always
     * @param rewrite what happens to the item's headers; empty: nothing
     * @param isCopy whether a copy goes this way, and the item another
     */
    public record Edge(Place place, @Key(type = ValueType.PLAIN, required = true) String from,
            @Key(type = ValueType.PLAIN, required = true) String to, @Key(type = ValueType.PLAIN) String when,
            @Key(type = ValueType.PLAIN) String rewrite,
            @Key(value = "copy", words = { "false", "true" }) boolean isCopy) {}

    /** Keeps copies, in order. */
    public FabricConfig {
        devices = Collections.unmodifiableMap(new LinkedHashMap<>(devices));
        nodes = Collections.unmodifiableMap(new LinkedHashMap<>(nodes));
        edges = List.copyOf(edges);
        denied = List.copyOf(denied);
    }

    /** A problem at a place of this file. */
    public ConfigProblem problem(Place place, String message) {
        return new ConfigProblem(file, place.line(), place.column(), message);
    }
}
