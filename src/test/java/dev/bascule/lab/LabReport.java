package dev.bascule.lab;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** One line a test as it ends, and an XML file in the form of Surefire's. Tests may run in several threads. */
final class LabReport implements TestExecutionListener {
    private enum Outcome {
        PASSED, FAILED, SKIPPED
    }

    private record Entry(String className, String name, double seconds, Outcome outcome, String message) {}

    private final PrintStream out;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<String, Long> started = new ConcurrentHashMap<>();

    LabReport(PrintStream out) {
        this.out = out;
    }

    long failures() {
        return count(Outcome.FAILED);
    }

    private long count(Outcome outcome) {
        return entries.stream().filter(entry -> entry.outcome == outcome).count();
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        started.put(test.getUniqueId(), System.nanoTime());
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        add(test, Outcome.SKIPPED, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Throwable why = result.getThrowable().orElse(null);
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (test.isTest()) {
                    add(test, Outcome.PASSED, "");
                }
            }
            case ABORTED -> add(test, Outcome.SKIPPED, why == null ? "" : String.valueOf(why.getMessage()));
            case FAILED -> add(test, Outcome.FAILED, why == null ? "" : trace(why));
        }
    }

    private synchronized void add(TestIdentifier test, Outcome outcome, String message) {
        double seconds = (System.nanoTime() - started.getOrDefault(test.getUniqueId(), System.nanoTime())) / 1e9;
        String className = test.getSource().map(source -> source instanceof MethodSource method
                ? method.getClassName()
                : source instanceof ClassSource type ? type.getClassName() : "").orElse("");
        String name = test.getSource().map(source -> source instanceof MethodSource method
                ? name(method.getMethodName(), test.getDisplayName())
                : test.getDisplayName()).orElse(test.getDisplayName());
        entries.add(new Entry(className, name, seconds, outcome, message));
        out.printf(Locale.ROOT, "%-7s %6.2f s  %s.%s%s%n", outcome, seconds,
                className.substring(className.lastIndexOf('.') + 1), name, message.isEmpty() ? "" : "\n" + message);
        out.flush();
    }

    /** With the arguments of a parameterized test, or the name it has for them. */
    private static String name(String method, String display) {
        return display.startsWith(method + "(") ? method : method + (display.startsWith("[") ? "" : " ") + display;
    }

    private static String trace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    void write(Path folder) throws IOException {
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        xml.append("<testsuite name=\"lab\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\">%n"
                .formatted(entries.size(), failures(), count(Outcome.SKIPPED)));
        for (Entry entry : entries) {
            xml.append("<testcase classname=\"%s\" name=\"%s\" time=\"%.3f\"".formatted(escape(entry.className),
                    escape(entry.name), entry.seconds));
            switch (entry.outcome) {
                case PASSED -> xml.append("/>\n");
                case SKIPPED -> xml.append(">\n<skipped message=\"").append(escape(entry.message))
                        .append("\"/>\n</testcase>\n");
                case FAILED -> xml.append(">\n<failure>").append(escape(entry.message))
                        .append("</failure>\n</testcase>\n");
            }
        }
        Files.writeString(folder.resolve("TEST-lab.xml"), xml.append("</testsuite>\n"));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;")
                .replace("\n", "&#10;");
    }
}
