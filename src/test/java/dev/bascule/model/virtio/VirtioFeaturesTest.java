package dev.bascule.model.virtio;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Feature bits as a driver of four words handles them: Linux's, since virtio has tunnels (bits 65 and up). */
class VirtioFeaturesTest {
    private static final int COMMON = 4;
    private static final int WORDS = 4;
    private static final int FEATURES_OK = 8;

    private final VirtioNetModel model = new VirtioNetModel(0x0200_0000_0001L, true);

    private long offered(int word) {
        model.write(COMMON, 0, 4, word);
        return model.read(COMMON, 4, 4);
    }

    private void accept(int word, long bits) {
        model.write(COMMON, 8, 4, word);
        model.write(COMMON, 12, 4, bits);
    }

    private boolean isAccepted() {
        model.write(COMMON, 20, 1, 3 | FEATURES_OK);
        return (model.read(COMMON, 20, 1) & FEATURES_OK) != 0;
    }

    @Test
    void wordsThatTheCardHasNotAreZeroAndLeaveTheOthersAsTheyAre() {
        long[] words = new long[WORDS];
        for (int word = 0; word < WORDS; word++) {
            words[word] = offered(word);
        }
        assertThat(words).containsExactly(1 << 5 | 1 << 16, 3, 0, 0);
        for (int word = 0; word < WORDS; word++) {
            accept(word, words[word]);
        }
        assertThat(isAccepted()).isTrue();
    }

    @Test
    void aFeatureBeyondThoseOfferedIsRefusedUntilTheNextReset() {
        accept(1, offered(1));
        accept(2, 2);
        assertThat(isAccepted()).isFalse();
        model.write(COMMON, 20, 1, 0);
        accept(1, offered(1));
        assertThat(isAccepted()).isTrue();
    }
}
