package dev.bascule.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultPlanTest {
    @Test
    void sameSeedGivesTheSameFaults() {
        long seed = System.nanoTime();
        System.out.println("sameSeedGivesTheSameFaults seed " + seed);
        FaultPlan plan = FaultPlan.of(seed, FaultRule.parse("drop:host-to-nic:probability=0.1"),
                FaultRule.parse("corrupt:host-to-nic:probability=0.2"));
        assertThat(trace(plan, 0)).isEqualTo(trace(plan, 0));
        assertThat(trace(plan, 0)).as("another stream").isNotEqualTo(trace(plan, 1));
        assertThat(trace(new FaultPlan(seed + 1, plan.rules()), 0)).as("another seed").isNotEqualTo(trace(plan, 0));
    }

    @Test
    void otherSitesDoNotDisturbTheDecisions() {
        FaultRule drop = FaultRule.parse("drop:host-to-nic:probability=0.3");
        FaultInjector alone = FaultPlan.of(5, drop).injector(FaultSite.HOST_TO_NIC, 0);
        FaultInjector among = FaultPlan.of(5, FaultRule.parse("drop:interrupt"), drop)
                .injector(FaultSite.HOST_TO_NIC, 0);
        for (int i = 0; i < 1000; i++) {
            assertThat(among.next(0) == null).isEqualTo(alone.next(0) == null);
        }
    }

    @Test
    void probabilityIsRoughlyKept() {
        FaultInjector injector = FaultPlan.of(9, FaultRule.parse("tear:dma-write:probability=0.25"))
                .injector(FaultSite.DMA_WRITE, 0);
        for (int i = 0; i < 10_000; i++) {
            injector.next(i);
        }
        assertThat(injector.injected()).isBetween(2200L, 2800L);
    }

    @Test
    void scriptedMessageOfARangeIsHitOnce() {
        FaultInjector injector = FaultPlan.of(1, FaultRule.parse("drop:host-to-nic:offset=0x40-0x7f:message=2"))
                .injector(FaultSite.HOST_TO_NIC, 0);
        List<Integer> hits = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            if (injector.next(i % 2 == 0 ? 0x40 : 0x80) != null) {
                hits.add(i);
            }
        }
        assertThat(hits).as("third access to the range").containsExactly(4);
    }

    @Test
    void firstRuleThatHitsWinsAndTheOthersStillCount() {
        FaultInjector injector = FaultPlan.of(1, FaultRule.parse("drop:interrupt:message=0"),
                FaultRule.parse("delay:interrupt:message=1:amount=5")).injector(FaultSite.INTERRUPT, 0);
        assertThat(injector.next(3)).extracting(FaultRule::kind).isEqualTo(FaultKind.DROP);
        assertThat(injector.next(3)).extracting(FaultRule::kind).isEqualTo(FaultKind.DELAY);
        assertThat(injector.next(3)).isNull();
    }

    @Test
    void writtenFormIsParsedBack() {
        for (String text : List.of("drop:host-to-nic", "delay:interrupt:message=7:times=2:amount=1600",
                "corrupt:dma-write:offset=0x100-0x1ff:probability=0.01", "remove:register-read:message=100:times=1",
                "reorder:nic-to-host:amount=3", "dead:register-write:offset=0x10-0x10:message=0:times=1")) {
            assertThat(FaultRule.parse(text)).hasToString(text);
        }
    }

    @Test
    void badRulesNameWhatIsWrong() {
        assertThatThrownBy(() -> FaultRule.parse("drop")).hasMessageContaining("starts with kind:site");
        assertThatThrownBy(() -> FaultRule.parse("dorp:interrupt")).hasMessageContaining("'dorp' is none of")
                .hasMessageContaining("drop");
        assertThatThrownBy(() -> FaultRule.parse("drop:here")).hasMessageContaining("host-to-nic");
        assertThatThrownBy(() -> FaultRule.parse("drop:interrupt:when=1")).hasMessageContaining("unknown key 'when'");
        assertThatThrownBy(() -> FaultRule.parse("drop:interrupt:message=x")).hasMessageContaining("'x'");
        assertThatThrownBy(() -> FaultRule.parse("drop:interrupt:message")).hasMessageContaining("key=value");
        assertThatThrownBy(() -> FaultRule.parse("drop:interrupt:probability=2"))
                .hasMessageContaining("between 0 and 1");
        assertThatThrownBy(() -> FaultRule.parse("drop:interrupt:offset=9-2")).hasMessageContaining("empty");
    }

    private static List<String> trace(FaultPlan plan, int stream) {
        FaultInjector injector = plan.injector(FaultSite.HOST_TO_NIC, stream);
        List<String> faults = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            FaultRule rule = injector.next(i * 64L);
            faults.add(rule == null ? "-" : rule.kind() + " " + injector.detail(64));
        }
        return faults;
    }
}
