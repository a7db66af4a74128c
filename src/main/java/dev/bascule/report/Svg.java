package dev.bascule.report;

import java.util.Locale;

/** Writes SVG text. Colours are classes of the page's style sheet, so that one chart fits light and dark. */
final class Svg {
    private final StringBuilder out = new StringBuilder();

    Svg(double width, double height, String label) {
        add("<svg viewBox=\"0 0 %s %s\" role=\"img\" aria-label=\"%s\" xmlns=\"http://www.w3.org/2000/svg\">", n(width),
                n(height), escape(label));
    }

    void line(String style, double x1, double y1, double x2, double y2) {
        add("<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>", style, n(x1), n(y1), n(x2), n(y2));
    }

    void rect(String style, double x, double y, double width, double height, String tip) {
        add("<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\">%s</rect>", style, n(x), n(y), n(width),
                n(height), tip(tip));
    }

    /** {@code anchor} is start, middle or end. */
    void text(String style, double x, double y, String anchor, String text) {
        add("<text class=\"%s\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>", style, n(x), n(y), anchor,
                escape(text));
    }

    void textUpwards(String style, double x, double y, String text) {
        add("<text class=\"%s\" text-anchor=\"middle\" transform=\"translate(%s %s) rotate(-90)\">%s</text>", style,
                n(x), n(y), escape(text));
    }

    void path(String style, String data) {
        add("<path class=\"%s\" d=\"%s\"/>", style, data);
    }

    /** A point: circle, square, triangle or diamond by number. */
    void marker(String style, int shape, double x, double y, String tip) {
        String data = switch (shape % 4) {
            case 0 -> "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z";
            case 1 -> "M-4 -4h8v8h-8z";
            case 2 -> "M0 -5l5 9h-10z";
            default -> "M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z";
        };
        add("<path class=\"%s\" transform=\"translate(%s %s)\" d=\"%s\">%s</path>", style, n(x), n(y), data, tip(tip));
    }

    String close() {
        return out.append("</svg>\n").toString();
    }

    private void add(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static String tip(String tip) {
        return tip.isEmpty() ? "" : "<title>" + escape(tip) + "</title>";
    }

    /** A coordinate: two decimals are finer than any screen. */
    static String n(double value) {
        return Axis.label(Math.round(value * 100) / 100.0).replace(",", "");
    }

    /** Text that is safe between tags and in quoted attributes. */
    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;").replace("'",
                "&#39;");
    }
}
