package dev.bascule.ffi;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Word that a person probably meant, and the messages that name it. */
public final class NearestWord {
    private NearestWord() {}

    /** The candidate with the smallest edit distance, if it is near enough to be a guess and not a joke. */
    public static Optional<String> of(String word, Collection<String> candidates) {
        String lower = word.toLowerCase(Locale.ROOT);
        int limit = Math.min(word.length() - 1, Math.max(2, word.length() / 2));
        return candidates.stream().filter(c -> distance(lower, c.toLowerCase(Locale.ROOT)) <= limit)
                .min(Comparator.<String>comparingInt(c -> distance(lower, c.toLowerCase(Locale.ROOT)))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Words in brackets for a message: {@code  (did you mean 'fifo'?)}; empty when no candidate is near. */
    public static String hint(String word, Collection<String> candidates) {
        return of(word, candidates).map(near -> " (did you mean '" + near + "'?)").orElse("");
    }

    /** Message that nothing has this name: which is near, and all that there are. */
    public static String none(String kind, String word, Collection<String> names) {
        return "no " + kind + " is called '" + word + "'" + hint(word, names) + "; there are "
                + String.join(", ", names);
    }

    /** Edit distance with neighbouring letters swapped counted once (optimal string alignment). */
    public static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            d[i][0] = i;
        }
        for (int j = 0; j <= b.length(); j++) {
            d[0][j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + change);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
