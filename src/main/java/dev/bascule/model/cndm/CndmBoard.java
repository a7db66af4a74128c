package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Board controller behind the mailbox: it is given the words of a command from the second on, and answers as many. */
@FunctionalInterface
interface CndmBoard {
    /** Words of a question, and of an answer. */
    int WORDS = MAILBOX_WORDS - 2;
    /** First word of the data, among them. */
    int DATA = BOARD_DATA - 2;

    int[] answer(int[] words);

    /** A board that knows its serial number and an address for each port, and nothing else. */
    static CndmBoard of(long macAddress, int ports) {
        return words -> {
            int[] answer = Arrays.copyOf(words, WORDS);
            int index = words[0] & 0xFFFF;
            int operation = words[0] >>> 16;
            byte[] data = new byte[(WORDS - DATA) * Integer.BYTES];
            answer[0] = index;
            if (operation == BOARD_SERIAL) {
                byte[] serial = "BASCULE-0001".getBytes(StandardCharsets.US_ASCII);
                System.arraycopy(serial, 0, data, 0, serial.length);
            } else if (operation == BOARD_MAC && index < ports) {
                for (int i = 0; i < 6; i++) {
                    data[2 + i] = (byte) (macAddress + index >>> 40 - 8 * i);
                }
            } else {
                answer[0] |= STATUS_UNSUPPORTED << 16;
            }
            for (int i = 0; i < data.length; i++) {
                int word = DATA + i / Integer.BYTES;
                int shift = i % Integer.BYTES * Byte.SIZE;
                answer[word] = answer[word] & ~(0xFF << shift) | (data[i] & 0xFF) << shift;
            }
            return answer;
        };
    }
}
