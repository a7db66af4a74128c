package dev.bascule.lanes;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A claim of the artefact: what is claimed, the command that shows it, and what must be read from it.
 *
 * @param promises numbers of {@code specification.md}, or the published source
 * @param seconds about how long the command takes on two cores
 */
record Claim(String id, String text, String promises, int seconds, String command, List<Reading> readings,
        String note) {
    private static final Pattern HEAD = Pattern.compile("(A\\d+) \\| ([^|]+) \\| ([^|]+) \\| (\\d+) s");

    /**
     * The claims of a file: a head {@code A1 | text | promises | 30 s}, then, indented, {@code $ command}, one or more
     * readings, and a note that begins with {@code #}. IllegalArgumentException: a line is none of these, with its number.
     */
    static List<Claim> parse(String file) {
        List<Claim> claims = new ArrayList<>();
        List<String> lines = file.lines().toList();
        for (int at = 0; at < lines.size(); at++) {
            String line = lines.get(at);
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            Matcher head = HEAD.matcher(line);
            if (!head.matches()) {
                throw new IllegalArgumentException("line " + (at + 1) + " is no head of a claim: " + line);
            }
            String command = "";
            String note = "";
            List<Reading> readings = new ArrayList<>();
            while (at + 1 < lines.size() && lines.get(at + 1).startsWith("  ")) {
                String more = lines.get(++at).strip();
                if (more.startsWith("$ ")) {
                    command = more.substring(2);
                } else if (more.startsWith("# ")) {
                    note = more.substring(2);
                } else {
                    readings.add(Reading.parse(more));
                }
            }
            if (command.isEmpty() || readings.isEmpty()) {
                throw new IllegalArgumentException(head.group(1) + " has no command, or nothing that is read");
            }
            claims.add(new Claim(head.group(1), head.group(2), head.group(3), Integer.parseInt(head.group(4)), command,
                    List.copyOf(readings), note));
        }
        return claims;
    }
}
