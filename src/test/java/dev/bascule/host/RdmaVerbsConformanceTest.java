package dev.bascule.host;

import dev.bascule.swap.SwapMode;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The conformance suite over libibverbs and a soft-RoCE device. */
@Tag("rdma")
@ExtendWith(RdmaVerbsConformanceTest.WithAnAgent.class)
class RdmaVerbsConformanceTest {
    /** Decisions in NIC memory. */
    @Nested
    class Wave extends RdmaConformance {
        Wave() {
            super(wave(false), true);
        }
    }

    /** Late binding. */
    @Nested
    class Swap0 extends RdmaConformance {
        Swap0() {
            super(swap(SwapMode.SWAP0, false), true);
        }
    }

    /** Ahead of need, lines in host memory. */
    @Nested
    class Swap1Pushed extends RdmaConformance {
        Swap1Pushed() {
            super(swap(SwapMode.SWAP1, true), true);
        }
    }

    /** One test has 65,535 epochs and no agent, so nothing of it crosses verbs; it takes a while under emulation. */
    static final class WithAnAgent implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            boolean hasNone = context.getTestMethod().filter(test -> test.getName().equals("noEpochIsUsedTwice"))
                    .isPresent();
            return hasNone
                    ? ConditionEvaluationResult.disabled("has no agent, so no connection: runs over fake verbs")
                    : ConditionEvaluationResult.enabled("");
        }
    }
}
