package dev.bascule.cli;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.Registers;
import dev.bascule.nic.smartnic.SmartNicRegisters;
import dev.bascule.nic.cndm.CndmRegisters;
import dev.bascule.nic.cndm.proto.ProtoRegisters;
import dev.bascule.nic.corundum.MqnicRegisters;
import dev.bascule.nic.edu.EduRegisters;
import dev.bascule.nic.ivshmem.IvshmemRegisters;
import java.util.LinkedHashMap;
import java.util.Map;

/** Registers by which a known device identifies itself; only reads without side effects. */
final class OwnRegisters {
    private OwnRegisters() {}

    static Map<String, String> of(DeviceBacking device) {
        Map<String, String> found = new LinkedHashMap<>();
        int vendor = device.info().vendorId();
        int id = device.info().deviceId();
        try {
            if (vendor == EduRegisters.VENDOR_ID && id == EduRegisters.DEVICE_ID) {
                put(found, device.registers(0), "identity", EduRegisters.IDENTITY);
                put(found, device.registers(0), "interrupt causes", EduRegisters.INTERRUPT_STATUS);
            } else if (vendor == IvshmemRegisters.VENDOR_ID && id == IvshmemRegisters.DEVICE_ID) {
                put(found, device.registers(IvshmemRegisters.REGISTER_BAR), "position", IvshmemRegisters.POSITION);
            } else if (vendor == SmartNicRegisters.VENDOR_ID && id == SmartNicRegisters.DEVICE_ID) {
                put(found, device.registers(0), "identity", SmartNicRegisters.IDENTITY);
                put(found, device.registers(0), "version", SmartNicRegisters.VERSION);
            } else if (vendor == CndmRegisters.VENDOR_ID && id == CndmRegisters.DEVICE_ID) {
                put(found, device.registers(0), "mailbox control", CndmRegisters.MAILBOX_CONTROL);
                put(found, device.registers(0), "clock seconds", CndmRegisters.CLOCK + 0x08);
            } else if (vendor == ProtoRegisters.VENDOR_ID && id == ProtoRegisters.DEVICE_ID) {
                put(found, device.registers(0), "ports", ProtoRegisters.PORTS);
                put(found, device.registers(0), "first port", ProtoRegisters.FIRST_PORT);
            } else if (id == MqnicRegisters.DEVICE_ID
                    && (vendor == MqnicRegisters.VENDOR_ID || vendor == MqnicRegisters.ALTERNATE_VENDOR_ID)) {
                corundum(found, device.registers(0));
            }
        } catch (DeviceException | IndexOutOfBoundsException e) {
            found.put("problem", String.valueOf(e.getMessage()));
        }
        return found;
    }

    /** The first register block: type, version, next, and its first words. Source: Corundum documentation. */
    private static void corundum(Map<String, String> found, Registers registers) {
        put(found, registers, "block type", 0x00);
        put(found, registers, "block version", 0x04);
        put(found, registers, "next block", 0x08);
        put(found, registers, "FPGA JTAG id", 0x0c);
        put(found, registers, "firmware id", 0x10);
        put(found, registers, "firmware version", 0x14);
        put(found, registers, "board id", 0x18);
        put(found, registers, "board version", 0x1c);
    }

    private static void put(Map<String, String> found, Registers registers, String name, long offset) {
        found.put(name, "0x%08x".formatted(registers.read32(offset)));
    }
}
