package dev.bascule.host;

import dev.bascule.junit.ByTurns;
import dev.bascule.junit.TransportConformance;
import dev.bascule.swap.SwapProtocol;
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
    protected Session open(Path where, boolean keep) {
        cards.in(where);
        return new Session(new SwapProtocol(LinkSetup.DEFAULT.swap()),
                new CardPlace(where, keep, true, CardPlace.OPENER));
    }

    @Override
    protected boolean canWithdraw() {
        return false; // as every mode but that on one word of coherent memory
    }
}
