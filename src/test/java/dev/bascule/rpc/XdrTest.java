package dev.bascule.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class XdrTest {
    /** The file of RFC 4506, section 7: name, kind, interpreter, owner, data. */
    private static final String FILE = "00000009 73696c6c7970726f67000000 00000002 00000004 6c697370"
            + " 00000004 6a6f686e 00000006 28717569742900 00";
    private static final List<ValueType> FILE_TYPES = List.of(ValueType.STRING, ValueType.INT, ValueType.STRING,
            ValueType.STRING, ValueType.OPAQUE);

    private static byte[] file() {
        return HexFormat.of().parseHex(FILE.replace(" ", ""));
    }

    private static String text(long[] words, int value) {
        byte[] bytes = new byte[ValueType.bytes(words[value])];
        Xdr.copyOut(words, ValueType.firstWord(words[value]), bytes.length, bytes, 0);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void theExampleOfTheStandardIsTakenApartAndPutTogether() {
        byte[] xdr = file();
        long[] words = new long[32];
        int bytes = Xdr.decode(FILE_TYPES, xdr, 0, xdr.length, words);
        assertThat(bytes).isPositive();
        assertThat(List.of(text(words, 0), text(words, 2), text(words, 3), text(words, 4)))
                .containsExactly("sillyprog", "lisp", "john", "(quit)");
        assertThat(words[1]).isEqualTo(2);
        byte[] back = new byte[xdr.length];
        assertThat(Xdr.encode(FILE_TYPES, words, bytes, back, 0, back.length)).isEqualTo(xdr.length);
        assertThat(back).isEqualTo(xdr);
    }

    @Test
    void whatIsTooShortTooLongOrDoesNotFitIsNoValue() {
        byte[] xdr = Arrays.copyOf(file(), file().length + 4);
        long[] words = new long[32];
        for (int length = 0; length < xdr.length; length++) {
            boolean whole = length == file().length;
            assertThat(Xdr.decode(FILE_TYPES, xdr, 0, length, words) > 0).as("%d bytes", length).isEqualTo(whole);
        }
        assertThat(Xdr.decode(FILE_TYPES, xdr, 0, file().length, new long[9])).isEqualTo(Xdr.BAD);
        assertThat(Xdr.decode(List.of(ValueType.BOOL), new byte[] { 0, 0, 0, 2 }, 0, 4, words)).isEqualTo(Xdr.BAD);
        byte[] huge = { 0x7f, -1, -1, -1, 0, 0, 0, 0 };
        assertThat(Xdr.decode(List.of(ValueType.OPAQUE), huge, 0, 8, words)).isEqualTo(Xdr.BAD);
    }

    @Test
    void randomValuesComeBackAsTheyWere() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 2_000; round++) {
            List<ValueType> types = new ArrayList<>();
            for (int i = random.nextInt(8); i > 0; i--) {
                types.add(ValueType.values()[random.nextInt(ValueType.values().length)]);
            }
            long[] words = new long[256];
            int bytes = fill(types, words, random);
            byte[] xdr = new byte[2048];
            int length = Xdr.encode(types, words, bytes, xdr, 4, xdr.length - 4);
            long[] again = new long[256];
            assertThat(Xdr.decode(types, xdr, 4, length, again)).as("seed %d, %s", seed, types).isEqualTo(bytes);
            assertThat(again).as("seed %d, %s", seed, types).isEqualTo(words);
        }
    }

    private static int fill(List<ValueType> types, long[] words, SplittableRandom random) {
        int free = types.size();
        for (int i = 0; i < types.size(); i++) {
            long value = random.nextLong();
            switch (types.get(i)) {
                case INT -> words[i] = (int) value;
                case FLOAT -> words[i] = value & 0xffff_ffffL;
                case BOOL -> words[i] = value & 1;
                case LONG, DOUBLE -> words[i] = value;
                default -> {
                    byte[] bytes = new byte[random.nextInt(100)];
                    random.nextBytes(bytes);
                    words[i] = ValueType.reference(free, bytes.length);
                    Xdr.copyIn(bytes, 0, bytes.length, words, free);
                    free += Xdr.words(bytes.length);
                }
            }
        }
        return free * Long.BYTES;
    }

    @Test
    void wordsThatReferOutsideAreNotPutTogether() {
        List<ValueType> types = List.of(ValueType.STRING);
        byte[] into = new byte[64];
        for (long reference : new long[] { ValueType.reference(0, 1), ValueType.reference(2, 1),
                ValueType.reference(1, 9), ValueType.reference(1, -1), ValueType.reference(-1, 4),
                ValueType.reference(Integer.MAX_VALUE, Integer.MAX_VALUE) }) {
            assertThat(Xdr.encode(types, new long[] { reference, 0 }, 16, into, 0, 64)).isEqualTo(Xdr.BAD);
        }
        assertThat(Xdr.encode(types, new long[] { ValueType.reference(1, 8), 0 }, 16, into, 0, 11))
                .as("no room").isEqualTo(Xdr.BAD);
    }
}
