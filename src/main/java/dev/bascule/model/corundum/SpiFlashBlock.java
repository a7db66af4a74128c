package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

/**
 * A bit-banged serial flash: commands read identification (9F), read status (05), read (03, 4-byte 13) and fast read (0B,
 * 4-byte 0C), one data line each way. Writing and erasing are not there, nor is a second flash: the data bits that nothing
 * is attached to read 0, by which the upstream tools find how wide it is.
 */
final class SpiFlashBlock extends RegisterBlock {
    private static final int FORMAT = 0x00000001 | 0x00001000;
    private static final int DATA_OUT = 1; // D0, to the flash
    private static final int DATA_IN_SHIFT = 1; // D1, from it
    private static final int CLOCK = 1 << 16;
    private static final int DESELECT = 1 << 17;
    private static final int STORED = 0x00030F0F;
    private static final int RESET = DESELECT;
    private static final int READ_IDENTIFICATION = 0x9F;
    private static final int READ_STATUS = 0x05;
    private static final int READ = 0x03;
    private static final int READ_4 = 0x13;
    private static final int FAST_READ = 0x0B;
    private static final int FAST_READ_4 = 0x0C;
    private static final int MANUFACTURER = 0x20;
    private static final int MEMORY_TYPE = 0xBB;
    private static final int SMALLEST_BITS = 16;

    private final CorundumFlash flash;
    private final int[] identification;
    private int control = RESET;
    private int otherControl = RESET;
    private int shiftIn;
    private int bits;
    private int bytes;
    private int command;
    private long address;
    private int shiftOut;
    private int dataIn = 1;

    SpiFlashBlock(CorundumFlash flash) {
        super(TYPE_SPI_FLASH, VERSION_SPI_FLASH, 0x20);
        this.flash = flash;
        identification = new int[] { MANUFACTURER, MEMORY_TYPE, capacity(flash) };
    }

    /** As large as the file, in whole powers of two: log2 of the bytes less 6, in two decimal digits. */
    private static int capacity(CorundumFlash flash) {
        int bits = Math.max(SMALLEST_BITS, CorundumConfig.log2(flash.content().length));
        return (bits - 6) / 10 << 4 | (bits - 6) % 10;
    }

    @Override
    int readField(int offset) {
        return switch (offset) {
            case FLASH_FORMAT -> FORMAT;
            case SPI_FLASH_CONTROL_0 ->
                control & ~0xF | control & DATA_OUT | dataIn << DATA_IN_SHIFT;
            case SPI_FLASH_CONTROL_1 -> otherControl & ~0xF;
            default -> 0;
        };
    }

    @Override
    void writeField(int offset, int value, int lanes) {
        if (offset == SPI_FLASH_CONTROL_1) {
            otherControl = value & STORED;
        } else if (offset == SPI_FLASH_CONTROL_0) {
            int before = control;
            control = value & STORED;
            drive(before);
        }
    }

    private void drive(int before) {
        if ((control & DESELECT) != 0) {
            bits = 0;
            bytes = 0;
            dataIn = 1;
        } else if ((before & CLOCK) == 0 && (control & CLOCK) != 0) {
            shiftIn = shiftIn << 1 | control & DATA_OUT;
            if (++bits == 8) {
                bits = 0;
                byteDone(shiftIn & 0xFF);
            }
        } else if ((before & CLOCK) != 0 && (control & CLOCK) == 0) {
            dataIn = shiftOut >> 7 & 1;
            shiftOut <<= 1;
        }
    }

    /** A byte went in; decides which one comes out next. */
    private void byteDone(int value) {
        int position = bytes++;
        if (position == 0) {
            command = value;
            address = 0;
        } else if (position <= addressBytes()) {
            address = address << 8 | value;
        }
        shiftOut = nextOut();
    }

    private int addressBytes() {
        return switch (command) {
            case READ, FAST_READ -> 3;
            case READ_4, FAST_READ_4 -> 4;
            default -> 0;
        };
    }

    private int nextOut() {
        return switch (command) {
            case READ_IDENTIFICATION -> identification[(bytes - 1) % identification.length];
            case READ_STATUS -> 0;
            case READ, READ_4 -> dataAt(1 + addressBytes());
            case FAST_READ, FAST_READ_4 -> dataAt(2 + addressBytes());
            default -> 0xFF;
        };
    }

    private int dataAt(int headerBytes) {
        return bytes < headerBytes ? 0xFF : flash.byteAt(address + bytes - headerBytes);
    }

    @Override
    public void reset() {
        control = RESET;
        otherControl = RESET;
        bits = 0;
        bytes = 0;
        dataIn = 1;
    }
}
