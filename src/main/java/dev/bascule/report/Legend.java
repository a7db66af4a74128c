package dev.bascule.report;

import java.util.ArrayList;
import java.util.List;

/** Names of a drawing's series above it in even columns. Series differ in marker and dash, not in colour alone. */
final class Legend {
    private static final double ROW = 20;
    private static final double FIRST_ROW = 16;
    private static final double MARK = 46;
    private static final double DASH = 26;

    private final double left;
    private final double width;
    private final List<Entry> entries = new ArrayList<>();

    private record Entry(String name, int colour, int shape, boolean hasLine) {}

    private record Placed(Entry entry, double x, double y, List<String> lines) {}

    /** Between {@code left} and {@code width} of the drawing. */
    Legend(double left, double width) {
        this.left = left;
        this.width = width;
    }

    /** Adds a series, with a piece of its line if it has one. */
    void add(String name, int colour, int shape, boolean hasLine) {
        entries.add(new Entry(name, colour, shape, hasLine));
    }

    private List<Placed> placed() {
        double cell = MARK + Svg.LABEL_LETTER * entries.stream().mapToInt(each -> each.name().length()).max().orElse(0);
        int columns = Math.max(1, (int) ((width - left) / cell));
        List<Placed> placed = new ArrayList<>();
        double y = FIRST_ROW;
        for (Entry each : entries) {
            int column = placed.size() % columns;
            List<String> lines = lines(each.name(), (int) ((width - left - MARK) / Svg.LABEL_LETTER));
            placed.add(new Placed(each, left + column * cell, y, lines));
            y += columns == 1 ? lines.size() * ROW : column == columns - 1 ? ROW : 0;
        }
        return placed;
    }

    /** Where the drawing below may begin. */
    double end() {
        List<Placed> placed = placed();
        return FIRST_ROW
                + (placed.isEmpty() ? 0 : placed.getLast().y() + (placed.getLast().lines().size() - 1) * ROW);
    }

    void draw(Svg svg) {
        for (Placed each : placed()) {
            Entry entry = each.entry();
            double at = each.y() - 4;
            if (entry.hasLine()) {
                svg.line("line s" + entry.colour() + " d" + entry.shape(), each.x(), at, each.x() + DASH, at);
            }
            svg.marker("dot f" + entry.colour(), entry.shape(), each.x() + DASH / 2, at, "");
            for (int i = 0; i < each.lines().size(); i++) {
                svg.text("label", each.x() + DASH + 6, each.y() + i * ROW, "start", each.lines().get(i));
            }
        }
    }

    /** Words in lines of so many letters. */
    private static List<String> lines(String text, int most) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > most) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
