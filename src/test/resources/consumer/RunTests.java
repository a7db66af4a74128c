package org.example.consumer;

import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs the tests as a build tool does. */
public final class RunTests {
    private RunTests() {}

    public static void main(String[] args) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(LifoTest.class)).build(), listener);
        listener.getSummary().getFailures().forEach(failure -> failure.getException().printStackTrace());
        System.out.println("tests that passed: " + listener.getSummary().getTestsSucceededCount() + ", failed: "
                + listener.getSummary().getTotalFailureCount() + ", in "
                + (LifoTest.class.getModule().isNamed() ? LifoTest.class.getModule().getName() : "no module"));
    }
}
