package dev.bascule.junit;

import dev.bascule.loopback.FaultPlan;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * One run of a test: makes what its parameters ask for when they ask, says the seed if the test fails, and closes everything
 * in reverse order. Thread rule: the test's thread.
 */
abstract class TestRun implements TestTemplateInvocationContext, ParameterResolver, AfterEachCallback {
    private static final String OURS = "dev.bascule.";

    private final String displayName;
    private final String title;
    private final long seed;
    private final Map<Class<?>, Supplier<?>> makers = new LinkedHashMap<>();
    private final Map<Class<?>, Object> made = new HashMap<>();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /**
     * With what every run has: its fault plan and a random source.
     *
     * @param displayName of the run, for test reports
     * @param title for messages, such as "a test over wave"
     */
    TestRun(String displayName, String title, FaultPlan plan) {
        this.displayName = displayName;
        this.title = title;
        seed = plan.seed();
        inject(FaultPlan.class, () -> plan);
        inject(SplittableRandom.class, () -> new SplittableRandom(seed));
    }

    @Override
    public final String getDisplayName(int invocationIndex) {
        return displayName;
    }

    @Override
    public final List<Extension> getAdditionalExtensions() {
        return List.of(this);
    }

    // ---- what there is ------------------------------------------------------------------------------------------

    /** A type that a parameter may have, and how its one object is made. */
    final <T> void inject(Class<T> type, Supplier<? extends T> maker) {
        makers.put(type, maker);
    }

    /** The run's one object of a type that was named to {@link #inject}. */
    final <T> T get(Class<T> type) {
        Object object = made.get(type);
        if (object == null) {
            object = Objects.requireNonNull(makers.get(type)).get();
            made.put(type, object);
        }
        return type.cast(object);
    }

    /** Closes it after the test, before what was made earlier. */
    final <T extends AutoCloseable> T closing(T resource) {
        open.push(resource);
        return resource;
    }

    // ---- parameters ---------------------------------------------------------------------------------------------

    @Override
    public final boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == long.class || makers.containsKey(type) || type.getName().startsWith(OURS);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        if (!(parameter.getDeclaringExecutable() instanceof Method)) {
            throw refusal(parameter, "a constructor is too early: make it a parameter of the test or of @BeforeEach");
        }
        if (type == long.class) {
            if (!parameter.isAnnotated(Seed.class)) {
                throw refusal(parameter, "a long is the run's seed if it is annotated with @Seed");
            }
            return seed;
        }
        return get(match(parameter, type));
    }

    private Class<?> match(ParameterContext parameter, Class<?> wanted) {
        if (makers.containsKey(wanted)) {
            return wanted;
        }
        for (Class<?> type : makers.keySet()) {
            if (wanted.isAssignableFrom(type)) {
                return type;
            }
        }
        throw refusal(parameter, "there are " + names());
    }

    private String names() {
        return makers.keySet().stream().map(Class::getSimpleName).collect(Collectors.joining(", ")) + ", @Seed long";
    }

    /** Says what cannot be injected, and why. */
    final ParameterResolutionException refusal(ParameterContext parameter, String why) {
        Executable method = parameter.getDeclaringExecutable();
        return new ParameterResolutionException(parameter.getParameter().getType().getSimpleName() + " (parameter "
                + (parameter.getIndex() + 1) + " of " + method.getDeclaringClass().getSimpleName() + "."
                + method.getName() + ") cannot be injected into " + title + ": " + why);
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    @Override
    public final void afterEach(ExtensionContext context) throws Exception {
        context.getExecutionException().filter(failure -> !(failure instanceof TestAbortedException))
                .ifPresent(failure -> tellSeed(context, failure));
        close();
    }

    private void tellSeed(ExtensionContext context, Throwable failure) {
        SeedNote note = new SeedNote("seed " + seed + "; again with -D" + Seeds.PROPERTY + "=" + seed);
        failure.addSuppressed(note);
        System.err.println(
                context.getRequiredTestClass().getSimpleName() + "." + context.getRequiredTestMethod().getName()
                        + " [" + displayName + "] failed with " + note.getMessage());
    }

    private void close() throws Exception {
        Exception first = null;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Carries the seed to where a failure is printed. */
    private static final class SeedNote extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SeedNote(String message) {
            super(message, null, false, false);
        }

        @Override
        public String toString() {
            return String.valueOf(getMessage());
        }
    }
}
