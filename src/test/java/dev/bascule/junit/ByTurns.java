package dev.bascule.junit;

import dev.bascule.lanes.Turns;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Mark of a test of many combinations that each take long: a run that has a turn ({@code -Dbascule.turn=N}, as CI, by
 * its sources) plays every {@code of}-th of them, another turn others; a run without a turn plays all. Classes of the
 * lanes that take longest have turns without a mark, see {@link Shares}. What is left out is reported as skipped.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ByTurns.Turn.class)
public @interface ByTurns {
    /** In how many turns all have been played, 2 to 6. */
    int of();

    /** Of a class or a test that is itself one combination: its place, from 0. Invocations have theirs. */
    int place() default 0;

    /** The choice, which {@code lanes.Reports} knows by the first words of its reason. */
    final class Turn implements ExecutionCondition {
        private static final Pattern INVOCATION = Pattern.compile("\\[test-template-invocation:#(\\d+)\\]$");

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            String turn = System.getProperty("bascule.turn", "");
            ByTurns turns = AnnotationSupport.findAnnotation(context.getElement(), ByTurns.class).orElse(null);
            if (turn.isEmpty() || turns == null) {
                return ConditionEvaluationResult.enabled("all are played");
            }
            Matcher invocation = INVOCATION.matcher(context.getUniqueId());
            boolean invoked = invocation.find();
            if (!invoked && AnnotationSupport.isAnnotated(context.getElement(), TestTemplate.class)) {
                return ConditionEvaluationResult.enabled("its invocations have turns");
            }
            int place = invoked // not the same transport in every test
                    ? Integer.parseInt(invocation.group(1)) + context.getRequiredTestMethod().getName().hashCode()
                    : turns.place();
            return isOn(place, turns.of())
                    ? ConditionEvaluationResult.enabled("turn " + turn)
                    : ConditionEvaluationResult.disabled(reason(turns.of()));
        }

        private static boolean isOn(int place, int of) {
            String turn = System.getProperty("bascule.turn", "");
            return turn.isEmpty() || Math.floorMod(place - Integer.parseInt(turn), of) == 0;
        }

        /** Whether it is the turn of what has this name, in one of 2, 3 or 4 rounds. */
        public static boolean isOfShare(String name, int of) {
            return Turns.isOfShare(System.getProperty("bascule.turn", ""), name, of);
        }

        private static String reason(int of) {
            return "not in turn " + System.getProperty("bascule.turn") + ": one of " + of + " is";
        }

        /** Turn of a test that a factory makes: it goes on in its turn only. */
        public static void await(int place, int of) {
            Assumptions.assumeTrue(isOn(place, of), () -> reason(of));
        }
    }

    /**
     * Choice without a mark: of classes of processes, of long tests and of the lab a share, and so of single tests under
     * sched_ext, of which some take minutes.
     */
    final class Shares implements ExecutionCondition {
        private static final int SINGLE_TESTS = 3;

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            boolean single = context.getTags().contains("scx");
            String name = single ? context.getTestMethod().map(Method::toString).orElse("") : className(context);
            int of = single
                    ? SINGLE_TESTS
                    : context.getTags().stream().mapToInt(Turns::sharesOf).max().orElse(1);
            return name.isEmpty() || Turn.isOfShare(name, of)
                    ? ConditionEvaluationResult.enabled("its share, or all")
                    : ConditionEvaluationResult.disabled(Turn.reason(of));
        }

        private static String className(ExtensionContext context) {
            Class<?> type = context.getElement().orElse(null) instanceof Class<?> one ? one : null;
            return type == null || type.isAnnotationPresent(Nested.class) || type.isAnnotationPresent(ByTurns.class)
                    ? ""
                    : type.getName();
        }
    }
}
