package dev.bascule.lanes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The checked claims as one page that prints on paper: a list to tick, with what was expected and what was read. */
final class ArtifactPage {
    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Bascule: artefact evaluation</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <style>
            body { font: 15px/1.45 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
            body { color: #222; background: #fff }
            section { border-top: 1px solid #bbb; padding: .7rem 0; break-inside: avoid }
            h2 { font-size: 1rem; margin: 0 }
            pre { white-space: pre-wrap; background: #f3f3f3; padding: .4rem .6rem; margin: .4rem 0 }
            table { border-collapse: collapse; width: 100% }
            td, th { text-align: left; padding: .15rem .6rem .15rem 0; vertical-align: top }
            .FAIL { color: #a00; font-weight: bold } .PASS { color: #060; font-weight: bold } .note { color: #555 }
            @media print { body { margin: 0; font-size: 11px } pre { background: none; border: 1px solid #ccc } }
            </style></head><body>
            """;

    private ArtifactPage() {}

    static String of(List<Artifact.Checked> checked, String machine) {
        long passed = checked.stream().filter(Artifact.Checked::passed).count();
        StringBuilder page = new StringBuilder(HEAD).append("<h1>Bascule: artefact evaluation</h1>\n<p>").append(passed)
                .append(" of ").append(checked.size()).append(" claims hold, in ")
                .append(Math.round(checked.stream().mapToDouble(Artifact.Checked::seconds).sum()))
                .append(" s on ").append(escaped(machine))
                .append(".</p>\n<p>Available: the sources, under Apache-2.0. Functional: one command each, ")
                .append("below, no root and no device. Reproduced: figures are read from the command's output; ")
                .append("simulated ones say so.</p>\n");
        checked.forEach(one -> page.append(section(one)));
        return page.append("</body></html>\n").toString();
    }

    private static String section(Artifact.Checked one) {
        Claim claim = one.claim();
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < one.results().size(); i++) {
            Reading reading = claim.readings().get(i);
            rows.append(String.format("<tr><td>%s</td><td>%s</td><td>%s</td><td class=\"%3$s\">%s</td></tr>%n"
                    .replace("%3$s", one.results().get(i).holds() ? "PASS" : "FAIL"), escaped(reading.what()),
                    escaped(reading.must()), escaped(one.results().get(i).read()),
                    one.results().get(i).holds() ? "PASS" : "FAIL"));
        }
        return String.format(Locale.ROOT,
                "<section><h2>%s %s: %s <span class=\"%s\">%s</span></h2>%n"
                        + "<p class=\"note\">%s; about %d s, took %.0f s</p>%n<pre>$ %s</pre>%n"
                        + "<table><tr><th>read</th><th>must be</th><th>is</th><th></th></tr>%n%s</table>%s</section>%n",
                one.passed() ? "☑" : "☐", claim.id(), escaped(claim.text()), one.passed() ? "PASS" : "FAIL",
                one.passed() ? "PASS" : "FAIL", escaped(claim.promises()), claim.seconds(), one.seconds(),
                escaped(claim.command()), rows,
                claim.note().isEmpty() ? "" : "<p class=\"note\">" + escaped(claim.note()) + "</p>");
    }

    /** Processor, number of CPUs, kernel, JVM. */
    static String machine(Path base) {
        String model = "an unnamed CPU";
        try {
            model = Files.readAllLines(Path.of("/proc/cpuinfo")).stream().filter(line -> line.startsWith("model name"))
                    .map(line -> line.replaceFirst(".*: ", "")).findFirst().orElse(model);
        } catch (IOException e) {
            return model;
        }
        return model + ", " + Runtime.getRuntime().availableProcessors() + " CPUs, Linux "
                + System.getProperty("os.version") + ", " + System.getProperty("java.vendor") + " "
                + System.getProperty("java.version");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
