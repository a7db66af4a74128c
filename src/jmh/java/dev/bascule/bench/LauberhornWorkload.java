package dev.bascule.bench;

import dev.bascule.host.lauberhorn.RpcSides;
import java.util.ArrayList;
import java.util.List;

/** A request of 64 bytes from the NIC's line to the handler and back, by the production ends. */
final class LauberhornWorkload implements Workload {
    private static final String[] PACES = { "tight", "pause" };

    @Override
    public String name() {
        return "lauberhorn";
    }

    @Override
    public List<Variant> variants(Twins twins) {
        List<Variant> variants = new ArrayList<>();
        for (int pauses = 0; pauses < PACES.length; pauses++) {
            RpcSides sides = new RpcSides(pauses);
            variants.add(new Variant("java", PACES[pauses], sides::dispatch, sides::serve));
        }
        variants.addAll(twins.variants("c", "rpc_nic", 0, "rpc_core", 0, 8192));
        return variants;
    }
}
