package dev.bascule.nic.corundum;

import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import java.util.List;

/** The driver on the model in this process, each with a thread of its own. */
class ThreadedLoopbackDriverTest extends CorundumDriverContract {
    @Override
    Rig rig(CorundumConfig config, List<WireEnd> wires) {
        return Rig.threaded(new CorundumModel(config, wires, true));
    }
}
