package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.ffi.Affinity;
import dev.bascule.ring.IdleStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class CoreHandOffTest {
    private static final long LIMIT_NANOS = 60_000_000_000L;

    @Test
    void anAgentWhoseCoreOthersWantGoesOnOnTheNext() throws Exception {
        List<Integer> cores = Affinity.current().stream().boxed().toList();
        assumeTrue(cores.size() > 1, "one core: there is none to go to");
        List<String> said = new ArrayList<>();
        AtomicReference<Integer> now = new AtomicReference<>(-1);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread busy = Thread.ofPlatform().daemon().start(() -> {
            Affinity.pin(cores.getFirst());
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
        });
        Thread agent = Thread.ofPlatform().start(() -> {
            try (CoreHandOff handOff = new CoreHandOff(IdleStrategy.spinThenYield(64), cores.subList(0, 2),
                    said::add)) {
                assertThat(handOff.core()).isEqualTo(cores.getFirst());
                long deadline = System.nanoTime() + LIMIT_NANOS;
                while (said.isEmpty() && System.nanoTime() < deadline) {
                    handOff.idle(0);
                }
                now.set(Affinity.cpu());
                assertThat(handOff.core()).isEqualTo(cores.get(1));
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        agent.join();
        busy.interrupt();
        busy.join();
        assertThat(failure.get()).isNull();
        assertThat(said).singleElement().asString()
                .startsWith("handed off from core " + cores.get(0) + " to core " + cores.get(1) + " within ");
        assertThat(now.get()).as("core it runs on").isEqualTo(cores.get(1));
    }

    @Test
    void oneCoreIsNoChoice() {
        assertThatThrownBy(() -> new CoreHandOff(IdleStrategy.spin(), List.of(0), word -> {}))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("name two or more");
    }
}
