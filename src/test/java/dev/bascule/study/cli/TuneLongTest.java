package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.BadPolicies;
import dev.bascule.cli.Cli;
import dev.bascule.json.JsonReader;
import dev.bascule.junit.ByTurns;
import dev.bascule.registry.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How often {@code bascule tune} finds what is there, and claims what is not. */
@ByTurns(of = 2)
@Tag("long")
class TuneLongTest {
    private static Map<?, ?> tune(String... words) throws Exception {
        Cli cli = Cli.callOne(words);
        assertThat(cli.status()).as(cli.err()).isZero();
        return (Map<?, ?>) JsonReader.parse(cli.out());
    }

    /** A policy whose slice is 20 us where its option is right, and longer the farther that is off by factors. */
    @Test
    void aPlantedOptimumIsFound() throws Exception {
        List<Double> found = new ArrayList<>();
        for (int seed = 1; seed <= 20; seed++) {
            Map<?, ?> best = (Map<?, ?>) tune("tune", "policy=" + BadPolicies.class.getName() + "$Planted",
                    "mix=high-bimodal", "cpus=2", "load=0.7", "jobs=3000", "policy.knob=1us..1ms", "--goal", "p99",
                    "--class", "short", "--seconds", "60", "--json", "seed=" + seed).get("best");
            found.add(Durations.parseNanos(String.valueOf(best.get("policy.knob"))) / BadPolicies.Planted.BEST_NANOS);
        }
        System.out.println("found by planted: " + found);
        assertThat(found.stream().filter(ratio -> ratio > 0.5 && ratio < 2)).as("found by planted: %s", found)
                .hasSizeGreaterThanOrEqualTo(19);
    }

    /** Seeds of a policy that decides at random: no value is better than another, but each differs by chance. */
    @Test
    void whereNoValueIsBetterHardlyAnyIsCalledSo() throws Exception {
        int claimed = 0;
        for (int seed = 1; seed <= 40; seed++) {
            claimed += Boolean.TRUE.equals(tune("tune", "policy=random", "mix=high-bimodal", "cpus=2", "load=0.7",
                    "jobs=1000", "policy.seed=1,2,3,4,5,6", "--goal", "mean", "--seconds", "60", "--json",
                    "seed=" + seed).get("better")) ? 1 : 0;
        }
        System.out.println("claimed of 40: " + claimed);
        assertThat(claimed).as("of 40, of which an honest interval claims one in forty").isLessThanOrEqualTo(4);
    }
}
