package dev.bascule.model.cndm.proto;

import static dev.bascule.nic.cndm.proto.ProtoRegisters.*;

import dev.bascule.device.DmaAccess;
import dev.bascule.model.Losses;
import dev.bascule.model.parts.PortDevice;
import dev.bascule.model.replay.Action;
import dev.bascule.model.replay.ObservedHost;
import dev.bascule.model.replay.PortReplay;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The device: BAR0 on one side, host memory, interrupts and wires on the other. Thread rule: one thread at a time. */
final class ProtoDevice extends PortDevice implements PortReplay.Device {
    private static final int PORT_BYTES = 0x10000;

    private final List<ProtoPort> ports;

    /** As after power-on; {@code observer} sees everything that it does, unless null. */
    ProtoDevice(int ports, DmaAccess memory, IntConsumer interrupts, Wires wires,
            @Nullable Consumer<Action> observer) {
        ObservedHost host = new ObservedHost(memory, observer);
        this.ports = IntStream.range(0, ports).mapToObj(port -> new ProtoPort(host, interrupts, wires, port)).toList();
    }

    private @Nullable ProtoPort at(int offset) {
        int port = offset / PORT_BYTES - 1;
        return port >= 0 && port < ports.size() ? ports.get(port) : null;
    }

    @Override
    public int read32(int offset) {
        ProtoPort port = at(offset);
        if (port != null) {
            return port.read(offset % PORT_BYTES);
        }
        return switch (offset) {
            case PORTS -> ports.size();
            case FIRST_PORT, PORT_STRIDE -> PORT_BYTES;
            default -> 0;
        };
    }

    @Override
    public void write32(int offset, int word, int mask) {
        ProtoPort port = at(offset);
        if (port != null) {
            port.write(offset % PORT_BYTES, word);
        }
    }

    @Override
    public void receive(int port, byte[] data, int offset, int lengthBytes) {
        ports.get(port).arrive(data, offset, lengthBytes);
    }

    @Override
    public boolean fits(int port, int lengthBytes) {
        return ports.get(port).fits(lengthBytes);
    }

    @Override
    public boolean hasRoom(int port, int lengthBytes) {
        return ports.get(port).hasRoom(lengthBytes);
    }

    @Override
    public int work(int budget) {
        int done = 0;
        int round;
        do {
            round = 0;
            for (int port = 0; port < ports.size(); port++) {
                round += ports.get(port).transmit() + ports.get(port).store();
            }
            done += round;
        } while (round != 0 && done < budget);
        return done;
    }

    Losses losses() {
        return ports.stream().map(ProtoPort::losses).reduce(Losses.NONE, Losses::plus);
    }

    @Override
    public void reset() {
        ports.forEach(ProtoPort::reset);
    }
}
