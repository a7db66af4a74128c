package dev.bascule.app.judge;

import dev.bascule.nic.Nic;
import dev.bascule.nic.NicOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Frames that cannot arrive: none is passed on cut, the loss is counted, and the next ones are right. */
final class LossParts {
    private static final int AFTER = 300;
    private static final int BURSTS = 16;
    private static final int SHORT = 600;
    private static final int DRY_RING = 64;
    /** More than the ring of any card holds. */
    private static final int DRY_BYTES = 12 << 20;
    private static final long QUIET_NANOS = 300_000_000;

    static final List<Part> ALL = List.of(
            new Part("over-long", "frames longer than the limit do not arrive cut, and those behind them are right",
                    LossParts::noRoomAbove, LossParts::overLong),
            Part.ofAll("dry-ring", "a receiver that stops polling loses frames, which are counted, and then goes on",
                    LossParts::dryRing));

    private LossParts() {}

    private static Optional<String> noRoomAbove(Bench bench) {
        return Part.unless(bench.ordinary() > SHORT, "the card takes no frames longer than " + SHORT + " bytes");
    }

    /** The sender's limit falls to the receiver's when its long frames are written and have not left, also for one port. */
    private static String overLong(Bench bench) {
        NicOptions near = bench.options(1).withRingEntries(DRY_RING);
        NicOptions far = near.withMaxFrameBytes(SHORT);
        List<Fault> wrong = new ArrayList<>();
        long arrived = 0;
        long sent = 0;
        try (Link link = bench.open(near, far)) {
            Traffic plain = bench.traffic(link, SHORT);
            for (int burst = 0; burst < BURSTS; burst++) {
                limit(bench, link.near(), bench.ordinary());
                if (burst % 2 == 1) { // some cards drop in another way when they have no buffer either
                    bench.traffic(link, SHORT).sendUnpolled(2 * DRY_RING, QUIET_NANOS);
                }
                Traffic over = bench.traffic(link, bench.frames(ofAnyLength(bench), SHORT + 1, bench.ordinary(), 0));
                over.collect(wrong);
                over.sendAfter(DRY_RING, () -> limit(bench, link.near(), SHORT));
                over.awaitSent(QUIET_NANOS);
                over.drain(QUIET_NANOS / 10);
                arrived += over.received();
                sent += over.sent();
                behind(plain, wrong);
            }
            if (!wrong.isEmpty()) {
                throw new Fault(wrong.size() + " wrong; " + wrong.getFirst().getMessage(), wrong.getFirst().bytes());
            }
            if (arrived > 0 && !link.isOnePort()) {
                throw new Fault(arrived + " of " + sent + " frames longer than the far port's limit of " + SHORT
                        + " bytes arrived");
            }
        }
        return "%,d frames of %d bytes and more against a limit of %d: %,d dropped, %,d came whole as the limit fell"
                .formatted(sent, SHORT + 1, SHORT, sent - arrived, arrived);
    }

    private static List<FrameKind> ofAnyLength(Bench bench) {
        return bench.kinds().stream().filter(kind -> kind.fit(bench.ordinary()) == bench.ordinary()).toList();
    }

    /** Frames within the limit, behind those above it. */
    private static void behind(Traffic plain, List<Fault> wrong) {
        try {
            plain.exchange(AFTER);
        } catch (Fault later) {
            String before = wrong.isEmpty() ? "" : "; and before them: " + wrong.getFirst().getMessage();
            throw new Fault("behind frames that are too long: " + later.getMessage() + before,
                    wrong.isEmpty() ? later.bytes() : wrong.getFirst().bytes());
        }
    }

    private static void limit(Bench bench, Nic nic, int bytes) {
        bench.history().note("set the longest frame of " + nic.name() + " to " + bytes + " bytes");
        nic.setMaxFrameBytes(bytes);
    }

    private static String dryRing(Bench bench) {
        try (Link link = bench.open(bench.options(bench.plan().queues()).withRingEntries(DRY_RING))) {
            Traffic traffic = bench.traffic(link,
                    bench.frames(ofAnyLength(bench), bench.ordinary() - 1, bench.ordinary(), 0));
            Map<String, Long> before = link.far().statistics();
            traffic.sendUnpolled(DRY_BYTES / bench.ordinary(), QUIET_NANOS);
            traffic.drain(QUIET_NANOS);
            long lost = traffic.missing();
            Map<String, Long> account = Link.losses(before, link.far().statistics());
            traffic.forgive();
            bench.history().note("polling again; " + lost + " frames were lost");
            traffic.exchange(10L * AFTER);
            if (lost == 0) {
                return "%,d frames without a poll, and none was lost".formatted(traffic.sent());
            }
            if (account.isEmpty()) {
                throw new Fault("%,d frames were lost while nobody polled, and no counter of the port tells of it"
                        .formatted(lost));
            }
            return "%,d lost while nobody polled; counted: %s%s; then all went on".formatted(lost, Link.text(account),
                    account.containsValue(lost) ? ", which is the sum" : "");
        }
    }
}
