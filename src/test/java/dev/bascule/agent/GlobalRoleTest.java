package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GlobalRoleTest {
    private static final int ROUNDS = 20_000;

    private long plain; // guarded by the role alone

    @Test
    void onlyTheHolderCanHandItOn() {
        GlobalRole role = new GlobalRole(2);
        assertThat(role.isHeldBy(2)).isTrue();
        assertThat(role.handOff(1, 0)).isFalse();
        assertThat(role.isHeldBy(2)).isTrue();
        assertThat(role.handOff(2, 0)).isTrue();
        assertThat(role.isHeldBy(2)).isFalse();
        assertThat(role.isHeldBy(0)).isTrue();
        assertThat(role.handOff(2, 1)).as("it has it no more").isFalse();
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void whoTakesItUpSeesWhatTheFormerHolderDid() throws Exception {
        GlobalRole role = new GlobalRole(0);
        Thread other = Thread.ofPlatform().daemon().start(() -> work(role, 1));
        work(role, 0);
        other.join();
        assertThat(plain).isEqualTo(2L * ROUNDS);
    }

    private void work(GlobalRole role, int me) {
        for (int i = 0; i < ROUNDS; i++) {
            while (!role.isHeldBy(me)) {
                Thread.yield();
            }
            plain++;
            role.handOff(me, 1 - me);
        }
    }
}
