package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Whoever measures another's silence first asks whether it was away itself: {@code ffi.WatchedTime} does, by itself or in
 * {@code ffi.Patience}. What compares the clock with a limit in another way is in {@code silences.txt}, with the reason.
 */
class SilencesTest {
    private static final Pattern JUDGES = Pattern.compile("nanoTime\\(\\)(\\s*-\\s*[\\w.\\[\\]]+)?\\s*[<>]"
            + "|[\\w.)]\\s*-\\s*\\(?([\\w.]+\\.)?nanoTime\\(\\)"
            + "|\\b(now|wall)(Nanos)?\\s*-\\s*[\\w.\\[\\]()]+\\s*[<>]"
            + "|\\bnow(Nanos)?\\s*[<>]=?\\s*[\\w.\\[\\]]*([dD]eadline|[uU]ntil|[eE]nd|[lL]imit)");
    /** A wait with an end of its own: what follows from it is a judgement, whoever names the length. */
    private static final Pattern WAITS = Pattern.compile("\\.(waitFor|await|awaitTermination|join|get|poll|tryLock)\\("
            + "[^()]*(\\b(SECONDS|MILLISECONDS|NANOSECONDS)\\b|[A-Z]_(SECONDS|MILLIS|NANOS)\\b)|\\.join\\([1-9]");
    private static final Pattern PATIENT = Pattern.compile("\\bPatience\\b");
    private static final Pattern WATCHED = Pattern.compile("\\bWatchedTime\\b");
    private static final Set<String> ALLOWED = House.allowed("silences.txt");

    @Test
    void whoJudgesAnotherByTheClockWatches() {
        assertThat(judging().stream().filter(one -> allowedBy(one) == null).toList())
                .as("they compare the clock with a limit: by ffi.Patience, if it is another's silence that they measure")
                .isEmpty();
    }

    @Test
    void theListHasNobodyWhoJudgesNobody() {
        assertThat(ALLOWED)
                .containsExactlyInAnyOrderElementsOf(new TreeSet<>(judging().stream().map(SilencesTest::allowedBy)
                        .filter(one -> one != null).toList()));
    }

    @Test
    void theRuleSeesADeadline() {
        for (String offender : List.of("while (System.nanoTime() < deadline) {", "if (System.nanoTime() - end >= 0) {",
                "if (now - lastNanos > LIMIT_NANOS) {", "long rest = deadline - System.nanoTime();",
                "if (backing.nanoTime() - start > NANOS) {", "if (nowNanos >= deadlineNanos) {",
                "long left = timeoutNanos - (System.nanoTime() - start);")) {
            assertThat(JUDGES.matcher(offender).find()).as(offender).isTrue();
        }
        for (String offender : List.of("if (!process.waitFor(2, TimeUnit.SECONDS)) {", "thread.join(STOP_MILLIS);",
                "done.await(LIMIT_SECONDS, TimeUnit.SECONDS)", "event.await(LONGEST_MILLIS)")) {
            assertThat(WAITS.matcher(offender).find()).as(offender).isTrue();
        }
        assertThat(JUDGES.matcher("took = System.nanoTime() - start;").find()).isFalse();
    }

    /** An entry is a class or, with a slash behind it, a package. */
    private static @Nullable String allowedBy(String name) {
        return ALLOWED.stream().filter(one -> one.endsWith("/") ? name.startsWith(one) : name.equals(one)).findFirst()
                .orElse(null);
    }

    private static List<String> judging() {
        return House.files("src/main/java", ".java").stream().filter(SilencesTest::judges)
                .map(file -> House.relative(file).replaceFirst("src/main/java/dev/bascule/", "")
                        .replaceFirst("\\.java$", ""))
                .toList();
    }

    private static boolean judges(Path file) {
        String code = House.read(file);
        return !WATCHED.matcher(code).find()
                && (JUDGES.matcher(code).find() || WAITS.matcher(code).find() && !PATIENT.matcher(code).find());
    }
}
