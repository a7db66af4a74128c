package dev.bascule.study.experiment;

import dev.bascule.study.sim.SimTransport;
import dev.bascule.study.sim.SimTransports;
import java.util.ArrayList;
import java.util.List;

/**
 * A transport with a waiting policy, as the fairness rules ask: polling is compared with polling, interrupts are a
 * column of their own.
 *
 * @param name for reports
 * @param polls idle CPUs poll
 */
record Contender(String name, SimTransport transport, boolean polls) {
    static Contender wave() {
        return new Contender("Wave", SimTransports.wave(), true);
    }

    /** Those that this build has. */
    static List<Contender> all() {
        List<Contender> all = new ArrayList<>();
        all.add(wave());
        all.add(new Contender("Wave, interrupts", SimTransports.wave(), false));
        for (String name : SimTransports.NAMES) {
            if (name.equals("swap0") || name.equals("swap1")) {
                all.add(new Contender(name, SimTransports.named(name), true));
            }
        }
        return all;
    }

    static List<Contender> polling() {
        return all().stream().filter(Contender::polls).toList();
    }
}
