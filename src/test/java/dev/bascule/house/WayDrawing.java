package dev.bascule.house;

import java.util.List;

/** Drawing of a {@link Way} from top to bottom: SVG for a telephone's width, on a ground of its own, light or dark. */
final class WayDrawing {
    private static final int WIDTH = 440;
    private static final int LEFT = 20;
    private static final int GAP = 12;
    private static final int FULL = WIDTH - 2 * LEFT;
    private static final int HALF = (FULL - GAP) / 2;
    private static final int LOW = 30;
    private static final int HIGH = 48;
    private static final int HEAD = 32;
    private static final int STEP = 22;
    private static final int LANE = 40;
    private static final int FOOT = 8;
    private static final double MONO = 7.83; // of 13 px

    private final Way way;
    private final StringBuilder lanes = new StringBuilder();
    private final StringBuilder body = new StringBuilder();
    private final int[] last = new int[2];
    private int y = 44;
    private int laneTop;

    private WayDrawing(Way way) {
        this.way = way;
    }

    static String svg(Way way) {
        return new WayDrawing(way).draw();
    }

    private String draw() {
        for (int i = 0; i < way.rows().size(); i++) {
            row(i);
        }
        closeLane();
        y += LEFT - FOOT;
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 440 %1$d" width="440" height="%1$d" role="img" \
                aria-labelledby="t d" font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" \
                font-size="13">
                  <title id="t">%2$s</title>
                  <desc id="d">%3$s</desc>
                  <style>
                    .ground { fill: #ffffff; stroke: #d5dde5 } .lane { fill: #f2f6fa; stroke: #b9c6d3 }
                    .box { fill: #ffffff; stroke: #7b8b9b } text { fill: #1c2733 } .soft { fill: #52616f }
                    .call { stroke: #1c2733; stroke-width: 1.5 } .back { stroke-dasharray: 3 3 }
                    .memory { stroke: #1763b6; stroke-width: 3 } .head { fill: #1c2733 } .blue { fill: #1763b6 }
                    .open { fill: #f2f6fa; stroke: #1c2733; stroke-width: 1.5 }
                    .name { font-family: ui-monospace, 'DejaVu Sans Mono', monospace }
                    @media (prefers-color-scheme: dark) {
                      .ground { fill: #10161d; stroke: #33404d } .lane { fill: #18212b; stroke: #3d4b59 }
                      .box { fill: #10161d; stroke: #6b7b8b } text { fill: #e3eaf1 } .soft { fill: #a5b3c1 }
                      .call { stroke: #e3eaf1 } .memory { stroke: #6cb0ff } .head { fill: #e3eaf1 }
                      .open { fill: #18212b; stroke: #e3eaf1 } .blue { fill: #6cb0ff }
                    }
                  </style>
                  <rect class="ground" x="1" y="1" width="438" height="%4$d" rx="10"/>
                """.formatted(y, way.title(), description(), y - 2) + legend() + lanes + body + "</svg>\n";
    }

    private static String legend() {
        StringBuilder text = new StringBuilder();
        int x = LEFT;
        for (String[] one : new String[][] { { "call", "calls" }, { "call back", "returns to" },
                { "memory", "memory, both find it by" } }) {
            text.append(line(one[0], x, 24, x + 22, 24));
            text.append(text(x + 28, 28, "soft", one[1]));
            x += 28 + one[1].length() * 7 + GAP;
        }
        return text.toString();
    }

    private String description() {
        StringBuilder text = new StringBuilder();
        for (Way.Row row : way.rows()) {
            text.append(row.lane().isEmpty() ? " " : (text.isEmpty() ? "" : " ") + row.lane() + ": ");
            for (int i = 0; i < row.steps().size(); i++) {
                if (!row.steps().get(i).equals(Way.NONE)) {
                    text.append(i == 0 || row.steps().getFirst().equals(Way.NONE) ? "" : "; beside it ")
                            .append(Way.shortly(row.steps().get(i))).append(", ").append(row.words().get(i));
                }
            }
            text.append('.');
        }
        return text.toString();
    }

    private void row(int i) {
        Way.Row row = way.rows().get(i);
        boolean enters = !row.lane().isEmpty();
        boolean isMemory = row.arrows().stream().anyMatch(arrow -> arrow.startsWith(Way.MEMORY));
        if (i > 0) {
            if (enters) {
                closeLane();
            }
            y += isMemory ? LANE : STEP;
        }
        for (int column = 0; column < row.arrows().size(); column++) {
            if (!Way.at(row.steps(), column).equals(Way.NONE)) {
                arrow(row.arrows().get(column), x(column) + 16, last[column], y);
            }
        }
        if (enters) {
            laneTop = y;
            body.append("  <text x=\"%d\" y=\"%d\" font-size=\"15\" font-weight=\"600\">%s</text>%n"
                    .formatted(LEFT, y + 21, row.lane()));
            body.append("  <text class=\"soft\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n"
                    .formatted(WIDTH - LEFT, y + 21, way.packages(i)));
            y += HEAD;
        }
        boxes(row);
    }

    private void boxes(Way.Row row) {
        List<String> steps = row.steps();
        boolean isFull = steps.size() == 1;
        int height = isFull ? LOW : HIGH;
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).equals(Way.NONE)) {
                continue;
            }
            String name = Way.shortly(steps.get(i));
            body.append("  <rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>%n"
                    .formatted(x(i), y, isFull ? FULL : HALF, height));
            body.append(text(x(i) + 10, y + 20, "name", name));
            int beside = isFull ? x(i) + 22 + (int) (name.length() * MONO) : x(i) + 10;
            body.append(text(beside, isFull ? y + 20 : y + 39, "soft", row.words().get(i)));
            last[i] = y + height;
            if (isFull) {
                last[1] = y + height;
            }
        }
        y += height;
    }

    private void arrow(String arrow, int x, int from, int to) {
        boolean isMemory = arrow.startsWith(Way.MEMORY);
        if (arrow.equals(Way.NONE)) {
            return;
        }
        String style = isMemory ? "memory" : arrow.equals(Way.RETURNS) ? "call back" : "call";
        body.append(line(style, x, from, x, to - 8));
        String head = isMemory ? "blue" : arrow.equals(Way.RETURNS) ? "open" : "head";
        body.append("  <path class=\"%s\" d=\"M%d %dl5 -9h-10z\"/>%n".formatted(head, x, to - 1));
        if (isMemory) {
            body.append(text(x + 12, to - 16, "name blue", Way.shortly(arrow.substring(Way.MEMORY.length()))));
        }
    }

    private void closeLane() {
        y += FOOT;
        lanes.append("  <rect class=\"lane\" x=\"12\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\"/>%n"
                .formatted(laneTop, WIDTH - 24, y - laneTop));
    }

    private static String line(String style, int x1, int y1, int x2, int y2) {
        return "  <line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>%n".formatted(style, x1, y1, x2, y2);
    }

    private static String text(int x, int y, String style, String text) {
        return "  <text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>%n".formatted(style, x, y, text);
    }

    private static int x(int column) {
        return LEFT + column * (HALF + GAP);
    }
}
