package dev.bascule.report;

import java.util.List;
import java.util.Map;

/** A page that needs nothing else: no network, no script. Texts are escaped, drawings are taken as they are. */
public final class HtmlPage {
    private final StringBuilder out = new StringBuilder();

    /** Begins a page, with its title as the heading. */
    public HtmlPage(String title) {
        raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                + "<meta name=\"color-scheme\" content=\"light dark\">\n<title>").raw(Svg.escape(title))
                .raw("</title>\n<style>\n").raw(HtmlStyle.CSS).raw("</style>\n</head>\n<body>\n<main>\n");
        tag("h1", title);
    }

    /** Adds what is HTML already. */
    public HtmlPage raw(String html) {
        out.append(html);
        return this;
    }

    /** An element on a line of its own. */
    public HtmlPage tag(String name, String text) {
        return cell(name, "", text).raw("\n");
    }

    /** A word about all that follows, green or red. */
    HtmlPage pill(boolean isGood, String word) {
        return raw("<p>").cell("span", isGood ? "pill good" : "pill bad", word).raw("</p>\n");
    }

    /** One of the few figures that stand on top: names with their values, and what they are. */
    HtmlPage tile(String title, Map<String, String> figures, String note) {
        raw("<div>").cell("h2", "", title).raw("<table>\n");
        figures.forEach((name, value) -> raw("<tr>").cell("th", "", name).cell("td", "number", value).raw("</tr>\n"));
        return raw("</table>").tag("p", note).raw("</div>\n");
    }

    /** A paragraph of a class of the style sheet. */
    public HtmlPage paragraph(String style, String text) {
        return cell("p", style, text).raw("\n");
    }

    /** Sentence about what is real and what is simulated here; {@code word} stands out. */
    public HtmlPage honesty(String word, String text) {
        return raw("<p class=\"honesty\"><strong>").raw(word).raw("</strong> ").raw(Svg.escape(text)).raw("</p>\n");
    }

    /** An element of a class of the style sheet; none if the class is empty. */
    public HtmlPage cell(String name, String style, String text) {
        raw("<").raw(name).raw(style.isEmpty() ? "" : " class=\"" + style + "\"").raw(">").raw(Svg.escape(text));
        return raw("</").raw(name).raw(">");
    }

    HtmlPage list(List<String> items) {
        raw("<ul>\n");
        items.forEach(item -> tag("li", item));
        return raw("</ul>\n");
    }

    /** A drawing; without a caption if that is empty. */
    public HtmlPage figure(String caption, String svg) {
        raw("<figure>\n");
        if (!caption.isEmpty()) {
            tag("figcaption", caption);
        }
        return raw(svg).raw("</figure>\n");
    }

    /** A drawing wider than others, which a narrow window scrolls. */
    public HtmlPage broadFigure(String svg) {
        return raw("<figure class=\"broad\">\n").raw(svg).raw("</figure>\n");
    }

    /** Begins a table with this row of headings; {@link #endTable} ends it. */
    public HtmlPage table(String headings) {
        return raw("<div class=\"wide\"><table>\n<thead><tr>").raw(headings).raw("</tr></thead>\n<tbody>\n");
    }

    /** End of a table. */
    public HtmlPage endTable() {
        return raw("</tbody></table></div>\n");
    }

    /** The whole page. */
    public String end() {
        return raw("</main>\n</body>\n</html>\n").out.toString();
    }
}
