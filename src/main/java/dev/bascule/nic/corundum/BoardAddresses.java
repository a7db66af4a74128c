package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.Registers;
import dev.bascule.nic.MacAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ethernet addresses that the board has for its ports: on Alveo cards its management controller keeps a list. Boards that
 * keep theirs in an EEPROM behind I2C are not asked.
 */
final class BoardAddresses {
    private static final int MOST = 8;

    private BoardAddresses() {}

    /** Those of the board in their order; none if it has no list, or an empty one. */
    static List<MacAddress> read(Registers bar, RegisterBlocks blocks) {
        List<MacAddress> found = new ArrayList<>();
        @Nullable
        RegisterBlock block = blocks.find(TYPE_ALVEO_BMC, VERSION_ALVEO_BMC);
        for (int i = 0; block != null && i < MOST; i++) {
            int at = ALVEO_BMC_MAC_LIST + 8 * i;
            long high = load(bar, block.offset(), at) & 0xFFFF;
            long low = load(bar, block.offset(), at + 4) & 0xFFFFFFFFL;
            MacAddress address = new MacAddress(high << 32 | low);
            if (address.isStation()) {
                found.add(address);
            }
        }
        return List.copyOf(found);
    }

    /** The first read after a new address gives what was there before. */
    private static int load(Registers bar, long block, int address) {
        bar.write32(block + ALVEO_BMC_ADDRESS, address);
        bar.read32(block + ALVEO_BMC_DATA);
        return bar.read32(block + ALVEO_BMC_DATA);
    }
}
