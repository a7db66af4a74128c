package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @Test
    void withoutAWordTheDefaultLanesRun() {
        Options options = Options.parse();
        assertThat(options.defaults()).isTrue();
        assertThat(options.lanes()).isEmpty();
        assertThat(options.fuzzMinutes()).isEqualTo(10);
    }

    @Test
    void aNumberBehindALaneIsItsAndAnOptionIsNot() {
        Options options = Options.parse("--fuzz", "3", "--chaos", "--kills", "40", "--only");
        assertThat(options.lanes()).containsExactly("fuzz", "chaos", "kills");
        assertThat(options.fuzzMinutes()).isEqualTo(3);
        assertThat(options.chaosMinutes()).isEqualTo(30);
        assertThat(options.kills()).isEqualTo(40);
        assertThat(options.defaults()).isFalse();
    }

    @Test
    void aChaosSeedAsksForChaosAndSpinForModels() {
        Options options = Options.parse("--chaos-seed", "0042", "--spin");
        assertThat(options.lanes()).containsExactly("chaos", "models");
        assertThat(options.chaosSeed()).isEqualTo("0042");
        assertThat(options.spin()).isTrue();
    }

    @Test
    void aSuiteBehindBareIsDebians() {
        assertThat(Options.parse("--bare", "bookworm", "--only").suite()).isEqualTo("bookworm");
        assertThat(Options.parse("--bare", "--site").suite()).isEmpty();
        assertThat(Options.parse("--bare", "--site").lanes()).containsExactly("bare", "site");
    }

    @Test
    void allIsEveryLane() {
        assertThat(Options.parse("--all").lanes()).containsExactlyElementsOf(Options.FURTHER);
    }

    @Test
    void lanesThatMustRunAreNamedWithCommas() {
        assertThat(Options.parse("--must", "unit,dpdk-24.11").mustRun()).containsExactly("unit", "dpdk-24.11");
    }

    @Test
    void turnsAndCoverageAreAskedFor() {
        assertThat(Options.parse("--site").byTurns()).isFalse();
        assertThat(Options.parse("--site").coverage()).isFalse();
        assertThat(Options.parse("--by-turns", "--coverage").byTurns()).isTrue();
        assertThat(Options.parse("--all").coverage()).isTrue();
        assertThatThrownBy(() -> Options.parse("--only", "--long", "--coverage")).hasMessageContaining("--only");
    }

    @ParameterizedTest
    @ValueSource(strings = { "--labs", "--only", "--chaos-seed", "--must", "long", "--" })
    void whatMeansNothingOrMissesItsValueIsRefused(String word) {
        assertThatThrownBy(() -> Options.parse(word)).isInstanceOf(Options.UsageException.class);
    }
}
