package dev.bascule.model.enso;

import static dev.bascule.model.enso.Bench.RX_RING;
import static dev.bascule.model.enso.Bench.TX_RING;
import static dev.bascule.model.enso.Bench.completion;
import static dev.bascule.model.enso.Bench.dataRead;
import static dev.bascule.model.enso.Bench.entriesRead;
import static dev.bascule.model.enso.Bench.flit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.nic.enso.EnsoRegisters;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One test per rule of the transmit path. */
class TxRulesTest {
    private static final long FRAME = 0x6000_0000L;
    private static final long OTHER_RING = 0x5110_0000L;
    private Bench bench = Bench.ready(64, 64);

    @BeforeEach
    void oneFrameInMemory() {
        bench.frame(FRAME, 60);
        bench.notificationBuffer(1, 0x5100_0000L, OTHER_RING);
    }

    @Test
    void headJumpsToTheTailWhenTheEntriesAreAskedFor() {
        bench.block.holdEntries(true);
        bench.txTail(0, 5);
        assertThat(bench.ring(0, EnsoRegisters.TX_HEAD)).isEqualTo(5);
        assertThat(bench.events()).containsExactly(entriesRead(TX_RING, 5));
    }

    @Test
    void sameTailAgainReadsNothing() {
        bench.txTail(0, 0);
        assertThat(bench.events()).isEmpty();
        assertThat(bench.metrics.get(EnsoCounter.TX_EMPTY_TAILS)).isEqualTo(1);
    }

    @Test
    void readsEndAtTheRingEnd() {
        bench.ring(0, EnsoRegisters.TX_HEAD, 60);
        bench.txTail(0, 3);
        assertThat(reads()).containsExactly(entriesRead(TX_RING + 60 * 64, 4), entriesRead(TX_RING, 3));
        bench.ring(0, EnsoRegisters.TX_HEAD, 62);
        bench.txTail(0, 0);
        assertThat(reads()).containsExactly(entriesRead(TX_RING + 62 * 64, 2));
    }

    @Test
    void aWaitingReadNeedsRoomForAllOfItAndABigOneWaitsForEver() {
        use(new EnsoBoard(64, 64, 4, false));
        bench.block.holdEntries(true);
        bench.txTail(0, 6);
        bench.txTail(0, 9);
        assertThat(reads()).containsExactly(entriesRead(TX_RING, 6));
        bench.block.releaseEntries(4);
        assertThat(reads()).isEmpty();
        bench.block.releaseEntries(1);
        assertThat(reads()).containsExactly(entriesRead(TX_RING + 6 * 64, 3));
        bench.block.holdEntries(false);
        bench.events();
        bench.block.holdEntries(true);
        bench.txTail(0, 14);
        bench.txTail(0, 19);
        bench.txTail(0, 20);
        bench.block.holdEntries(false);
        assertThat(reads()).containsExactly(entriesRead(TX_RING + 9 * 64, 5));
    }

    @Test
    void raisingTheLimitReleasesAWaitingRead() {
        use(new EnsoBoard(64, 64, 4, false));
        bench.block.holdEntries(true);
        bench.txTail(0, 6);
        bench.txTail(0, 20);
        bench.events();
        bench.block.board(new EnsoBoard(64, 64, 20, false));
        assertThat(reads()).containsExactly(entriesRead(TX_RING + 6 * 64, 14));
    }

    @ParameterizedTest
    @CsvSource({ "60,60", "61,64", "19,20", "65,68", "1514,1516", "0x40000,0x40000", "0xABC00040,64" })
    void dataIsReadInWholeWordsAndTheLengthHasTwentyBits(String length, String expected) {
        bench.entry(TX_RING, 0, 1, FRAME + 4, Long.decode(length));
        bench.txTail(0, 1);
        assertThat(bench.events()).contains(dataRead(FRAME + 4, Integer.decode(expected)),
                completion(TX_RING, FRAME + 4, Long.decode(length) & 0xFFFFF));
    }

    @Test
    void onlyAWholeSignalOfTwoIsConfiguration() {
        bench.entry(TX_RING, 0, 2, 4, 0);
        bench.entry(TX_RING, 1, 0x1_0000_0002L, FRAME, 64);
        bench.entry(TX_RING, 2, 0, FRAME, 64);
        bench.txTail(0, 3);
        assertThat(bench.events()).containsOnlyOnce("config 4").containsSequence(flit(true, true, 60),
                completion(TX_RING + 64, FRAME, 64));
        assertThat(bench.metrics.get(EnsoCounter.TX_CONFIGS)).isEqualTo(1);
        assertThat(bench.metrics.get(EnsoCounter.TX_PACKETS)).isEqualTo(2);
    }

    @Test
    void configurationIsAcceptedFromAnyBufferAndCompletedInOrder() {
        bench.entry(OTHER_RING, 0, 1, FRAME, 64);
        bench.entry(OTHER_RING, 1, 2, 1, 0x77);
        bench.txTail(1, 2);
        assertThat(bench.events()).filteredOn(e -> e.startsWith("entry")).containsExactly(
                completion(OTHER_RING, FRAME, 64), completion(OTHER_RING + 64, 1, 0x77));
    }

