package dev.bascule.model.cndm.proto;

import static dev.bascule.nic.cndm.proto.ProtoRegisters.*;

import dev.bascule.device.Bar;
import dev.bascule.model.CountedWire;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.model.WiredCard;
import dev.bascule.model.parts.HostPort;
import dev.bascule.model.parts.PortFunction;
import dev.bascule.pci.ConfigSpaceBuilder;
import java.util.List;
import java.util.stream.IntStream;

/** A teaching card with a port for each wire, and a thread that moves frames. Thread rule: one lock, for all of it. */
public final class ProtoCard extends WiredCard {
    private final ProtoDevice device;
    private final PortFunction function;
    private final List<Arrival> sinks;

    /** A card whose ports are plugged into the wires, one for each, which are closed with it. */
    public ProtoCard(List<CountedWire> wires) {
        this(wires, new HostPort());
    }

    private ProtoCard(List<CountedWire> wires, HostPort host) {
        this(wires, host, new ProtoDevice(wires.size(), host, host::raise,
                (port, data, lengthBytes) -> wires.get(port).transmit(data, 0, lengthBytes), null));
    }

    private ProtoCard(List<CountedWire> wires, HostPort host, ProtoDevice device) {
        this(wires, device, new PortFunction("cndm-proto", wires.size(), wires.size(),
                new Bar(0, BAR0_BYTES, true, true, List.of()),
                () -> new ConfigSpaceBuilder(VENDOR_ID, DEVICE_ID, CLASS_CODE, 0).memoryBar(0, BAR0_BYTES, true, true)
                        .powerManagement().msi(INTERRUPTS).express().build(),
                host, device, false));
    }

    private ProtoCard(List<CountedWire> wires, ProtoDevice device, PortFunction function) {
        super(function.locked(), wires);
        this.device = device;
        this.function = function;
        sinks = IntStream.range(0, wires.size()).mapToObj(port -> new Arrival(function, port)).toList();
    }

    @Override
    protected int work() {
        return function.work(port -> arrivals(port, sinks.get(port)));
    }

    /** Frames lost so far, and those that wires refused. */
    @Override
    public Losses losses() {
        return function.ask(device::losses).plus(lostOnWire());
    }

    private record Arrival(PortFunction function, int port) implements WireEnd.FrameSink {
        @Override
        public void frame(byte[] data, int offset, int lengthBytes) {
            function.frame(port, data, offset, lengthBytes);
        }

        @Override
        public boolean offer(byte[] data, int offset, int lengthBytes) {
            return function.offer(port, data, offset, lengthBytes);
        }
    }
}
