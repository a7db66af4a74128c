package dev.bascule.nic.corundum;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Registers;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Command registers that are written on the data path: a store where the BAR can be mapped, else a register write. */
final class DoorbellRegister {
    private static final VarHandle INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private DoorbellRegister() {}

    static Doorbell at(DeviceBacking backing, long offset) {
        if (!backing.bar(0).isMappable(offset, Integer.BYTES)) {
            Registers bar = backing.registers(0);
            return command -> bar.write(offset, Integer.BYTES, command);
        }
        MemorySegment register = backing.memory(0, offset, Integer.BYTES);
        // release: the partner is the device, which reads descriptors after it has seen the command
        return command -> INT.setRelease(register, 0L, (int) command);
    }
}
