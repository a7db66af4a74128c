package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WakeFlowsTest {
    private final WakeFlows flows = new WakeFlows();
    private final List<String> led = new ArrayList<>();

    private List<String> each() {
        flows.each((at, next, task) -> {}, (id, at, cpu, ran) -> led.add(id + ": " + at + " to " + ran + " on " + cpu));
        return led;
    }

    @Test
    void aWakeUpLeadsToTheTasksNextRunOnAnyCpu() {
        flows.woke(10, 1);
        flows.woke(20, 2);
        flows.ran(0, 2, 25);
        flows.ran(1, 1, 30);
        assertThat(each()).containsExactlyInAnyOrder("1: 10 to 30 on 1", "2: 20 to 25 on 0");
    }

    @Test
    void aRunAfterAPreemptionWasWokenByNobody() {
        flows.woke(10, 1);
        flows.ran(1, 1, 40);
        flows.ran(0, 1, 20);
        assertThat(each()).containsExactly("1: 10 to 20 on 0");
    }

    @Test
    void aWakeUpWhoseRunIsNotKeptLeadsNowhere() {
        flows.woke(10, 1);
        flows.woke(30, 1);
        flows.ran(0, 1, 5);
        flows.ran(0, 1, 35);
        assertThat(each()).containsExactly("1: 30 to 35 on 0");
    }

    @Test
    void theNextTraceBeginsWithoutThisOneAndWithIdsOfItsOwn() {
        flows.woke(10, 1);
        flows.ran(0, 1, 11);
        each();
        flows.ran(0, 1, 50);
        flows.woke(40, 1);
        assertThat(each()).containsExactly("1: 10 to 11 on 0", "2: 40 to 50 on 0");
    }
}