    @Test
    void completionsFollowTheLastSlotOfTheRingWhateverItsRegistersSay() {
        send(0, TX_RING, 0, 3);
        bench.ring(0, EnsoRegisters.TX_HEAD, 0);
        bench.ring(0, EnsoRegisters.TX_TAIL, 0);
        assertThat(send(0, TX_RING, 0, 1)).containsExactly(completion(TX_RING + 3 * 64, FRAME, 64));
        assertThat(send(1, OTHER_RING, 0, 1)).containsExactly(completion(OTHER_RING, FRAME, 64));
        assertThat(send(0, TX_RING, 1, 2)).containsExactly(completion(TX_RING + 64, FRAME, 64));
    }

    @Test
    void adoptingTheTailKeepsCompletionsInPlace() {
        send(0, TX_RING, 0, 3);
        bench.ring(0, EnsoRegisters.TX_HEAD, 3);
        bench.ring(0, EnsoRegisters.TX_TAIL, 3);
        assertThat(send(0, TX_RING, 3, 4)).containsExactly(completion(TX_RING + 3 * 64, FRAME, 64));
    }

    @Test
    void aPacketContinuedByAnotherRingsEntryTakesItsBytes() {
        bench.frame(0x6100_0000L, 200);
        bench.entry(TX_RING, 0, 1, 0x6100_0000L, 128);
        bench.txTail(0, 1);
        assertThat(bench.events()).contains(flit(true, false, 64), flit(false, false, 64));
        bench.entry(OTHER_RING, 0, 1, FRAME, 64);
        bench.txTail(1, 1);
        assertThat(bench.events()).contains(flit(false, false, 64));
        bench.entry(TX_RING, 1, 1, 0x6100_0080L, 64);
        bench.txTail(0, 2);
        assertThat(bench.events()).contains(flit(false, true, 8));
    }

    @ParameterizedTest
    @CsvSource({ "14,50", "15,49", "63,1", "64,0" })
    void shortPacketsTakeOneFlit(int frameBytes, int unused) {
        bench.frame(FRAME, frameBytes);
        bench.entry(TX_RING, 0, 1, FRAME, 64);
        bench.txTail(0, 1);
        assertThat(bench.events()).contains(flit(true, true, 64 - unused));
    }

    @Test
    void anEmptyEntryTakesTheNextFlitAndDoesNotHang() {
        bench.entry(TX_RING, 0, 1, FRAME, 0);
        bench.txTail(0, 1);
        assertThat(bench.events()).containsExactly(entriesRead(TX_RING, 1));
        bench.entry(TX_RING, 1, 1, FRAME, 64);
        bench.txTail(0, 2);
        assertThat(bench.events()).contains(flit(true, true, 60), completion(TX_RING, FRAME, 0));
        assertThat(bench.metrics.get(EnsoCounter.TX_COMPLETIONS)).isEqualTo(1);
    }

    @Test
    void aTailOutsideTheRingThatIsNeverMetStopsTheFetcher() {
        bench.txTail(0, 1000);
        bench.events();
        assertThat(bench.metrics.get(EnsoCounter.TX_FETCH_STOPPED)).isEqualTo(1);
        bench.txTail(1, 1);
        assertThat(reads()).isEmpty();
        bench.block.resetEngines();
        bench.ring(1, EnsoRegisters.TX_HEAD, 0);
        bench.txTail(1, 1);
        assertThat(reads()).containsExactly(entriesRead(OTHER_RING, 1));
    }

    @Test
    void aTailOutsideTheRingThatIsMetReadsBeyondItsEnd() {
        bench.txTail(0, 100);
        assertThat(reads()).containsExactly(entriesRead(TX_RING, 100));
    }

    @Test
    void manyTailStoresWhileNothingIsAnsweredStayBounded() {
        use(new EnsoBoard(64, 16384, 0, false));
        bench.block.holdEntries(true);
        for (int i = 1; i < 5000; i++) {
            bench.txTail(0, i);
        }
        assertThat(reads()).containsExactly(entriesRead(TX_RING, 1));
        assertThat(bench.ring(0, EnsoRegisters.TX_HEAD)).isLessThan(300);
        bench.block.board(new EnsoBoard(64, 16384, 1000, false));
        bench.block.holdEntries(false);
        bench.events();
        assertThat(bench.ring(0, EnsoRegisters.TX_HEAD)).isEqualTo(4999);
        assertThat(bench.metrics.get(EnsoCounter.TX_ENTRIES)).isEqualTo(4999);
    }

    @Test
    void refusedReadsSeeZerosAndTheDeviceGoesOn() {
        bench.refuseDma(true);
        bench.txTail(0, 1);
        bench.events();
        assertThat(bench.metrics.get(EnsoCounter.DMA_FAULTS)).isEqualTo(1);
        bench.refuseDma(false);
        bench.block.resetEngines();
        assertThat(send(0, TX_RING, 1, 2)).containsExactly(completion(TX_RING + 64, FRAME, 64));
    }

    private List<String> send(int buffer, long ring, int from, int to) {
        for (int slot = from; slot < to; slot++) {
            bench.entry(ring, slot, 1, FRAME, 64);
        }
        bench.txTail(buffer, to);
        return bench.events().stream().filter(e -> e.startsWith("entry")).toList();
    }

    private List<String> reads() {
        return bench.events().stream().filter(e -> e.startsWith("read entries")).toList();
    }

    private void use(EnsoBoard board) {
        bench = new Bench(board);
        bench.notificationBuffer(0, RX_RING, TX_RING);
        bench.frame(FRAME, 60);
        for (int slot = 0; slot < board.notificationRingEntries(); slot++) {
            bench.entry(TX_RING, slot, 1, FRAME, 64);
        }
    }
}
