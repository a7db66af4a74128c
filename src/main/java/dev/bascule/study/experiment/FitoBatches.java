package dev.bascule.study.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** E6: page batches. Abort of a whole batch against deferral of the faults that hit it. */
final class FitoBatches {
    private static final int BATCHES = 2_000;
    private static final double FAULTS_PER_PAGE_PER_SECOND = 0.5;

    private final Lab lab;
    private final boolean quick;

    FitoBatches(Lab lab) {
        this.lab = lab;
        quick = lab.isQuick();
    }

    Section run() {
        List<Figure> figures = new ArrayList<>();
        for (int pages : quick ? new int[] { 1, 64, 4096 } : new int[] { 1, 16, 64, 256, 1024, 4096 }) {
            for (long decision : quick
                    ? new long[] { 10_000, 100_000_000 }
                    : new long[] { 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000 }) {
                figures.addAll(of(pages, decision));
            }
        }
        return new Section("E6", "page batches: abort of a batch against deferral of faults", "each page is hit by a "
                + "conflicting fault " + FAULTS_PER_PAGE_PER_SECOND + " times a second (chosen), a decision takes as "
                + "long as stated, and the batch crosses the link twice at the profile's latency and bandwidth. Wave "
                + "refuses a batch if any of its pages changed; the swap holds it, and faults wait until it is back. "
                + "Drawn at random, not over the byte-level queues", figures);
    }

    private List<Figure> of(int pages, long decisionNanos) {
        SplittableRandom random = new SplittableRandom(lab.seed() + pages * 31L + decisionNanos);
        double link = 2.0 * lab.profile().nanos("link.dmaRead")
                + pages * 16 * 1e9 / lab.profile().value("link.dmaBandwidth");
        double window = decisionNanos + link;
        double perWindow = FAULTS_PER_PAGE_PER_SECOND * pages * window / 1e9;
        long kept = 0;
        long faults = 0;
        double deferred = 0;
        for (int i = 0; i < BATCHES; i++) {
            double at = -StrictMath.log(1 - random.nextDouble()) / perWindow;
            kept += at > 1 ? 1 : 0;
            while (at <= 1) {
                faults++;
                deferred += (1 - at) * window;
                at += -StrictMath.log(1 - random.nextDouble()) / perWindow;
            }
        }
        String label = pages + " pages, decision " + decisionNanos / 1000 + " us";
        double each = pages * 1e9 / window;
        return List.of(Figure.of(label + ": Wave, useful pages", "pages/s", each * kept / BATCHES),
                Figure.of(label + ": Wave, batches refused", "%", (BATCHES - kept) * 100.0 / BATCHES),
                Figure.of(label + ": swap, useful pages", "pages/s", each),
                Figure.of(label + ": swap, mean deferral of a fault", "us", faults == 0 ? 0 : deferred / faults / 1e3));
    }
}
