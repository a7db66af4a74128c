package dev.bascule.cli;

import dev.bascule.app.judge.Finding;
import dev.bascule.app.judge.Finding.Verdict;
import dev.bascule.app.judge.Judge;
import dev.bascule.json.Json;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Output of {@code judge}: a line for each part as it ends, then the first difference; or one JSON document. */
final class JudgeReport {
    private final PrintWriter out;
    private final boolean json;
    private final String label;
    private final List<String> typed;
    private final long seed;
    private final List<Finding> findings = new ArrayList<>();

    JudgeReport(PrintWriter out, boolean json, String label, List<String> typed, long seed) {
        this.out = out;
        this.json = json;
        this.label = label;
        this.typed = typed;
        this.seed = seed;
    }

    void begin() {
        if (!json) {
            out.printf("Card: %s; seed %d%n%n", label, seed);
            out.flush();
        }
    }

    void add(Finding finding) {
        findings.add(finding);
        if (!json) {
            out.printf(Locale.ROOT, "%-14s  %-14s  %6.1f s  %s%n", finding.part(), finding.verdict().text(),
                    finding.seconds(), finding.text());
            out.flush();
        }
    }

    boolean hasFailed() {
        return count(Verdict.FAILED) > 0;
    }

    private long count(Verdict verdict) {
        return findings.stream().filter(one -> one.verdict() == verdict).count();
    }

    /** @param whole whether all parts that were wanted have been asked */
    void end(boolean whole) {
        if (json) {
            out.print(document(whole).pretty());
        } else {
            out.printf("%n%d passed, %d failed, %d not applicable%s%n", count(Verdict.PASSED), count(Verdict.FAILED),
                    count(Verdict.NOT_APPLICABLE), whole ? "" : "; interrupted, so the rest was not asked");
            findings.stream().filter(one -> one.verdict() == Verdict.FAILED).findFirst().ifPresent(this::difference);
        }
        out.flush();
    }

    private void difference(Finding first) {
        out.printf("%nFirst difference, in part %s:%n  %s%n", first.part(), first.text());
        first.bytes().forEach(row -> out.println("    " + row));
        if (!first.history().isEmpty()) {
            out.println("  What led to it, the last at the end:");
            first.history().forEach(one -> out.println("    " + one));
        }
        out.println("  Again: " + again(first));
    }

    /** The command that asks the part alone once more, with the same frames. */
    private String again(Finding first) {
        List<String> words = new ArrayList<>(List.of("bascule"));
        for (int i = 0; i < typed.size(); i++) {
            String word = typed.get(i);
            if (word.equals("--only") || word.equals("--skip") || word.equals("--seed")) {
                i++; // and its value
            } else if (!word.matches("--(only|skip|seed)=.*")) {
                words.add(word.matches("[\\w./:=,+-]+") ? word : "'" + word + "'");
            }
        }
        if (Judge.parts().containsKey(first.part())) {
            words.addAll(List.of("--only", first.part()));
        }
        words.addAll(List.of("--seed", Long.toString(seed)));
        return String.join(" ", words);
    }

    private Json.Obj document(boolean whole) {
        return Json.object().put("card", label).put("seed", seed).put("whole", whole)
                .put("passed", count(Verdict.PASSED))
                .put("failed", count(Verdict.FAILED)).put("notApplicable", count(Verdict.NOT_APPLICABLE))
                .put("parts", Json.array(findings, one -> Json.object().put("part", one.part())
                        .put("verdict", one.verdict().text().toLowerCase(Locale.ROOT)).put("text", one.text())
                        .put("seconds", one.seconds()).put("bytes", Json.texts(one.bytes()))
                        .put("history", Json.texts(one.history()))));
    }
}
