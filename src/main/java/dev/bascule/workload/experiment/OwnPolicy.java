package dev.bascule.workload.experiment;

import dev.bascule.agent.Agent;
import java.lang.reflect.Constructor;
import java.util.function.Supplier;

/** A policy that is named by its class: the user's own, on the class path. */
final class OwnPolicy {
    private OwnPolicy() {}

    /** Whether the word names a class rather than a policy that ships: it has a dot. */
    static boolean isMeant(String word) {
        return word.indexOf('.') > 0;
    }

    /**
     * Makes agents of that class.
     *
     * @throws IllegalArgumentException if there is no such class, it is no agent, or it cannot be made without arguments
     */
    static Supplier<Agent> named(String className) {
        try {
            Class<?> found = Class.forName(className, true, ClassLoader.getSystemClassLoader());
            if (!Agent.class.isAssignableFrom(found)) {
                throw new IllegalArgumentException("policy=" + className + ": the class does not implement "
                        + Agent.class.getName() + "; extend QueueAgent");
            }
            Constructor<? extends Agent> maker = found.asSubclass(Agent.class).getConstructor();
            return () -> make(className, maker);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new IllegalArgumentException("policy=" + className + ": there is no such class on the class path ("
                    + e + "); start Bascule as: java -cp bascule.jar:YOURS dev.bascule.cli.Main sim policy="
                    + className,
                    e);
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException("policy=" + className
                    + ": it needs a public constructor without arguments, and must be public itself", e);
        }
    }

    private static Agent make(String className, Constructor<? extends Agent> maker) {
        try {
            return maker.newInstance();
        } catch (ReflectiveOperationException e) {
            Throwable why = e.getCause() == null ? e : e.getCause();
            throw new IllegalArgumentException("policy=" + className + ": cannot be made: " + why, e);
        }
    }
}
