package dev.bascule.run;

import dev.bascule.ffi.Patience;
import dev.bascule.host.HostCpus;
import dev.bascule.host.HostCpus.Change;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests of {@code bascule cpu} to a running host. The first line of an answer is an error or empty, and each CPU's
 * state follows on a line of its own; the answer that a CPU is away comes once nothing runs there any more. Thread
 * rule: one thread.
 */
public final class CpuRequests {
    /** First word of its requests. */
    public static final String SUBJECT = "cpu";
    /** A task that comes to no yield point may hold its CPU for long. */
    private static final long PATIENCE_NANOS = 2_000_000_000L;

    private final Mailbox mailbox;
    private final HostCpus cpus;
    private final boolean areEnclaves;
    private Mailbox.@Nullable Request open;
    private int cpu;
    private Patience patience = new Patience(PATIENCE_NANOS);

    /** @param areEnclaves the host shares its CPUs with others, and none may take one */
    CpuRequests(Mailbox mailbox, HostCpus cpus, boolean areEnclaves) {
        this.areEnclaves = areEnclaves;
        this.mailbox = mailbox;
        this.cpus = cpus;
    }

    /** Looks for requests, and for CPUs that have become idle. */
    void look() {
        Mailbox.Request asked = open;
        if (asked == null) {
            mailbox.take().filter(Mailbox.Request::isAwaited).ifPresent(this::begin);
        } else if (cpus.state(cpu) == HostCpus.State.AVAILABLE || cpus.isIdle(cpu)) {
            open = null;
            answer(asked, "");
        } else if (patience.isOver()) {
            open = null;
            answer(asked,
                    "the task on CPU " + cpu + " has come to no yield point since; it leaves the CPU when it does");
        }
    }

    private void begin(Mailbox.Request request) {
        try {
            if (request.words().size() == 2 && areEnclaves) {
                answer(request,
                        "the host is one of several enclaves, and CPUs go from one to another as the run was told:"
                                + " run --move CPU:ENCLAVE@TIME");
            } else if (request.words().size() == 2) {
                cpu = Integer.parseInt(request.words().get(0));
                cpus.change(cpu, Change.of(request.words().get(1)));
                patience = new Patience(PATIENCE_NANOS);
                open = request;
                look();
            } else {
                answer(request, "");
            }
        } catch (RuntimeException e) {
            answer(request, String.valueOf(e.getMessage()));
        }
    }

    private void answer(Mailbox.Request request, String error) {
        List<String> lines = new ArrayList<>(List.of(error));
        for (int one = 0; one < cpus.count(); one++) {
            lines.add(cpus.state(one).text());
        }
        mailbox.answer(request, lines);
    }
}
