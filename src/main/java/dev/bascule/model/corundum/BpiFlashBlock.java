package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

/**
 * A parallel flash, 16 bits wide, for reading: address, chip enable and output enable low, data. It tells what it is in
 * the words of the common flash interface (JEDEC JEP137, JESD68.01): query with 98, back to the array with FF or F0.
 */
final class BpiFlashBlock extends RegisterBlock {
    private static final int FORMAT = 0x00000001 | 0x00001000;
    private static final int CHIP_DESELECT = 1;
    private static final int OUTPUT_DISABLE = 1 << 1;
    private static final int WRITE_DISABLE = 1 << 2;
    private static final int QUERY = 0x98;
    private static final int READ_ARRAY = 0xFF;
    private static final int READ_ARRAY_TOO = 0xF0;
    private static final int BLOCK_BYTES = 1 << 16;
    private static final int STORED = 0x0001010F;
    private static final int RESET = 0xF;

    private final CorundumFlash flash;
    private int address;
    private int data;
    private int control = RESET;
    private boolean query;

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
        if (query) {
            return identification();
        }
        long at = (address & 0xFFFFFFFFL) * 2;
        return flash.byteAt(at) | flash.byteAt(at + 1) << 8;
    }

    /** One region of equal blocks, in whole powers of two; the command set is Intel's. */
    private int identification() {
        int sizeBits = 32 - Integer.numberOfLeadingZeros(Math.max(BLOCK_BYTES, flash.content().length) - 1);
        int blocks = (1 << sizeBits) / BLOCK_BYTES;
        return switch (address) {
            case 0x10 -> 'Q';
            case 0x11 -> 'R';
            case 0x12 -> 'Y';
            case 0x13 -> 1;
            case 0x27 -> sizeBits;
            case 0x2A -> 10; // a write buffer of 1 KiB
            case 0x2C -> 1;
            case 0x2D -> blocks - 1 & 0xFF;
            case 0x2E -> blocks - 1 >> 8;
            case 0x2F -> BLOCK_BYTES / 256 & 0xFF;
            case 0x30 -> BLOCK_BYTES / 256 >> 8;
            default -> 0;
        };
    }

    /** The flash takes a word when its write enable ends. */
    private void drive(int value) {
        boolean ends = (control & (CHIP_DESELECT | WRITE_DISABLE)) == 0 && (value & WRITE_DISABLE) != 0;
        control = value & STORED;
        if (ends && data == QUERY) {
            query = true;
        } else if (ends && (data == READ_ARRAY || data == READ_ARRAY_TOO)) {
            query = false;
        }
    }

    @Override
    void writeField(int offset, int value, int lanes) {
        switch (offset) {
            case BPI_FLASH_ADDRESS -> address = value;
            case BPI_FLASH_DATA -> data = value & 0xFFFF;
            case BPI_FLASH_CONTROL -> drive(value);
            default -> {
            }
        }
    }

    @Override
    public void reset() {
        address = 0;
        data = 0;
        control = RESET;
        query = false;
    }
}
