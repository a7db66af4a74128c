package dev.bascule.lanes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The pages and the Javadoc, as {@code mvn site} builds them: without a warning, and with no link into nothing. What is
 * tested is built by then: Javadoc reads the compiled module-info, so that on a fresh clone it is {@code mvn compile site}.
 */
final class SiteLane {
    private static final Pattern LINK = Pattern.compile("href=\"([^\"#?:]+)[\"#?]");

    private SiteLane() {}

    static LaneResult run(Clone clone, MavenLanes maven) throws IOException, InterruptedException {
        Path built = clone.target().resolve("site");
        Clone.delete(built.resolve("apidocs"));
        int status = maven.maven("site", "site");
        String log = Files.readString(clone.log("site"));
        return judge(status, log, clone.base().resolve("src/site/markdown"), built);
    }

    /** A lane that fails for each warning, each page that was not built and each link to a file that is not there. */
    static LaneResult judge(int status, String log, Path pages, Path built) throws IOException {
        List<String> wrong = new ArrayList<>();
        if (status != 0) {
            wrong.add("mvn site ended with status " + status);
        }
        log.lines().filter(line -> line.startsWith("[WARNING]")).forEach(wrong::add);
        List<Path> sources;
        try (Stream<Path> files = Files.list(pages)) {
            sources = files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
        }
        for (Path source : sources) {
            Path page = built.resolve(source.getFileName().toString().replace(".md", ".html"));
            if (Files.exists(page)) {
                wrong.addAll(brokenLinks(page));
            } else {
                wrong.add("no page was built of " + source.getFileName());
            }
        }
        if (!Files.exists(built.resolve("apidocs/index.html"))) {
            wrong.add("no Javadoc was built");
        }
        return wrong.isEmpty()
                ? LaneResult.ran("site",
                        sources.size() + " pages and Javadoc without a warning: " + built.resolve("index.html"))
                : LaneResult.failed("site", wrong.size() + " warnings and links into nothing").with("",
                        wrong.stream().map(line -> "    failed: site: " + line).toList());
    }

    private static List<String> brokenLinks(Path page) throws IOException {
        List<String> broken = new ArrayList<>();
        Matcher link = LINK.matcher(Files.readString(page));
        while (link.find()) {
            if (!Files.exists(page.resolveSibling(link.group(1)))) {
                broken.add(page.getFileName() + " has a link to " + link.group(1));
            }
        }
        return broken;
    }
}
