package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

/**
 * The window to an Alveo board's management controller: an address, and the data there, which comes with the second read.
 * Of the controller's memory there is the list of Ethernet addresses.
 */
final class AlveoBmcBlock extends RegisterBlock {
    private static final int ADDRESSES = 8;

    private final long firstAddress;
    private int address;
    private int data;

    AlveoBmcBlock(long firstAddress) {
        super(TYPE_ALVEO_BMC, VERSION_ALVEO_BMC, 0x20);
        this.firstAddress = firstAddress;
    }

    @Override
    int readField(int offset) {
        if (offset != ALVEO_BMC_DATA) {
            return offset == ALVEO_BMC_ADDRESS ? address : 0;
        }
        int before = data;
        data = word();
        return before;
    }

    private int word() {
        int into = address - ALVEO_BMC_MAC_LIST;
        if (into < 0 || into >= 8 * ADDRESSES || into % 4 != 0) {
            return 0;
        }
        long station = firstAddress + into / 8;
        return (int) (into % 8 == 0 ? station >>> 32 : station);
    }

    @Override
    void writeField(int offset, int value, int lanes) {
        if (offset == ALVEO_BMC_ADDRESS) {
            address = value;
        }
    }

    @Override
    public void reset() {
        address = 0;
        data = 0;
    }
}
