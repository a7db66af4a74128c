package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import java.util.Arrays;

/** Registers of a periodic output. It locks when enabled with a period; no pin is driven. */
final class PeriodicOutputBlock extends RegisterBlock {
    private static final int LENGTH = 0x40;
    private static final int ENABLE = 1;
    private static final int LOCKED = 1 << 16;

    private final int[] words = new int[LENGTH >> 2];

    PeriodicOutputBlock() {
        super(TYPE_PERIODIC_OUTPUT, VERSION_PERIODIC_OUTPUT, LENGTH);
    }

    @Override
    int readField(int offset) {
        if (offset != PERIODIC_OUTPUT_CONTROL) {
            return words[offset >> 2];
        }
        int control = words[offset >> 2] & ENABLE;
        boolean hasPeriod = false;
        for (int i = 0; i < 4; i++) {
            hasPeriod |= words[(PERIODIC_OUTPUT_PERIOD >> 2) + i] != 0;
        }
        return control != 0 && hasPeriod ? control | LOCKED : control;
    }

    @Override
    void writeField(int offset, int value, int lanes) {
        words[offset >> 2] = value;
    }

    @Override
    public void reset() {
        Arrays.fill(words, 0);
    }
}
