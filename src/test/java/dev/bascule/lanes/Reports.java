package dev.bascule.lanes;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * The reports {@code TEST-*.xml} of one folder, in the form that Surefire writes. The elements are counted: what the head
 * of a report says leaves nested classes out. A report that cannot be read to its end is a failure of its own.
 */
final class Reports {
    private static final int LONGEST_REASON = 2000;
    private static final double LONG_SECONDS = 5;
    private static final int LONG_TOLD = 8;

    private int tests;
    private int failures;
    private int skips;
    private int turns;
    private final List<String> lines = new ArrayList<>();
    /** By top-level class. */
    private final Map<String, Double> seconds = new HashMap<>();

    private Reports() {}

    /** Reads a folder; without the folder there are no tests. */
    static Reports of(Path folder) throws IOException {
        Reports reports = new Reports();
        if (!Files.isDirectory(folder)) {
            return reports;
        }
        TreeSet<Path> files = new TreeSet<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "TEST-*.xml")) {
            found.forEach(files::add);
        }
        for (Path file : files) {
            reports.read(file);
        }
        return reports;
    }

    Counts counts() {
        return new Counts(tests - failures - skips, failures, skips);
    }

    /** One line a skipped test with its reason, one for all that have another turn; for each that failed its name with what it says, and where. */
    List<String> lines() {
        List<String> all = new ArrayList<>(lines);
        if (turns > 0) {
            all.add("    skipped: " + turns
                    + " combinations that have another turn; without --by-turns all are played");
        }
        return List.copyOf(all);
    }

    /** One line: the classes whose tests took longest together, where some took long; else none. */
    List<String> longest() {
        String line = seconds.entrySet().stream().filter(entry -> entry.getValue() >= LONG_SECONDS)
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed()).limit(LONG_TOLD)
                .map(entry -> String.format(Locale.ROOT, "%s %.0f s", entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(", "));
        return line.isEmpty() ? List.of() : List.of("    longest: " + line);
    }

    private void read(Path file) throws IOException {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        try (InputStream in = Files.newInputStream(file)) {
            XMLStreamReader xml = factory.createXMLStreamReader(in);
            String test = "?";
            while (xml.hasNext()) {
                if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                    continue;
                }
                switch (xml.getLocalName()) {
                    case "testcase" -> {
                        tests++;
                        test = attribute(xml, "classname") + "." + attribute(xml, "name");
                        took(attribute(xml, "classname"), attribute(xml, "time"));
                    }
                    case "skipped" -> {
                        skips++;
                        String why = reason(xml.getAttributeValue(null, "message"), text(xml));
                        if (why.startsWith("not in turn ")) {
                            turns++;
                        } else {
                            lines.add("    skipped: " + test + ": " + why);
                        }
                    }
                    case "failure", "error" -> {
                        failures++;
                        failed(test, xml.getAttributeValue(null, "message"), text(xml));
                    }
                    default -> {
                    }
                }
            }
        } catch (XMLStreamException e) {
            tests++;
            failures++;
            lines.add("    failed: " + file.getFileName() + ": cannot be read: " + e.getMessage().replace('\n', ' '));
        }
    }

    private void took(String name, String time) {
        if (!time.equals("?")) {
            seconds.merge(name.replaceFirst(".*\\.", "").replaceFirst("\\$.*", ""),
                    Double.parseDouble(time.replace(",", "")), Double::sum);
        }
    }

    private void failed(String test, String message, String trace) {
        lines.add("    failed: " + test + ": " + reason(message, trace));
        trace.lines().filter(line -> line.startsWith("\tat dev.bascule.")).findFirst()
                .ifPresent(place -> lines.add("    failed: " + test + ": " + place.strip()));
    }

    private static String attribute(XMLStreamReader xml, String name) {
        String value = xml.getAttributeValue(null, name);
        return value == null ? "?" : value;
    }

    /** The text of the element at hand, up to its end. */
    private static String text(XMLStreamReader xml) throws XMLStreamException {
        StringBuilder text = new StringBuilder();
        for (int depth = 1; depth > 0;) {
            switch (xml.next()) {
                case XMLStreamConstants.START_ELEMENT -> depth++;
                case XMLStreamConstants.END_ELEMENT -> depth--;
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> text.append(xml.getText());
                default -> {
                }
            }
        }
        return text.toString();
    }

    private static String reason(String message, String text) {
        String said = message != null
                ? message
                : text.strip().lines().findFirst().orElse("?").replaceFirst("^[A-Za-z0-9.$]*Exception: ", "");
        String line = said.replaceFirst("^Assumption failed: ", "").replace('\n', ' ');
        return line.substring(0, Math.min(line.length(), LONGEST_REASON));
    }
}
