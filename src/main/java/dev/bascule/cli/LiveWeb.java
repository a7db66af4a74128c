package dev.bascule.cli;

import dev.bascule.run.Misuse;
import dev.bascule.run.Progress;
import dev.bascule.web.Hosts;
import dev.bascule.web.LivePage;
import dev.bascule.web.WebAddress;
import org.jspecify.annotations.Nullable;

/** The live page of a command that was asked for it, and the hosts that it shows. */
final class LiveWeb implements AutoCloseable {
    /** Description of {@code --web}. */
    static final String OPTION = "show a live page at http://HOST:PORT/, and metrics for Prometheus at /metrics; on"
            + " 127.0.0.1 unless said otherwise, and elsewhere only to who has the token: of BASCULE_WEB_TOKEN, or a new"
            + " one in the address that is printed; port 0: a free one";

    private final Hosts hosts = new Hosts();
    private final @Nullable LivePage page;

    private LiveWeb(@Nullable String at, Progress progress) {
        page = at == null
                ? null
                : LivePage.open(Misuse.reading("--web", () -> WebAddress.parse(at)), hosts,
                        System.getenv("BASCULE_WEB_TOKEN"));
        if (page != null) {
            progress.say("live page: " + page.address());
        }
    }

    /** Serves the page, or nothing if {@code at} is null. */
    static LiveWeb open(@Nullable String at, Progress progress) {
        return new LiveWeb(at, progress);
    }

    Hosts hosts() {
        return hosts;
    }

    @Override
    public void close() {
        if (page != null) {
            page.close();
        }
        hosts.close();
    }
}
