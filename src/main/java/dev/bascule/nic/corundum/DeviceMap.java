package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceInfo;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Registers;
import java.util.ArrayList;
import java.util.List;

/**
 * Parts of a whole device, as its register blocks describe them. Nothing but the start of the first list is taken for
 * granted.
 *
 * @param device its name, for messages
 * @param blocks the device's own list
 * @param interfaces all interfaces
 */
record DeviceMap(String device, RegisterBlocks blocks, List<InterfaceMap> interfaces) {
    private static final int MOST_INTERFACES = 8;

    static DeviceMap read(Registers bar, DeviceInfo info) {
        String device = info.toString();
        boolean known = (info.vendorId() == VENDOR_ID || info.vendorId() == ALTERNATE_VENDOR_ID)
                && info.deviceId() == DEVICE_ID;
        if (!known) {
            throw new DeviceFormatException("recognise a Corundum NIC", device, "this driver knows %04x:%04x and"
                    .formatted(VENDOR_ID, DEVICE_ID) + " %04x:%04x".formatted(ALTERNATE_VENDOR_ID, DEVICE_ID),
                    "name another device; bascule devices lists those of this machine");
        }
        if (bar.read32(BLOCK_VERSION) == -1) {
            throw new DeviceRemovedException("read register blocks", device);
        }
        RegisterBlocks blocks = RegisterBlocks.read(bar, device, 0, 0, bar.sizeBytes());
        blocks.require("firmware ID", TYPE_FIRMWARE_ID, VERSION_FIRMWARE_ID);
        long at = blocks.require("interfaces", TYPE_INTERFACES, VERSION_INTERFACES).offset();
        long first = bar.read32(at + INTERFACES_OFFSET) & 0xFFFFFFFFL;
        int count = bar.read32(at + INTERFACES_COUNT);
        long stride = bar.read32(at + INTERFACES_STRIDE) & 0xFFFFFFFFL;
        long csr = bar.read32(at + INTERFACES_CSR_OFFSET) & 0xFFFFFFFFL;
        if (count < 1 || count > MOST_INTERFACES || first + count * stride > bar.sizeBytes()
                || csr + RegisterBlocks.LONGEST_BLOCK > stride) {
            throw RegisterBlocks.refuse(device, "%d interfaces of 0x%x bytes do not fit into BAR 0".formatted(count,
                    stride));
        }
        List<InterfaceMap> interfaces = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            interfaces.add(InterfaceMap.read(bar, device, i, first + i * stride, csr, stride));
        }
        return new DeviceMap(device, blocks, List.copyOf(interfaces));
    }

    /** Ports of all interfaces. */
    int ports() {
        return interfaces.stream().mapToInt(one -> one.ports().size()).sum();
    }
}
