package dev.bascule.bench;

import dev.bascule.app.Forwarder;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.corundum.CorundumAdapter;
import dev.bascule.nic.corundum.CorundumNic;
import dev.bascule.nic.corundum.CorundumOptions;
import java.util.List;

/** Forwarding 64-byte packets on the loopback model: one core for the driver, one for the model with the wire. */
final class CorundumModelWorkload implements Workload {
    private static final int BURST = 32;

    @Override
    public String name() {
        return "corundum-model";
    }

    @Override
    public List<Variant> variants(Twins twins) {
        FarStation source = new FarStation();
        CorundumModel model = new CorundumModel(CorundumConfig.builder().ports(1).schedulers(1).build(),
                List.of(source),
                false);
        CorundumNic nic = CorundumAdapter.open(LoopbackDevice.open(model)).openPort(0, CorundumOptions.DEFAULTS);
        nic.start();
        Sides sides = new Sides(model, new Forwarder(nic, nic, BURST));
        return List.of(new Variant("java", "burst", sides::drive, sides::model));
    }

    /** The two threads of one window; the driver says when it is over. */
    private static final class Sides {
        private final CorundumModel model;
        private final Forwarder forwarder;
        private volatile long finished;

        Sides(CorundumModel model, Forwarder forwarder) {
            this.model = model;
            this.forwarder = forwarder;
        }

        long drive(long start, long count) {
            long end = start + count;
            while (forwarder.packets() < end) {
                if (forwarder.run() == 0) {
                    Thread.onSpinWait();
                }
            }
            finished = end;
            return count;
        }

        long model(long start, long count) {
            while (finished < start + count) {
                if (model.poll() == 0) {
                    Thread.onSpinWait();
                }
            }
            return count;
        }
    }
}
