package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.models.Explorer;
import dev.bascule.models.Model;
import dev.bascule.swap.OneWordModel.Ablation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OneWordModelTest {
    @ParameterizedTest
    @CsvSource({ "false", "true" })
    void agreementHoldsWithAndWithoutZombie(boolean zombie) {
        Explorer.Result result = Explorer.run(new OneWordModel(Ablation.NONE, zombie), 3_000_000);
        System.out.println("one word, zombie " + zombie + ": " + result);
        assertThat(result.holds()).as(result.toString()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({ "SPLIT,false", "SPLIT,true", "NO_EPOCH,true" })
    void withoutCompareAndSwapOrEpochItDoesNot(Ablation ablation, boolean zombie) {
        Explorer.Result result = Explorer.run(new OneWordModel(ablation, zombie), 3_000_000);
        System.out.println("one word, " + ablation + ": " + result);
        assertThat(result.violated()).isNotNull();
    }

    @Test
    void withdrawalIsReachable() {
        OneWordModel model = new OneWordModel(Ablation.NONE, false);
        Model probe = new Model() {
            @Override
            public void initial(Sink sink) {
                model.initial(sink);
            }

            @Override
            public void successors(byte[] state, Sink sink) {
                model.successors(state, sink);
            }

            @Override
            public @Nullable String violated(byte[] state) {
                return model.withdrew(state) ? "withdrawn" : null;
            }

            @Override
            public String label(int label) {
                return model.label(label);
            }

            @Override
            public String show(byte[] state) {
                return model.show(state);
            }
        };
        assertThat(Explorer.run(probe, 100_000).trace()).hasSize(4);
    }
}
