package dev.bascule.report;

import java.util.Locale;

/**
 * Writes SVG text. Colours are classes of the page's style sheet, so that one chart fits light and dark. Words that would
 * reach over the drawing's edge are moved in; those that are longer than the drawing are cut, and their tip has all of them.
 */
public final class Svg {
    /** Mean width of a letter in words of the style {@code label}, and in those of {@code tick}. */
    static final double LABEL_LETTER = 7.3;
    private static final double TICK_LETTER = 6.8;
    private static final double MARGIN = 2;

    private final StringBuilder out = new StringBuilder();
    private final double width;
    private final double height;

    public Svg(double width, double height, String label) {
        this.width = width;
        this.height = height;
        add("<svg viewBox=\"0 0 %s %s\" role=\"img\" aria-label=\"%s\" xmlns=\"http://www.w3.org/2000/svg\">", n(width),
                n(height), escape(label));
    }

    /** A line. */
    public void line(String style, double x1, double y1, double x2, double y2) {
        add("<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>", style, n(x1), n(y1), n(x2), n(y2));
    }

    /** A rectangle, with a text that shows when it is pointed at. */
    public void rect(String style, double x, double y, double width, double height, String tip) {
        add("<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\">%s</rect>", style, n(x), n(y), n(width),
                n(height), tip(tip));
    }

    /** {@code anchor} is start, middle or end. */
    public void text(String style, double x, double y, String anchor, String text) {
        double length = length(style, text, width);
        double left = anchor.equals("start") ? x : anchor.equals("end") ? x - length : x - length / 2;
        add("<text class=\"%s\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>", style,
                n(x + inwards(left, length, width)), n(y), anchor, fitted(style, text, width));
    }

    void textUpwards(String style, double x, double y, String text) {
        double length = length(style, text, height);
        add("<text class=\"%s\" text-anchor=\"middle\" transform=\"translate(%s %s) rotate(-90)\">%s</text>", style,
                n(x), n(y + inwards(y - length / 2, length, height)), fitted(style, text, height));
    }

    private static double letter(String style) {
        return style.equals("tick") ? TICK_LETTER : LABEL_LETTER;
    }

    private static double length(String style, String text, double room) {
        return Math.min(text.length() * letter(style), room - 2 * MARGIN);
    }

    /** How far words that begin there have to be moved. */
    private static double inwards(double from, double length, double room) {
        return from < MARGIN ? MARGIN - from : Math.min(0, room - MARGIN - from - length);
    }

    private static String fitted(String style, String text, double room) {
        int most = (int) ((room - 2 * MARGIN) / letter(style));
        return text.length() <= most ? escape(text) : escape(text.substring(0, most - 1)) + "\u2026" + tip(text);
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

    /** The whole picture. */
    public String close() {
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
    public static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;").replace("'",
                "&#39;");
    }
}
