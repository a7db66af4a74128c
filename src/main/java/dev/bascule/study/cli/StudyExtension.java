package dev.bascule.study.cli;

import dev.bascule.cli.Extension;
import dev.bascule.config.FabricConfigs;
import dev.bascule.model.WireEnd;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.nagare.FabricWire;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The study wing's commands and its kind of wire, as META-INF/services names them to the program. */
public final class StudyExtension implements Extension {
    @Override
    public List<Entry> commands() {
        return List.of(new Entry("compare", "run", "", CompareCommand::new),
                new Entry("sim", "replay", "Simulation and published figures", SimCommand::new),
                new Entry("tune", "sim", "", TuneCommand::new), new Entry("sweep", "tune", "", SweepCommand::new),
                new Entry("reproduce", "sweep", "", ReproduceCommand::new),
                new Entry("calibrate", "reproduce", "", ReproduceCommand.Calibrate::new),
                new Entry("fabric", "calibrate", "", FabricCommand::new));
    }

    @Override
    public @Nullable WireEnd wire(String kind, String rest) {
        return kind.equals("fabric") && !rest.isEmpty()
                ? new FabricWire(FabricConfigs.read(Path.of(rest)),
                        FabricCosts.PROPOSAL.withBytesPerSecond(FabricCosts.GEN3_X16))
                : null;
    }
}
