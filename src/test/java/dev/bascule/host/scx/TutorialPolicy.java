package dev.bascule.host.scx;

import dev.bascule.agent.Agent;
import dev.bascule.lab.Lab;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.function.Supplier;

/** The policy that the tutorial writes, as scripts/lab-scx has compiled it. */
final class TutorialPolicy {
    private TutorialPolicy() {}

    static Supplier<Agent> load() throws Exception {
        URL classes = Lab.HOME.resolve("target/tutorial").toUri().toURL();
        Class<? extends Agent> type = new URLClassLoader(new URL[] { classes }).loadClass("LifoAgent")
                .asSubclass(Agent.class);
        return () -> {
            try {
                return type.getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        };
    }
}
