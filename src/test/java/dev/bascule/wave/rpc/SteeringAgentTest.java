package dev.bascule.wave.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.SteeringPolicy;
import dev.bascule.loopback.FaultKind;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.FaultRule;
import dev.bascule.loopback.FaultSite;
import dev.bascule.policy.HashSteering;
import dev.bascule.policy.LeastLoadedSteering;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The steering agent over a loopback SmartNIC: every request is answered once, and the load decides where. */
class SteeringAgentTest {
    private static final int CORES = 4;

    private final MemorySegment frame = MemorySegment.ofArray(new long[256]);
    private final MemorySegment answer = MemorySegment.ofArray(new long[256]);

    /** A request of a flow, with a number; its bytes depend on it. */
    private boolean steer(SteeringAgent agent, int flow, int number, int bytes) {
        for (int i = 0; i < bytes; i++) {
            frame.set(ValueLayout.JAVA_BYTE, i, (byte) (number * 31 + i));
        }
        frame.set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
        frame.set(ValueLayout.JAVA_INT_UNALIGNED, 4, flow);
        return agent.steer(flow, frame, 0, bytes);
    }

    private boolean isIntact(int number, int bytes) {
        for (int i = 8; i < bytes; i++) {
            if (answer.get(ValueLayout.JAVA_BYTE, i) != (byte) (number * 31 + i)) {
                return false;
            }
        }
        return true;
    }

    private static int bytes(int number) {
        return 8 + number * 7 % 1400;
    }

    @Test
    void everyRequestIsAnsweredOnceAndInTheOrderOfItsFlow() {
        long seed = 3;
        SplittableRandom random = new SplittableRandom(seed);
        try (RpcRig rig = new RpcRig(CORES, new LeastLoadedSteering(CORES, RpcRig.MOST), (m, o, n) -> n,
                FaultPlan.NONE)) {
            int total = 3000;
            int[] last = new int[50];
            Set<Integer> seen = new HashSet<>();
            int sent = 0;
            for (int round = 0; round < 200_000 && seen.size() < total; round++) {
                if (sent < total && random.nextInt(3) > 0
                        && steer(rig.agent, 1 + sent % 49, sent + 1, bytes(sent + 1))) {
                    sent++;
                    rig.agent.commit();
                }
                rig.cores.get(random.nextInt(CORES)).doWork();
                int length = rig.agent.answer(answer, 0, 2048);
                if (length > 0) {
                    int number = answer.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
                    int flow = answer.get(ValueLayout.JAVA_INT_UNALIGNED, 4);
                    assertThat(length).as("answer %d", number).isEqualTo(bytes(number));
                    assertThat(isIntact(number, length)).as("answer %d", number).isTrue();
                    assertThat(number).as("seed %d: order of flow %d", seed, flow).isGreaterThan(last[flow]);
                    last[flow] = number;
                    assertThat(seen.add(number)).as("once").isTrue();
                }
            }
            assertThat(seen).hasSize(total);
            assertThat(rig.agent.underWay()).isZero();
            assertThat(rig.agent.lost() + rig.agent.damaged()).isZero();
        }
    }

