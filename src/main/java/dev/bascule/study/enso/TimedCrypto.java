package dev.bascule.study.enso;

import dev.bascule.study.experiment.Figure;
import dev.bascule.study.experiment.Section;
import dev.bascule.study.fabric.AesGcm;
import dev.bascule.study.report.Plot;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The look-aside accelerator of the proposal's figure 1: once behind pipes, once behind rings of descriptors. */
final class TimedCrypto {
    private static final int WINDOW = 512;
    private static final int BATCH = 64;

    private final TimedSections all;
    private long right;
    private long wrong;

    TimedCrypto(TimedSections all) {
        this.all = all;
    }

    /** Opens every result and looks whether it is right. */
    private TimedApp checked(SealingUnit unit) {
        return new TimedApp((MemorySegment memory, long offset, int lengthBytes) -> {
            byte[] result = memory.asSlice(offset, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
            if (unit.isRight(result, TimedRig.number(result))) {
                right++;
            } else {
                wrong++;
            }
            return 0;
        }, 0, 0, true, false, TimedApp.Touches.NONE);
    }

    private TimedResult run(TimedRig rig, SealingUnit unit, int messages, int bytes) {
        return rig.request(unit, messages, number -> SealingUnit.message(number, bytes), WINDOW, BATCH);
    }

    private void point(String name, TimedResult result, int bytes, List<Figure> figures, List<Double> y) {
        y.add(result.mpps());
        String what = name + ", " + bytes + " bytes: ";
        figures.add(TimedSections.figure(what + "messages", "million/s", result.mpps(), null)
                .chosen("the engine's speed"));
        figures.add(TimedSections.figure(what + "metadata", "bytes per message",
                result.count().metadataBytesPerPacket(), null));
        figures.add(TimedSections.figure(what + "median until it is back", "us", result.latencyMicros(0.5), null)
                .chosen("the engine's speed"));
    }

    Section section() {
        List<Figure> figures = new ArrayList<>();
        int[] sizes = all.isQuick() ? new int[] { 128 } : new int[] { 128, 256, 512, 1024, 1500 };
        List<Double> x = new ArrayList<>();
        List<Double> pipes = new ArrayList<>();
        List<Double> rings = new ArrayList<>();
        int messages = all.packets() / 8;
        for (int bytes : sizes) {
            x.add((double) bytes);
            SealingUnit unit = new SealingUnit();
            Supplier<TimedApp> app = () -> checked(unit);
            try (EnsoRig rig = new EnsoRig(all.costs(), EnsoRig.Shape.of(1), NotificationMode.REACTIVE, 0, app)) {
                point("pipes", run(rig, unit, messages, bytes), bytes, figures, pipes);
            }
            SealingUnit other = new SealingUnit();
            try (CorundumRig rig = new CorundumRig(all.costs(), 1, () -> checked(other))) {
                point("rings", run(rig, other, messages, bytes), bytes, figures, rings);
            }
        }
        figures.add(TimedSections.figure("results that open to what was sent", "messages", right, null));
        figures.add(TimedSections.figure("results that do not", "messages", wrong, null));
        all.plot("enso-crypto.svg", new Plot("Messages sealed by a look-aside accelerator over their size, simulated",
                "bytes", "million a second").line("pipes", TimedSections.array(x), TimedSections.array(pipes))
                .line("rings", TimedSections.array(x), TimedSections.array(rings)));
        return new Section("k", "look-aside AES-GCM behind pipes and behind rings",
                "one core hands over messages, " + BATCH + " at a time and at most " + WINDOW
                        + " under way, and opens each"
                        + " result (the opening takes no time here); the engine seals 100 Gbit/s and takes "
                        + SealingUnit.LATENCY_PS / 1000 + " ns more; " + AesGcm.OVERHEAD
                        + " of a message's bytes are nonce"
                        + " and tag. Both are this project's cards with the engine where the wire would be: requests of the"
                        + " rings have a descriptor and a completion each way, those of the pipes share them",
                figures);
    }
}
