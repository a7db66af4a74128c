package dev.bascule.registry;

import dev.bascule.agent.Agent;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A policy that is named by its class: the user's own, in a jar, a folder or on the class path. */
final class OwnPolicy {
    private final String name;
    private final Map<String, String> options;

    private OwnPolicy(String name, Map<String, String> options) {
        this.name = name;
        this.options = options;
    }

    /**
     * Makes agents of that class. With options by its public constructor of a {@code Map<String, String>}; without by the
     * one without arguments, or else by that one.
     *
     * @throws IllegalArgumentException if there is no such class, it is no agent, or it has no such constructor
     */
    static Supplier<Agent> of(String name, Map<String, String> options, List<Path> path) {
        OwnPolicy policy = new OwnPolicy(name, options);
        PolicyPath places = new PolicyPath(path);
        try {
            Class<?> found = Class.forName(name, true, places.loader());
            if (!Agent.class.isAssignableFrom(found)) {
                throw policy.wrong("the class does not implement " + Agent.class.getName() + "; extend QueueAgent");
            }
            if (!Modifier.isPublic(found.getModifiers()) || Modifier.isAbstract(found.getModifiers())) {
                throw policy.wrong("the class must be public and not abstract");
            }
            return policy.maker(found.asSubclass(Agent.class));
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            throw policy.missing(e, places);
        } catch (UnsupportedClassVersionError e) {
            throw policy.wrong("it is compiled for a newer Java than " + Runtime.version().feature()
                    + "; compile it with --release " + Runtime.version().feature(), e);
        } catch (ExceptionInInitializerError e) {
            throw policy.threw("its static initializer", e.getCause() == null ? e : e.getCause());
        } catch (LinkageError e) {
            throw policy.wrong("the class cannot be loaded: " + e, e);
        }
    }

    private IllegalArgumentException missing(Throwable why, PolicyPath places) {
        String absent = String.valueOf(why.getMessage()).replace('/', '.');
        if (why instanceof NoClassDefFoundError && !absent.startsWith(name)) {
            return wrong("it needs the class " + absent + ", which is in none of the places of --policy-path; add its"
                    + " jar", why);
        }
        return wrong("there is no such class " + places.describe(), why);
    }

    private Supplier<Agent> maker(Class<? extends Agent> type) {
        Constructor<? extends Agent> plain = constructor(type);
        Constructor<? extends Agent> optioned = constructor(type, Map.class);
        if (optioned != null && (plain == null || !options.isEmpty())) {
            return () -> make(optioned, Map.copyOf(options));
        }
        if (plain == null) {
            throw wrong(
                    "it needs a public constructor without arguments, or one with a Map<String, String> of options");
        }
        if (!options.isEmpty()) {
            throw wrong(
                    "it takes no options, but " + options.keySet() + " was given; it needs a public constructor with"
                            + " a Map<String, String> for them");
        }
        return () -> make(plain);
    }

    private static @Nullable Constructor<? extends Agent> constructor(
            Class<? extends Agent> type, Class<?>... arguments) {
        try {
            return type.getConstructor(arguments);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    private Agent make(Constructor<? extends Agent> maker, Object... arguments) {
        try {
            return maker.newInstance(arguments);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            throw threw("its constructor", cause == null ? e : cause);
        } catch (ReflectiveOperationException e) {
            throw wrong("cannot be made: " + e, e);
        }
    }

    private IllegalArgumentException threw(String who, Throwable why) {
        StackTraceElement[] stack = why.getStackTrace();
        return wrong(who + " threw " + why + (stack.length == 0 ? "" : " at " + stack[0]), why);
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("policy " + name + ": " + what);
    }

    private IllegalArgumentException wrong(String what, Throwable why) {
        return new IllegalArgumentException("policy " + name + ": " + what, why);
    }
}
