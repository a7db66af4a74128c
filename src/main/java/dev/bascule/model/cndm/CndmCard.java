package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.Bar;
import dev.bascule.model.CountedWire;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.model.WiredCard;
import dev.bascule.model.parts.HostPort;
import dev.bascule.model.parts.PortFunction;
import dev.bascule.pci.ConfigSpaceBuilder;
import dev.bascule.ring.Clock;
import java.util.List;
import java.util.stream.IntStream;

/** A cndm card with a wire for each port, and a thread that moves frames. Thread rule: one lock, for all of it. */
public final class CndmCard extends WiredCard {
    private final CndmDevice device;
    private final PortFunction function;
    private final List<Arrival> sinks;

    /** A card whose ports are plugged into the wires, one for each, which are closed with it. */
    public CndmCard(CndmConfig config, List<CountedWire> wires) {
        this(config, wires, Clock.system());
    }

    /** A card in the time of {@code clock}, by which its clock runs and interrupts are spaced. */
    public CndmCard(CndmConfig config, List<CountedWire> wires, Clock clock) {
        this(config, wires, clock, new HostPort());
    }

    private CndmCard(CndmConfig config, List<CountedWire> wires, Clock clock, HostPort host) {
        this(config, wires, host, new CndmDevice(config, host, host::raise,
                (port, data, lengthBytes) -> wires.get(port).transmit(data, 0, lengthBytes), clock,
                config.macAddress() == 0 ? null : CndmBoard.of(config.macAddress(), config.ports()), null));
    }

    private CndmCard(CndmConfig config, List<CountedWire> wires, HostPort host, CndmDevice device) {
        this(wires, device, new PortFunction("cndm", config.ports(), wires.size(),
                new Bar(0, BAR0_BYTES, true, true, List.of()),
                () -> new ConfigSpaceBuilder(VENDOR_ID, DEVICE_ID, CLASS_CODE, 0)
                        .subsystem(config.boardId() >>> 16, config.boardId() & 0xFFFF)
                        .memoryBar(0, BAR0_BYTES, true, true).powerManagement().msi(INTERRUPTS).express().build(),
                host, device, config.timing() == ModelTiming.RTL));
    }

    private CndmCard(List<CountedWire> wires, CndmDevice device, PortFunction function) {
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
