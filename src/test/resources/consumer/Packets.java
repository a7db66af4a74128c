package org.example.consumer;

import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.PacketBatch;
import java.util.List;

/** A packet there and back. */
public final class Packets {
    private Packets() {}

    public static void main(String[] args) {
        CorundumModel model = new CorundumModel(CorundumConfig.builder().ports(1).build(), List.of(Cables.loopback()),
                true);
        try (NicAdapter card = Nics.open(LoopbackDevice.open(model))) {
            Nic port = card.openPort(0, NicOptions.DEFAULTS);
            port.start();
            PacketBatch batch = new PacketBatch(1);
            port.txQueue(0).allocate(batch, 1);
            batch.memory().segment().asSlice(batch.offset(0), 60).fill((byte) 0xff);
            batch.setLength(0, 60);
            port.txQueue(0).write(batch);
            port.txQueue(0).commit();
            PacketBatch in = new PacketBatch(1);
            while (port.rxQueue(0).poll(in) == 0 && port.rxQueue(0).await(20_000_000_000L)) {
                // polls again
            }
            System.out.println("received " + in.size() + " of " + in.length(0) + " bytes");
            in.release();
        }
    }
}
