package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SwapLineTest {
    private static final long SEED = SwapLine.hostSeed(5);
    private final SwapLine line = new SwapLine();

    private static SwapLine offer(int cell, int epoch, long n, long a) {
        HostState s = new HostState(cell);
        s.epoch = epoch;
        s.incarnation = 0xCAFE_BABE;
        s.load = 0xBEEF;
        s.n = n - 1;
        s.last = n - 1;
        s.add(a);
        int actions = HostMachine.offer(s, a, 0xABCD_EF01_2345L, Token.of(9, 2), 0x8001, 0, SwapLimits.DEFAULT);
        assertThat(SwapAction.show(actions)).isEqualTo("WRITE");
        return s.out;
    }

    @ParameterizedTest
    @CsvSource({ "1,1", "65535,4294967294", "16,4096", "15,4095", "32768,2147483648" })
    void aHostLineKeepsEveryField(int epoch, long n) {
        SwapLine out = offer(5, epoch, n, Token.of(-2, 0xFFFF));
        Line memory = SharedLines.line();
        out.write(memory);

        assertThat(line.readNewer(memory, epoch, n, SEED)).isTrue();
        assertThat(line.epoch()).isEqualTo(epoch);
        assertThat(line.n()).isEqualTo(n);
        assertThat(line.kind()).isEqualTo(SwapLine.OFFER);
        assertThat(line.cell()).isEqualTo(5);
        assertThat(line.last()).isEqualTo(n - 1);
        assertThat(line.offered()).isEqualTo(Token.of(-2, 0xFFFF));
        assertThat(line.offeredState()).isEqualTo(0xABCD_EF01_2345L);
        assertThat(line.recall()).isEqualTo(Token.of(9, 2));
        assertThat(line.windowNanos()).isEqualTo(SwapLimits.DEFAULT.windowNanos());
        assertThat(line.flags()).isEqualTo(0x8001);
        assertThat(line.hostIncarnation()).isEqualTo(0xCAFE_BABE);
        assertThat(line.load()).isEqualTo(0xBEEF);
    }

    @Test
    void everyWordCarriesTheTagOfItsSwap() {
        SwapLine out = offer(5, 0x123, 0x4567, Token.of(1, 1));
        for (long word : out.w) {
            assertThat(word >>> 48).isEqualTo(0x3567);
        }
    }

    @Test
    void oneFlippedBitAnywhereIsFound() {
        SwapLine out = offer(5, 3, 77, Token.of(1, 1));
        for (int bit = 0; bit < 512; bit++) {
            out.w[bit / 64] ^= 1L << bit % 64;
            assertThat(out.accepted(3, 77, SEED)).as("bit " + bit).isFalse();
            out.w[bit / 64] ^= 1L << bit % 64;
        }
        assertThat(out.accepted(3, 77, SEED)).isTrue();
    }

    @Test
    void severalFlippedBitsAreFound() {
        long seed = 20240607;
        Random random = new Random(seed);
        SwapLine out = offer(5, 3, 77, Token.of(1, 1));
        long[] clean = out.w.clone();
        for (int run = 0; run < 200_000; run++) {
            for (int flips = 2 + random.nextInt(6); flips > 0; flips--) {
                int bit = random.nextInt(512);
                out.w[bit / 64] ^= 1L << bit % 64;
            }
            boolean same = java.util.Arrays.equals(out.w, clean);
            assertThat(out.accepted(3, 77, SEED)).as("seed " + seed + " run " + run).isEqualTo(same);
            System.arraycopy(clean, 0, out.w, 0, 8);
        }
    }

    @Test
    void everyMixtureOfTwoOffersIsRefused() {
        long[] first = offer(5, 3, 77, Token.of(1, 1)).w.clone();
        long[] second = offer(5, 3, 78, Token.of(2, 1)).w.clone();
        for (int mask = 1; mask < 255; mask++) {
            mix(first, second, mask);
            assertThat(line.accepted(3, 77, SEED) || line.accepted(3, 78, SEED)).as("mask " + mask).isFalse();
        }
    }

    /** Same tags: only the digest keeps these apart. */
    @Test
    void everyMixtureOfHoldAndReflectOfOneSwapIsRefusedOrWhole() {
        AgentState agent = new AgentState(5, 3, 0xCAFE_BABE);
        assertThat(SwapAction.show(AgentMachine.line(agent, offer(5, 3, 77, Token.of(1, 1))))).isEqualTo("DECIDE");
        AgentMachine.hold(agent);
        long[] hold = agent.out.w.clone();
        AgentMachine.reflect(agent, Token.of(8, 1), 5, 6);
        long[] reflect = agent.out.w.clone();
        for (int mask = 0; mask < 256; mask++) {
            mix(hold, reflect, mask);
            boolean whole = java.util.Arrays.equals(line.w, hold) || java.util.Arrays.equals(line.w, reflect);
            assertThat(line.accepted(3, 77, SwapLine.agentSeed(5))).as("mask " + mask).isEqualTo(whole);
        }
    }

    private void mix(long[] first, long[] second, int mask) {
        for (int i = 0; i < 8; i++) {
            line.w[i] = (mask >> i & 1) == 0 ? first[i] : second[i];
        }
    }

    @Test
    void lineOfAnotherCellOrTheOtherDirectionIsRefused() {
        SwapLine out = offer(5, 3, 77, Token.of(1, 1));
        assertThat(out.accepted(3, 77, SwapLine.hostSeed(6))).isFalse();
        assertThat(out.accepted(3, 77, SwapLine.agentSeed(5))).isFalse();
    }

    @Test
    void anOldLineIsNotNewer() {
        Line memory = SharedLines.line();
        offer(5, 3, 77, Token.of(1, 1)).write(memory);
        assertThat(line.readNewer(memory, 3, 78, SEED)).isFalse();
        assertThat(line.readNewer(memory, 4, 0, SEED)).isFalse();
        assertThat(line.readNewer(memory, 3, 77, SEED)).isTrue();
    }

    @Test
    void zeroedMemoryIsNoLine() {
        assertThat(line.readNewer(SharedLines.line(), 0, 0, SEED)).isFalse();
    }

    @Test
    void swapsWhoseTagsRecurAreToldApartByWordZero() {
        Line memory = SharedLines.line();
        offer(5, 3, 77, Token.of(1, 1)).write(memory);
        assertThat(line.read(memory, 3, 77 + 4096, SEED)).isFalse();
        assertThat(line.read(memory, 3 + 16, 77, SEED)).isFalse();
    }
}
