package dev.bascule.lab;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes by name in one JVM and writes a report as Surefire does: for a virtual machine under emulation, which
 * has no time for Maven, nor for looking through the class path, and for lanes beside a Maven that is at work.
 */
public final class LabMain {
    private LabMain() {}

    /**
     * {@code REPORTS [--tag TAG] CLASS...}; exit status 1 when a test failed. Tests of tag "more" take long, or have not been
     * seen to pass often enough: they run with BASCULE_LAB_MORE=1 only. BASCULE_LAB_TESTS=REGEX: only methods of such names.
     */
    public static void main(String[] arguments) throws IOException {
        Path reports = Files.createDirectories(Path.of(arguments[0]));
        boolean tagged = arguments[1].equals("--tag");
        List<String> classes = Arrays.asList(arguments).subList(tagged ? 3 : 1, arguments.length);
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                .selectors(classes.stream().map(name -> selectClass(name)).toList());
        if (tagged) {
            request.filters(TagFilter.includeTags(arguments[2]));
        }
        if (System.getenv("BASCULE_LAB_MORE") == null) {
            request.filters(TagFilter.excludeTags("more"));
        }
        String names = System.getenv("BASCULE_LAB_TESTS");
        if (names != null) {
            request.filters((PostDiscoveryFilter) test -> FilterResult.includedIf(test.getSource()
                    .map(source -> !(source instanceof MethodSource method) || method.getMethodName().matches(names))
                    .orElse(true)));
        }
        LabReport report = new LabReport(System.out);
        LauncherFactory.create().execute(request.build(), report);
        report.write(reports);
        System.exit(report.failures() == 0 ? 0 : 1);
    }
}
