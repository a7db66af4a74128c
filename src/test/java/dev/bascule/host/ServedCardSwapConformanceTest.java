package dev.bascule.host;

import dev.bascule.junit.ByTurns;
import dev.bascule.junit.TransportConformance;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

@ByTurns(of = 2, place = 0)
class ServedCardSwapConformanceTest extends TransportConformance {
    private final ServedCards cards = new ServedCards();

    @AfterEach
    void closeCards() {
        cards.close();
    }

    @Override
    protected TransportSession open(Path where, boolean keep) {
        cards.in(where);
        return CardSession.swap(where, SwapSession.Setup.DEFAULT.options(), keep, true, CardSession.OPENER);
    }

    @Override
    protected boolean canWithdraw() {
        return false; // as every mode but that on one word of coherent memory
    }
}
