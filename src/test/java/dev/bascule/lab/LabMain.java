package dev.bascule.lab;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes by name in one JVM and writes a report as Surefire does: a virtual machine under emulation has no
 * time for Maven, nor for looking through the class path.
 */
public final class LabMain {
    private LabMain() {}

    /** {@code REPORTS CLASS...}; exit status 1 when a test failed. */
    public static void main(String[] arguments) throws IOException {
        Path reports = Files.createDirectories(Path.of(arguments[0]));
        List<String> classes = Arrays.asList(arguments).subList(1, arguments.length);
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(classes.stream().map(name -> selectClass(name)).toList()).build();
        LabReport report = new LabReport(System.out);
        LauncherFactory.create().execute(request, report);
        report.write(reports);
        System.exit(report.failures() == 0 ? 0 : 1);
    }
}
