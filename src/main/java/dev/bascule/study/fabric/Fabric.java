package dev.bascule.study.fabric;

import dev.bascule.device.DeviceModel;
import dev.bascule.study.Events;
import dev.bascule.study.fabric.AddressMap.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A PCIe switch with a host and devices, and the streams between them. Every message goes up its port's link, through the
 * switch's stages, and down another port's link; posted writes of a port arrive in their order.
 */
public final class Fabric {
    private final FabricCosts costs;
    private final Events time = new Events();
    private final Traffic traffic = new Traffic();
    private final Audit audit = new Audit();
    private final Access access = new Access();
    private final AddressMap addresses = new AddressMap();
    private final List<Port> ports = new ArrayList<>();
    private final HostPort host;
    private final SwitchPort inside;
    private final Streams streams;

    /** Receiver of a read's answer. */
    @FunctionalInterface
    interface Answer {
        /** The bytes; null if nobody answers. */
        void arrived(byte @Nullable [] data);
    }

    /**
     * A switch with a host.
     *
     * @param hostBytes host memory
     * @param limits of the streams
     */
    public Fabric(FabricCosts costs, int hostBytes, StreamLimits limits) {
        this.costs = costs;
        host = new HostPort(this, hostBytes);
        inside = new SwitchPort(this);
        ports.add(host);
        addresses.put(0, hostBytes, host, host.memory());
        streams = new Streams(this, limits);
    }

    /** Costs of transfers. */
    public FabricCosts costs() {
        return costs;
    }

    /** The clock. */
    public Events time() {
        return time;
    }

    /** Traffic so far. */
    public Traffic traffic() {
        return traffic;
    }

    /** Refusals so far. */
    public Audit audit() {
        return audit;
    }

    /** Rights of who may write to whom. */
    public Access access() {
        return access;
    }

    /** The streams. */
    public Streams streams() {
        return streams;
    }

    /** The host, in port 0. */
    public HostPort host() {
        return host;
    }

    /** All ports by number. */
    public List<Port> ports() {
        return List.copyOf(ports);
    }

    /** The port of this name. */
    public Optional<Port> port(String name) {
        return ports.stream().filter(port -> port.name().equals(name)).findFirst();
    }

    /**
     * Plugs in a device that takes and gives streams.
     *
     * @param inputBytes its input buffer
     * @param lanes items that it works on at a time
     */
    public StreamPort plug(String name, Accelerator accelerator, int inputBytes, int lanes) {
        StreamPort port = new StreamPort(this, ports.size(), unused(name), accelerator, inputBytes, lanes);
        ports.add(port);
        return port;
    }

    /** Plugs in an accelerator that takes commands from a ring in memory; {@code lanes} of them at a time. */
    public RingPort plugRing(String name, Accelerator accelerator, int lanes) {
        RingPort port = new RingPort(this, ports.size(), unused(name), accelerator, lanes);
        ports.add(port);
        port.map(addresses);
        return port;
    }

    /** Plugs in the model of a PCI function, with all its BARs. */
    public FunctionPort plugFunction(String name, DeviceModel model) {
        FunctionPort port = new FunctionPort(this, ports.size(), unused(name), model);
        ports.add(port);
        port.map(addresses);
        return port;
    }

    private String unused(String name) {
        if (port(name).isPresent()) {
            throw new IllegalArgumentException("two devices with the name '" + name + "'; give each its own");
        }
        return name;
    }

    /** Memory of the switch's own that devices reach, for what it drives in the CPU's place. */
    Range addMemory(long sizeBytes, Target target) {
        return addresses.add(sizeBytes, inside, target);
    }

    /** A posted write that a port has ready at {@code ready}. The bytes are copied. */
    void write(Port from, long ready, long address, byte[] data, int offset, int lengthBytes, Traffic.Kind kind) {
        if (from.isRemoved()) {
            return;
        }
        byte[] copy = Arrays.copyOfRange(data, offset, offset + lengthBytes);
        long atSwitch = from.up().send(ready, lengthBytes);
        time.at(atSwitch + costs.pipelinePs(), _ -> route(from, ready, address, copy, kind));
    }

    private void route(Port from, long ready, long address, byte[] data, Traffic.Kind kind) {
        if (Streams.isWindow(address)) {
            streams.pushed(from, ready, address, data);
            return;
        }
        Range range = permitted(from, address, data.length);
        if (range != null) {
            traffic.count(from.name(), range.port().name(), kind, data.length);
            time.at(arrival(range.port(), data.length), _ -> {
                if (!range.port().isRemoved()) {
                    range.target().write(address - range.base(), data);
                }
            });
        }
    }

    /** When what is at the switch now is at the port's device. */
    private long arrival(Port to, int lengthBytes) {
        return to instanceof SwitchPort ? time.now() : to.down().send(time.now(), lengthBytes);
    }

    /** The range, if the port may reach it; else the refusal is in the audit. */
    @Nullable
    Range permitted(Port from, long address, int lengthBytes) {
        Range range = addresses.find(address, lengthBytes);
        Audit.Reason reason = range == null
                ? Audit.Reason.NO_TARGET
                : range.port().isRemoved()
                        ? Audit.Reason.REMOVED
                        : access.permits(from, range.port(), address, lengthBytes) ? null : Audit.Reason.FORBIDDEN;
        if (reason != null) {
            audit.refused(time.now(), from.name(), "0x" + Long.toHexString(address), reason);
            return null;
        }
        return range;
    }

    /** A read that a port asks for at {@code ready}; the answer comes a round trip later. */
    void read(Port from, long ready, long address, int lengthBytes, Traffic.Kind kind, Answer answer) {
        if (from.isRemoved()) {
            return;
        }
        long atSwitch = from.up().send(ready, 0);
        time.at(atSwitch + costs.pipelinePs(), _ -> {
            Range range = permitted(from, address, lengthBytes);
            if (range == null) {
                time.at(from.down().send(time.now(), 0), _ -> answer.arrived(null));
                return;
            }
            traffic.count(from.name(), range.port().name(), kind, lengthBytes);
            time.at(arrival(range.port(), 0), _ -> answered(from, range, address, lengthBytes, answer));
        });
    }

    private void answered(Port from, Range range, long address, int lengthBytes, Answer answer) {
        byte[] data = range.port().isRemoved() ? null : new byte[lengthBytes];
        if (data != null) {
            range.target().read(address - range.base(), data, 0, lengthBytes);
        }
        long atSwitch = range.port() instanceof SwitchPort
                ? time.now()
                : range.port().up().send(time.now(), lengthBytes);
        time.at(atSwitch + costs.pipelinePs(),
                _ -> time.at(from.down().send(time.now(), lengthBytes), _ -> answer.arrived(data)));
    }

    /** A write of the switch itself to a device, such as an adapter's doorbell. */
    void writeFromSwitch(Port to, Target target, long offset, byte[] data, Traffic.Kind kind) {
        traffic.count(SwitchPort.NAME, to.name(), kind, data.length);
        time.at(to.down().send(time.now(), data.length), _ -> {
            if (!to.isRemoved()) {
                target.write(offset, data);
            }
        });
    }
}
