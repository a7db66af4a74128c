package dev.bascule.report;

import java.util.List;

/** A page that needs nothing else: no network, no script. Texts are escaped, drawings are taken as they are. */
final class HtmlPage {
    private final StringBuilder out = new StringBuilder();

    /** Begins a page, with its title as the heading. */
    HtmlPage(String title) {
        raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                + "<meta name=\"color-scheme\" content=\"light dark\">\n<title>").raw(Svg.escape(title))
                .raw("</title>\n<style>\n").raw(HtmlStyle.CSS).raw("</style>\n</head>\n<body>\n<main>\n");
        tag("h1", title);
    }

    /** Adds what is HTML already. */
    HtmlPage raw(String html) {
        out.append(html);
        return this;
    }

    /** An element on a line of its own. */
    HtmlPage tag(String name, String text) {
        return cell(name, "", text).raw("\n");
    }

    /** A paragraph of a class of the style sheet. */
    HtmlPage paragraph(String style, String text) {
        return cell("p", style, text).raw("\n");
    }

    /** Sentence about what is real and what is simulated here; {@code word} stands out. */
    HtmlPage honesty(String word, String text) {
        return raw("<p class=\"honesty\"><strong>").raw(word).raw("</strong> ").raw(Svg.escape(text)).raw("</p>\n");
    }

    /** An element of a class of the style sheet; none if the class is empty. */
    HtmlPage cell(String name, String style, String text) {
        raw("<").raw(name).raw(style.isEmpty() ? "" : " class=\"" + style + "\"").raw(">").raw(Svg.escape(text));
        return raw("</").raw(name).raw(">");
    }

    HtmlPage list(List<String> items) {
        raw("<ul>\n");
        items.forEach(item -> tag("li", item));
        return raw("</ul>\n");
    }

    /** A drawing; without a caption if that is empty. */
    HtmlPage figure(String caption, String svg) {
        raw("<figure>\n");
        if (!caption.isEmpty()) {
            tag("figcaption", caption);
        }
        return raw(svg).raw("</figure>\n");
    }

    /** Begins a table with this row of headings; {@link #endTable} ends it. */
    HtmlPage table(String headings) {
        return raw("<div class=\"wide\"><table>\n<thead><tr>").raw(headings).raw("</tr></thead>\n<tbody>\n");
    }

    HtmlPage endTable() {
        return raw("</tbody></table></div>\n");
    }

    /** The whole page. */
    String end() {
        return raw("</main>\n</body>\n</html>\n").out.toString();
    }
}
