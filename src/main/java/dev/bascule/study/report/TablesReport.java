package dev.bascule.study.report;

import dev.bascule.report.HtmlPage;
import dev.bascule.report.Svg;
import java.util.List;

/** Tables and drawings as one page that needs nothing else. */
public final class TablesReport {
    /**
     * One table.
     *
     * @param title above it
     * @param note below it
     * @param rows cells of each row, as many as there are headings
     */
    public record Part(String title, String note, List<List<String>> rows) {
        /** Keeps a copy. */
        public Part {
            rows = List.copyOf(rows);
        }
    }

    private TablesReport() {}

    /**
     * The page.
     *
     * @param honesty what is simulated in it
     * @param headings of every table
     * @param drawings SVG documents, below the tables
     */
    public static String html(String title, String honesty, List<String> headings, List<Part> parts,
            Iterable<String> drawings) {
        HtmlPage page = new HtmlPage(title).honesty("Simulated", honesty);
        StringBuilder heads = new StringBuilder();
        headings.forEach(heading -> heads.append("<th>").append(Svg.escape(heading)).append("</th>"));
        for (Part part : parts) {
            page.tag("h2", part.title()).table(heads.toString());
            for (List<String> row : part.rows()) {
                page.raw("<tr>");
                row.forEach(cell -> page.cell("td", "", cell));
                page.raw("</tr>\n");
            }
            page.endTable().tag("p", part.note());
        }
        drawings.forEach(drawing -> page.figure("", drawing));
        return page.end();
    }
}