    @Test
    void aCoreThatIsBusyGetsNoMoreUnlessItsFlowsAreThere() {
        try (RpcRig rig = new RpcRig(CORES, new LeastLoadedSteering(CORES, RpcRig.MOST), (m, o, n) -> n,
                FaultPlan.NONE)) {
            assertThat(steer(rig.agent, 99, 1, 64)).isTrue(); // core 0, which does not serve
            for (int i = 2; i < 200; i++) {
                assertThat(steer(rig.agent, i, i, 64)).isTrue();
                rig.agent.commit();
                for (int core = 1; core < CORES; core++) {
                    rig.cores.get(core).doWork();
                }
                rig.agent.answer(answer, 0, 64);
            }
            assertThat(rig.agent.requests(0)).isLessThan(4);
            int before = rig.agent.requests(0);
            assertThat(steer(rig.agent, 99, 500, 64)).isTrue();
            assertThat(rig.agent.requests(0)).as("the same flow, in order").isEqualTo(before + 1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void whatNoCoreCanTakeIsRefusedUntilThereAreAnswers(boolean byLoad) {
        SteeringPolicy policy = byLoad
                ? new LeastLoadedSteering(1, RpcRig.MOST)
                : new HashSteering(1, RpcRig.MOST);
        try (RpcRig rig = new RpcRig(1, policy, (m, o, n) -> n, FaultPlan.NONE)) {
            for (int i = 0; i < RpcRig.MOST; i++) {
                assertThat(steer(rig.agent, i, i, 64)).isTrue();
            }
            assertThat(steer(rig.agent, 77, 77, 64)).isFalse();
            assertThat(rig.agent.refused()).isEqualTo(1);
            rig.agent.commit();
            while (rig.work() > 0) {
                // serves all
            }
            int answers = 0;
            while (rig.agent.answer(answer, 0, 64) > 0) {
                answers++;
            }
            assertThat(answers).isEqualTo(RpcRig.MOST);
            assertThat(steer(rig.agent, 77, 77, 64)).isTrue();
        }
    }

    @Test
    void aRequestWithoutAnswerTakesItsLoadOff() {
        try (RpcRig rig = new RpcRig(1, new LeastLoadedSteering(1, RpcRig.MOST), (m, o, n) -> 0, FaultPlan.NONE)) {
            for (int i = 0; i < 1000; i++) {
                assertThat(steer(rig.agent, i, i, 64)).isTrue();
                rig.agent.commit();
                rig.work();
                assertThat(rig.agent.answer(answer, 0, 64)).isZero();
            }
            assertThat(rig.agent.underWay()).isZero();
            assertThat(rig.cores.get(0).served()).isEqualTo(1000);
        }
    }

    @ParameterizedTest
    @EnumSource(value = FaultKind.class, names = { "DROP", "DUPLICATE", "REORDER", "TEAR", "CORRUPT" })
    void overAFaultyLinkAnAnswerIsWholeAndLostOnesAreCounted(FaultKind kind) {
        long seed = 11;
        FaultPlan plan = FaultPlan.of(seed,
                FaultRule.of(kind, FaultSite.HOST_TO_NIC).offsets(4096 + 64 * 64, Long.MAX_VALUE).likely(0.002).by(2),
                FaultRule.of(kind, FaultSite.DMA_WRITE).likely(0.002).by(2));
        try (RpcRig rig = new RpcRig(2, new LeastLoadedSteering(2, RpcRig.MOST), (m, o, n) -> n, plan)) {
            int total = 2000;
            int sent = 0;
            int answers = 0;
            Set<Integer> seen = new HashSet<>();
            for (int round = 0; round < 2_000_000 && (sent < total || rig.agent.underWay() > 4); round++) {
                if (sent < total && steer(rig.agent, sent, sent, bytes(sent))) {
                    sent++;
                    rig.agent.commit();
                }
                rig.work();
                int length = rig.agent.answer(answer, 0, 2048);
                if (length > 0) {
                    answers++;
                    int number = answer.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
                    assertThat(isIntact(number, length)).as("%s, answer %d", kind, number).isTrue();
                    assertThat(seen.add(number)).as("%s, seed %d: %d once", kind, seed, number).isTrue();
                }
            }
            assertThat(sent).as("%s: goes on", kind).isEqualTo(total);
            assertThat(answers + rig.agent.lost() + rig.agent.damaged() + rig.agent.underWay())
                    .as("%s: every request answered or counted", kind).isGreaterThanOrEqualTo(total);
            assertThat(answers).as("%s: most are answered", kind).isGreaterThan(total / 2);
        }
    }

    @Test
    void tooLongIsRefusedAndNonsenseToo() {
        try (RpcRig rig = new RpcRig(1, new LeastLoadedSteering(1, RpcRig.MOST), (m, o, n) -> n, FaultPlan.NONE)) {
            MemorySegment large = MemorySegment.ofArray(new long[4096]);
            assertThat(rig.agent.steer(1, large, 0, 32_000)).isFalse();
            assertThat(rig.agent.refused()).isEqualTo(1);
        }
        assertThatThrownBy(() -> new LeastLoadedSteering(0, 1)).hasMessageContaining("0 cores");
        assertThatThrownBy(() -> new HashSteering(1, 0)).hasMessageContaining("at least 1");
    }
}
