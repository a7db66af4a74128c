package dev.bascule.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.house.Chromium;
import dev.bascule.house.ContactSheet;
import dev.bascule.json.JsonReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reports as a browser shows them, light and dark, wide and as narrow as a telephone: each part beside a small picture
 * of what it shall look like, nothing cut off, all of it legible. The whole screenshots are kept in {@code target/log}.
 */
@Tag("web")
class ReportWebTest {
    private static final int NARROW = 390;
    private static final double LEAST_LETTER_PIXELS = 9;
    /** WCAG 2.1, level AA, for text of this size. */
    private static final double LEAST_CONTRAST = 4.5;
    private static final String PARTS = """
            JSON.stringify([...document.querySelectorAll('.pill, .tiles > div, .honesty, figure')].map(e => {
              const r = e.getBoundingClientRect();
              return [r.left, r.top + scrollY, r.width, r.height].map(Math.round); }))""";
    private static final String LETTERS = """
            Math.min(...[...document.querySelectorAll('svg text')].map(e => parseFloat(getComputedStyle(e).fontSize)
              * e.ownerSVGElement.getBoundingClientRect().width / e.ownerSVGElement.viewBox.baseVal.width))""";
    /** The texts whose colour is too near to what is behind them. */
    private static final String FAINT = """
            (() => {
              const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
              const light = c => parse(c).slice(0, 3).map(v => v / 255)
                .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
                .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
              const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
                if (parse(c).length == 3) return c; } return 'rgb(255, 255, 255)'; };
              const own = e => [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim());
              return [...document.querySelectorAll('main *:not(title)')].filter(own).filter(e => {
                const style = getComputedStyle(e);
                const [a, b] = [light(e instanceof SVGElement ? style.fill : style.color), light(behind(e))];
                return (Math.max(a, b) + .05) / (Math.min(a, b) + .05) < LEAST; }).map(e => e.textContent).join('|');
            })()""".replace("LEAST", Double.toString(LEAST_CONTRAST));

    @TempDir
    private static Path temporary = Path.of("");
    private static Chromium browser;

    @BeforeAll
    static void open() throws Exception {
        assumeTrue(Chromium.isInstalled("chromium"), "no chromium: apt-get install chromium");
        browser = Chromium.open(temporary, "about:blank");
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.close();
        }
    }

    static Stream<Arguments> views() {
        RunResult lossy = SampleReport.losing("wave", 3);
        Map<String, String> pages = Map.of("run", HtmlReport.of(SampleReport.three("loopback")), "run-wrong",
                HtmlReport.of(SampleReport.of("loopback", SampleReport.result("local", 1), lossy)), "compare",
                FindingsTest.eightColumns().html());
        return pages.entrySet().stream()
                .flatMap(page -> Stream.of(Arguments.of(page.getKey(), page.getValue(), 1300, false),
                        Arguments.of(page.getKey(), page.getValue(), 1300, true),
                        Arguments.of(page.getKey(), page.getValue(), NARROW, false)));
    }

    @ParameterizedTest(name = "{0}, {2} wide, dark {3}")
    @MethodSource("views")
    void thePageLooksAsItShallAndAllOfItCanBeRead(String name, String html, int width, boolean isDark)
            throws Exception {
        Path file = temporary.resolve(name + ".html");
        Files.writeString(file, html);
        browser.view(width, isDark);
        browser.show(file.toUri().toString());
        String view = name + (width == NARROW ? "-narrow" : isDark ? "-dark" : "-light");
        Path shot = Files.createDirectories(Path.of("target/log")).resolve("report-" + view + ".png");
        browser.screenshot(shot);
        assertThat(browser.value("document.documentElement.scrollWidth")).as("nothing reaches over the edge")
                .isEqualTo(Integer.toString(width));
        assertThat(Double.parseDouble(browser.value(LETTERS))).as("least letters of a drawing, pixels")
                .isGreaterThanOrEqualTo(LEAST_LETTER_PIXELS);
        assertThat(browser.value(FAINT)).as("of too little contrast").isEmpty();
        List<int[]> parts = new ArrayList<>();
        for (Object part : (List<?>) JsonReader.parse(browser.value(PARTS))) {
            parts.add(((List<?>) part).stream().mapToInt(number -> ((Number) number).intValue()).toArray());
        }
        ContactSheet.of(shot, parts).check("report-" + view + ".png");
    }
}
