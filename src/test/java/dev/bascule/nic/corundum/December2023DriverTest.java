package dev.bascule.nic.corundum;

import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumConfigBuilder;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.corundum.CorundumProfile;
import java.util.List;

/** The driver on the older design, with two interfaces of one port each: other offsets everywhere. */
class December2023DriverTest extends CorundumDriverContract {
    @Override
    CorundumConfigBuilder design() {
        return super.design().profile(CorundumProfile.DECEMBER_2023).interfaces(2).ports(1).schedulers(1).rxQueues(32);
    }

    @Override
    Rig rig(CorundumConfig config, List<WireEnd> wires) {
        return Rig.stepped(new CorundumModel(config, wires, false));
    }
}
