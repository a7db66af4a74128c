package dev.bascule.nic.cndm.proto;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Registers;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicDriver;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.RingCard;
import dev.bascule.nic.RingPorts;
import java.util.List;
import java.util.stream.IntStream;

/** The driver as commands find it: by the id of the card. */
public final class ProtoDriver implements NicDriver {
    private static final int MOST_PORTS = 8;

    /** Made by the service loader. */
    public ProtoDriver() {}

    @Override
    public String name() {
        return "cndm-proto";
    }

    @Override
    public boolean drives(int vendorId, int deviceId) {
        return vendorId == ProtoRegisters.VENDOR_ID && deviceId == ProtoRegisters.DEVICE_ID;
    }

    /** Takes the card over: asks how many ports it has, and ends what a program that was killed has left. */
    @Override
    public NicAdapter open(DeviceBacking backing) {
        Registers registers = backing.registers(0);
        int ports = registers.read32(ProtoRegisters.PORTS);
        if (ports == -1) {
            throw new DeviceRemovedException("open cndm-proto", backing.info().toString());
        }
        if (ports < 1 || ports > MOST_PORTS) {
            throw new DeviceFormatException("open cndm-proto", backing.info().toString(), "it has " + ports + " ports",
                    "use a design with 1 to " + MOST_PORTS + " ports");
        }
        int first = registers.read32(ProtoRegisters.FIRST_PORT);
        int stride = registers.read32(ProtoRegisters.PORT_STRIDE);
        List<ProtoPort> all = IntStream.range(0, ports)
                .mapToObj(number -> new ProtoPort(backing, number, first + stride * number)).toList();
        all.forEach(ProtoPort::halt);
        return NicAdapter.ofRings(name(), backing, new Ports(all));
    }

    /** The ports as {@link NicAdapter#ofRings} asks for them. */
    private record Ports(List<ProtoPort> all) implements RingPorts {
        @Override
        public int count() {
            return all.size();
        }

        @Override
        public RingCard port(int index, NicOptions options) {
            return all.get(index).open(options);
        }

        @Override
        public void check() {
            all.getFirst().check();
        }
    }
}
