package dev.bascule.agent.region;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToldOutcomesTest {
    @Test
    void whatIsCompleteIsTold() {
        ToldOutcomes told = new ToldOutcomes(2);
        int count = 0;
        for (int number = 1; number <= 1000; number++) {
            told.settled(number, true);
            count = ToldOutcomes.advance(count, told.mark());
            assertThat(count).isEqualTo(number);
        }
        told.open();
        assertThat(told.mark()).isZero();
    }

    @Test
    void afterARefusalTheAgentMustHaveSeenIt() {
        ToldOutcomes told = new ToldOutcomes(2);
        told.settled(1, true);
        told.settled(2, false);
        told.settled(3, true);
        assertThat(told.mark()).as("decision 3 may have been staged before 2 was refused").isEqualTo(1);
        told.settled(4, true);
        assertThat(told.mark()).as("4 was staged by an agent that knew of 2").isEqualTo(4);
    }

    @Test
    void aGapIsAWithdrawalThatTheAgentMustHaveSeen() {
        ToldOutcomes told = new ToldOutcomes(2);
        told.settled(1, true);
        told.settled(3, true);
        assertThat(told.mark()).isEqualTo(1);
        told.settled(4, true);
        assertThat(told.mark()).isEqualTo(4);
    }

    /**
     * An agent that stages whenever there is room, is told by some of the messages, late and with losses, and looks now and
     * then: it never takes for complete what was refused, withdrawn or is still open.
     */
    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 8, 63 })
    void nothingWrongIsTold(int capacity) {
        long seed = new SplittableRandom().nextLong();
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        ToldOutcomes told = new ToldOutcomes(capacity);
        ArrayDeque<Integer> messages = new ArrayDeque<>();
        int decisions = 50_000;
        boolean[] complete = new boolean[decisions + 1];
        int staged = 0;
        int hosts = 0;
        int settled = 0;
        int count = 0;
        int byMessage = 0;
        int refusals = 2 * capacity + random.nextInt(20);
        while (settled < decisions) {
            switch (random.nextInt(6)) {
                case 0 -> staged += staged < decisions && staged - settled < capacity ? 1 : 0;
                case 1 -> {
                    if (hosts < staged) {
                        complete[++hosts] = random.nextInt(refusals) != 0;
                        if (complete[hosts] || random.nextBoolean()) { // else withdrawn: the host tells of no outcome
                            told.settled(hosts, complete[hosts]);
                        }
                    }
                }
                case 2 -> messages.add(random.nextInt(8) == 0 ? -1 : told.mark());
                case 3 -> {
                    int mark = messages.isEmpty() ? -1 : messages.remove();
                    count = mark < 0 ? count : ToldOutcomes.advance(count, mark);
                }
                case 4 -> {
                    while (settled != staged && count - settled > 0) {
                        settled++;
                        byMessage++;
                        assertThat(settled).as("seed %d", seed).isLessThanOrEqualTo(hosts);
                        assertThat(complete[settled]).as("seed %d, decision %d", seed, settled).isTrue();
                    }
                }
                default -> settled = random.nextInt(4) == 0 ? hosts : settled;
            }
        }
        assertThat(byMessage).as("seed %d", seed).isPositive();
    }
}
