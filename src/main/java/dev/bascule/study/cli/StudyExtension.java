package dev.bascule.study.cli;

import dev.bascule.cli.Extension;
import dev.bascule.config.FabricConfigs;
import dev.bascule.model.WireEnd;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.nagare.FabricWire;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The study wing's commands and its kind of wire, as META-INF/services names them to the program. */
public final class StudyExtension implements Extension {
    @Override
    public @Nullable Object command(String name) {
        return switch (name) {
            case "compare" -> new CompareCommand();
            case "sim" -> new SimCommand();
            case "tune" -> new TuneCommand();
            case "sweep" -> new SweepCommand();
            case "reproduce" -> new ReproduceCommand();
            case "calibrate" -> new ReproduceCommand.Calibrate();
            case "fabric" -> new FabricCommand();
            default -> null;
        };
    }

    @Override
    public @Nullable WireEnd wire(String kind, String rest) {
        return kind.equals("fabric") && !rest.isEmpty()
                ? new FabricWire(FabricConfigs.read(Path.of(rest)),
                        FabricCosts.PROPOSAL.withBytesPerSecond(FabricCosts.GEN3_X16))
                : null;
    }
}
