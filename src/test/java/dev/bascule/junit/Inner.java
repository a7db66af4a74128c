package dev.bascule.junit;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * What became of a test class that was run within a test.
 *
 * @param passed names of runs that passed
 * @param failures what failed said, containers too
 * @param printed what was printed to standard error
 */
record Inner(List<String> passed, List<Throwable> failures, String printed) {
    /** Runs a class's tests as a build would. */
    static Inner run(Class<?> tests, Map<String, String> parameters) {
        List<String> passed = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        PrintStream usual = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            LauncherFactory.create().execute(
                    LauncherDiscoveryRequestBuilder.request().selectors(DiscoverySelectors.selectClass(tests))
                            .configurationParameters(parameters).build(),
                    new TestExecutionListener() {
                        @Override
                        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                            if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                                failures.add(result.getThrowable().orElseGet(AssertionError::new));
                            } else if (test.isTest()) {
                                passed.add(test.getDisplayName());
                            }
                        }
                    });
        } finally {
            System.setErr(usual);
        }
        return new Inner(passed, failures, printed.toString(StandardCharsets.UTF_8));
    }

    static Inner run(Class<?> tests) {
        return run(tests, Map.of());
    }

    /** The only failure's message. */
    String failure() {
        if (failures.size() != 1) {
            throw new AssertionError(failures.size() + " failures: " + failures);
        }
        return String.valueOf(failures.getFirst().getMessage());
    }
}
