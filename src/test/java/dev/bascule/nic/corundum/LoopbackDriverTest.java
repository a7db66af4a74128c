package dev.bascule.nic.corundum;

import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import java.util.List;

/** The driver on the model in this process, step by step. */
class LoopbackDriverTest extends CorundumDriverContract {
    @Override
    Rig rig(CorundumConfig config, List<WireEnd> wires) {
        return Rig.stepped(new CorundumModel(config, wires, false));
    }
}
