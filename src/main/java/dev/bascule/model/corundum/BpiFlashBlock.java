package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

/** A parallel flash, 16 bits wide, read array mode only: address, chip enable and output enable low, data. */
final class BpiFlashBlock extends RegisterBlock {
    private static final int FORMAT = 0x00000001 | 0x00001000;
    private static final int CHIP_DESELECT = 1;
    private static final int OUTPUT_DISABLE = 1 << 1;
    private static final int STORED = 0x0001010F;
    private static final int RESET = 0xF;

    private final CorundumFlash flash;
    private int address;
    private int data;
    private int control = RESET;

    BpiFlashBlock(CorundumFlash flash) {
        super(TYPE_BPI_FLASH, VERSION_BPI_FLASH, 0x20);
        this.flash = flash;
    }

    @Override
    int readField(int offset) {
        return switch (offset) {
            case FLASH_FORMAT -> FORMAT;
            case BPI_FLASH_ADDRESS -> address;
            case BPI_FLASH_DATA -> (control & (CHIP_DESELECT | OUTPUT_DISABLE)) == 0 ? word() : data;
            case BPI_FLASH_CONTROL -> control;
            default -> 0;
        };
    }

    private int word() {
        long at = (address & 0xFFFFFFFFL) * 2;
        return flash.byteAt(at) | flash.byteAt(at + 1) << 8;
    }

    @Override
    void writeField(int offset, int value, int lanes) {
        switch (offset) {
            case BPI_FLASH_ADDRESS -> address = value;
            case BPI_FLASH_DATA -> data = value & 0xFFFF;
            case BPI_FLASH_CONTROL -> control = value & STORED;
            default -> {
            }
        }
    }

    @Override
    public void reset() {
        address = 0;
        data = 0;
        control = RESET;
    }
}
