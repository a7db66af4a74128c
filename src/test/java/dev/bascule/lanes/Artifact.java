package dev.bascule.lanes;

import dev.bascule.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * The claims that somebody who evaluates the artefact checks, one after the other, each by its command. Exit status 0:
 * all hold; 1: one does not; 2: a word on the command line means nothing.
 */
final class Artifact {
    /** How much longer than it says a command may take. */
    private static final int PATIENCE = 6;

    /** A claim and what came of it. */
    record Checked(Claim claim, List<Reading.Result> results, double seconds, boolean passed) {}

    private final Path base;
    private final Path logs;

    private Artifact(Path base) {
        this.base = base;
        this.logs = base.resolve("target/artifact");
    }

    /** {@code CLONE OPTION...}. */
    public static void main(String[] arguments) throws IOException {
        Path base = Path.of(arguments[0]);
        List<Claim> claims = Claim.parse(Files.readString(base.resolve("src/build/claims.txt")));
        boolean json = false;
        Path report = base.resolve("target/artifact.html"); // a build has made the folder
        Set<String> only = new TreeSet<>();
        for (int i = 1; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--json" -> json = true;
                case "--list" -> {
                    claims.forEach(
                            claim -> System.out.printf("%-4s %4d s  %s%n      $ %s%n", claim.id(), claim.seconds(),
                                    claim.text(), claim.command()));
                    return;
                }
                case "--report" -> report = Path.of(value(arguments, ++i, "--report needs a file"));
                default -> only.add(known(claims, arguments[i]));
            }
        }
        Runtime.getRuntime().addShutdownHook(new Thread(Program::endAll));
        try {
            Files.writeString(report, ""); // what cannot be written is said before ten minutes have gone
        } catch (IOException e) {
            System.err.println(
                    "scripts/artifact: the page cannot be written: " + report + " (" + e.getClass().getSimpleName()
                            + "); give another place by --report FILE");
            System.exit(1);
        }
        try {
            System.exit(new Artifact(base).run(claims, only, json, report) ? 0 : 1);
        } catch (InterruptedException e) {
            return; // Ctrl-C: the hook ends what runs
        }
    }

    private static String value(String[] arguments, int at, String problem) {
        if (at >= arguments.length) {
            wrongUse(problem);
        }
        return arguments[at];
    }

    private static String known(List<Claim> claims, String id) {
        if (claims.stream().noneMatch(claim -> claim.id().equals(id))) {
            wrongUse("no claim or option '" + id + "'");
        }
        return id;
    }

    private static void wrongUse(String problem) {
        System.err.println(
                "scripts/artifact: " + problem + "; scripts/artifact --list lists the claims, --help the options");
        System.exit(2);
    }

    private boolean run(List<Claim> claims, Set<String> only, boolean json, Path report)
            throws IOException, InterruptedException {
        List<Claim> chosen = claims.stream().filter(claim -> only.isEmpty() || only.contains(claim.id())).toList();
        Files.createDirectories(logs);
        List<Checked> checked = new ArrayList<>();
        for (Claim claim : chosen) {
            System.err.printf("bascule: %s (%d of %d, about %d s): %s%n", claim.id(), checked.size() + 1, chosen.size(),
                    claim.seconds(), claim.command());
            Checked one = check(claim);
            checked.add(one);
            if (!json) {
                System.out.print(text(one));
            }
        }
        boolean passed = checked.stream().allMatch(Checked::passed);
        String machine = ArtifactPage.machine(base);
        Files.writeString(report, ArtifactPage.of(checked, machine));
        System.out.println(json
                ? json(checked, machine).pretty()
                : String.format(Locale.ROOT, "%d of %d claims hold, in %.0f s; the page: %s", checked.stream()
                        .filter(Checked::passed).count(), checked.size(),
                        checked.stream().mapToDouble(Checked::seconds)
                                .sum(),
                        report));
        return passed;
    }

    private Checked check(Claim claim) throws IOException, InterruptedException {
        Path out = logs.resolve(claim.id() + ".out");
        Path err = logs.resolve(claim.id() + ".err");
        long begun = System.nanoTime();
        int status = new Program(base, err, List.of("timeout", "--foreground", "-k", "10",
                String.valueOf(PATIENCE * claim.seconds()), "bash", "-c", "{ " + claim.command() + "\n} >" + out))
                .run(claim.id(), log -> log.strip().lines().reduce("", (first, second) -> second));
        double seconds = (System.nanoTime() - begun) / 1e9;
        String output = Files.readString(out);
        List<Reading.Result> results = claim.readings().stream().map(reading -> reading.of(output, status)).toList();
        return new Checked(claim, results, seconds, results.stream().allMatch(Reading.Result::holds));
    }

    private String text(Checked one) {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%-4s %s  %s (%.0f s)%n", one.claim().id(),
                one.passed() ? "PASS" : "FAIL", one.claim().text(), one.seconds()));
        for (int i = 0; i < one.results().size(); i++) {
            Reading reading = one.claim().readings().get(i);
            text.append(
                    String.format("       %s %s: %s%n", reading.what(), reading.must(), one.results().get(i).read()));
        }
        if (!one.passed()) {
            text.append(String.format("       $ %s%n       its output: %s, %s%n", one.claim().command(),
                    logs.resolve(one.claim().id() + ".out"), logs.resolve(one.claim().id() + ".err")));
        }
        return text.toString();
    }

    private static Json.Obj json(List<Checked> checked, String machine) {
        return Json.object().put("machine", machine).put("claims", Json.array(checked, one -> {
            Json.Arr readings = Json.array();
            for (int i = 0; i < one.results().size(); i++) {
                Reading reading = one.claim().readings().get(i);
                readings.add(Json.object().put("what", reading.what()).put("must", reading.must())
                        .put("read", one.results().get(i).read()).put("holds", one.results().get(i).holds()));
            }
            return Json.object().put("id", one.claim().id()).put("claim", one.claim().text())
                    .put("promises", one.claim().promises()).put("command", one.claim().command())
                    .put("seconds", one.seconds()).put("readings", readings)
                    .put("verdict", one.passed() ? "PASS" : "FAIL");
        })).put("passed", checked.stream().filter(Checked::passed).count());
    }
}
