package dev.bascule.host;

import dev.bascule.junit.ByTurns;
import dev.bascule.junit.TransportConformance;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

@ByTurns(of = 2, place = 1)
class ServedCardWaveConformanceTest extends TransportConformance {
    private final ServedCards cards = new ServedCards();

    @AfterEach
    void closeCards() {
        cards.close();
    }

    @Override
    protected Session open(Path where, boolean keep) {
        cards.in(where);
        return new Session(new WaveProtocol(LinkSetup.DEFAULT.wave()),
                new CardPlace(where, keep, true, CardPlace.OPENER));
    }
}
