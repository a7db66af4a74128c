package dev.bascule.junit;

import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.FaultRule;
import dev.bascule.loopback.FaultSite;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** The fault plans of a test, one for each seed: from {@link Seed}, {@link Faults} and {@value #PROPERTY}. */
final class Seeds {
    /** Names the one seed to run with. */
    static final String PROPERTY = "bascule.seed";

    private Seeds() {}

    /**
     * One plan for each seed.
     *
     * @param sites where a fault can strike in this kind of test
     * @param kind of test, for messages
     * @throws ExtensionConfigurationException for a seed or a rule that cannot be read, or that never strikes
     */
    static List<FaultPlan> plans(ExtensionContext context, Set<FaultSite> sites, String kind) {
        List<FaultRule> rules = rules(context, sites, kind);
        List<FaultPlan> plans = new ArrayList<>();
        for (long seed : seeds(context)) {
            plans.add(new FaultPlan(seed, rules));
        }
        return plans;
    }

    /** Whether seeds were asked for, so that a run is named by its seed too. */
    static boolean areNamed(ExtensionContext context) {
        return find(context, Seed.class).map(seed -> seed.value().length > 1).orElse(false);
    }

    private static long[] seeds(ExtensionContext context) {
        Optional<String> given = context.getConfigurationParameter(PROPERTY);
        if (given.isPresent()) {
            try {
                return new long[] { Long.decode(given.get().strip()) };
            } catch (NumberFormatException e) {
                throw new ExtensionConfigurationException(PROPERTY + " is '" + given.get() + "'; it is a whole number",
                        e);
            }
        }
        long[] seeds = find(context, Seed.class).map(Seed::value).orElse(new long[0]);
        return seeds.length > 0 ? seeds : new long[] { ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE) };
    }

    private static List<FaultRule> rules(ExtensionContext context, Set<FaultSite> sites, String kind) {
        List<FaultRule> rules = new ArrayList<>();
        for (String text : find(context, Faults.class).map(Faults::value).orElse(new String[0])) {
            FaultRule rule;
            try {
                rule = FaultRule.parse(text);
            } catch (IllegalArgumentException e) {
                throw new ExtensionConfigurationException("@Faults: " + e.getMessage(), e);
            }
            if (!sites.contains(rule.site())) {
                throw new ExtensionConfigurationException("@Faults: '" + text + "' never strikes in " + kind
                        + "; its sites are " + sites.stream().map(FaultSite::text).sorted().toList());
            }
            rules.add(rule);
        }
        return rules;
    }

    private static <A extends Annotation> Optional<A> find(ExtensionContext context, Class<A> type) {
        Optional<A> found = AnnotationSupport.findAnnotation(context.getTestMethod(), type);
        Class<?> from = context.getRequiredTestClass();
        while (found.isEmpty() && from != null) {
            found = AnnotationSupport.findAnnotation(from, type);
            from = from.getEnclosingClass();
        }
        return found;
    }
}
