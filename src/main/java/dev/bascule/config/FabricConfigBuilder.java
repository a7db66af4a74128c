package dev.bascule.config;

import dev.bascule.config.FabricConfig.Device;
import dev.bascule.config.FabricConfig.Edge;
import dev.bascule.config.FabricConfig.Node;
import dev.bascule.config.FabricConfig.Place;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts a fabric's devices and graph together in a program, with the words of the file's form: what {@link #build} gives is
 * what {@link FabricConfigs} would read. One thread at a time. Errors: {@link IllegalArgumentException} for a name that is
 * there already; everything else is found where the graph is compiled, as for a file.
 */
public final class FabricConfigBuilder {
    private final String name;
    private final Map<String, Device> devices = new LinkedHashMap<>();
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final List<Edge> edges = new ArrayList<>();
    private final List<Edge> denied = new ArrayList<>();

    /** Begins a graph of this name, without devices. */
    public FabricConfigBuilder(String name) {
        this.name = name;
    }

    /** A device of a kind, such as {@code crypto}, with the kind's settings, such as {@code gbps}. */
    public FabricConfigBuilder device(String device, String kind, Map<String, String> settings) {
        return added(devices.putIfAbsent(device, new Device(Place.NONE, kind, settings)) == null, "device", device);
    }

    /** A device's part: what it does, such as {@code open}, with the action's settings, such as {@code offset}. */
    public FabricConfigBuilder node(String node, String device, String action, Map<String, String> settings) {
        return added(nodes.putIfAbsent(node, new Node(Place.NONE, device, action, settings)) == null, "node", node);
    }

    private FabricConfigBuilder added(boolean isNew, String what, String called) {
        if (!isNew) {
            throw new IllegalArgumentException("fabric '" + name + "': two " + what + "s of the name '" + called
                    + "'; rename one");
        }
        return this;
    }

    /** A way that every item takes which no way before it has taken. */
    public FabricConfigBuilder edge(String from, String to) {
        return edge(from, to, "", "");
    }

    /** A way under a condition, such as {@code u8 at 42 == 3}, with a change of headers, such as {@code udp-reply}; each may be empty. */
    public FabricConfigBuilder edge(String from, String to, String when, String rewrite) {
        edges.add(new Edge(Place.NONE, from, to, when, rewrite, false));
        return this;
    }

    /** A way that a copy takes, under a condition or, where it is empty, always. */
    public FabricConfigBuilder copy(String from, String to, String when, String rewrite) {
        edges.add(new Edge(Place.NONE, from, to, when, rewrite, true));
        return this;
    }

    /** The first device may not reach the second, whatever the edges say. */
    public FabricConfigBuilder deny(String from, String to) {
        denied.add(new Edge(Place.NONE, from, to, "", "", false));
        return this;
    }

    /** The graph so far. */
    public FabricConfig build() {
        return new FabricConfig(name, name, devices, nodes, edges, denied);
    }
}
