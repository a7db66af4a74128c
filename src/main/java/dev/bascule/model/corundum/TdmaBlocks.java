package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import java.util.Arrays;

/**
 * Registers of TDMA scheduling, behind a scheduler's block: drivers ignore them, a tool programs them. They store what
 * is written; no time slot is ever enforced.
 */
final class TdmaBlocks {
    private static final int TIMER_AT = 0x80;
    private static final int CONTROLLER_AT = 0x100;

    private TdmaBlocks() {}

    static void addTo(BlockWindow window, int slot, RegisterBlock scheduler, CorundumProfile profile) {
        boolean compact = profile == CorundumProfile.MAY_2024;
        RegisterBlock timer = window.addAfter(scheduler, slot + TIMER_AT, new Stored(TYPE_TDMA_TIMER,
                compact ? VERSION_TDMA_TIMER_MAY_2024 : VERSION_TDMA_TIMER_DECEMBER_2023, compact ? 0x30 : 0x60));
        window.addAfter(timer, slot + CONTROLLER_AT,
                new Stored(TYPE_TDMA_CONTROLLER, VERSION_TDMA_CONTROLLER, 0x20, 0, 0, 0, 0, 1));
    }

    private static final class Stored extends RegisterBlock {
        private final int[] initial;
        private final int[] words;

        Stored(int type, int version, int lengthBytes, int... initial) {
            super(type, version, lengthBytes);
            this.initial = Arrays.copyOf(initial, lengthBytes - BLOCK_FIRST_FIELD >> 2);
            words = this.initial.clone();
        }

        private static int index(int offset) {
            return offset - BLOCK_FIRST_FIELD >> 2;
        }

        @Override
        int readField(int offset) {
            return words[index(offset)];
        }

        @Override
        void writeField(int offset, int value, int lanes) {
            words[index(offset)] = RegisterWindow.merge(words[index(offset)], value, lanes);
        }

        @Override
        public void reset() {
            System.arraycopy(initial, 0, words, 0, words.length);
        }
    }
}
