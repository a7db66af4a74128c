package dev.bascule.wave;

import dev.bascule.agent.HostControl;
import dev.bascule.agent.Identity;
import dev.bascule.agent.Lines;
import dev.bascule.agent.Message;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.host.ChaosForger;
import dev.bascule.memory.Window;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicRegion;
import java.util.SplittableRandom;

/** Writes slots, credits, heartbeats and interrupts that are whole and sealed, and nonsense. */
public final class WaveForger implements ChaosForger {
    private final SmartNicRegion region;
    private final Window nic;
    private final Window hostMemory;
    private final boolean push;
    private final WaveLayout layout;
    private final RegionHeader header;

    /** Over the agents' side of a region, which it takes. */
    public WaveForger(SmartNicRegion region) {
        this.region = region;
        NicSide nicSide = region.nic();
        nic = nicSide.memory();
        hostMemory = nicSide.hostMemory();
        header = RegionHeader.read(nic, WaveLayout.HEADER, RegionHeader.WAVE);
        push = WaveOptions.isPush(header.placement());
        layout = new WaveLayout(header.shape());
    }

    @Override
    public void forge(SplittableRandom random) {
        int cpu = random.nextInt(header.shape().cpus());
        int agent = header.shape().agentOf(cpu);
        int epoch = HostControl.epoch(nic, RegionLayout.hostControl(agent));
        switch (random.nextInt(10)) {
            case 0 ->
                nic.storeRelease(layout.credit(epoch, agent), (long) epoch << 32 | random.nextInt() & 0xffff_ffffL);
            case 1 -> nic.storeRelease(layout.agentControl(epoch, agent), random.nextLong());
            case 2 -> hostMemory.storeRelease(layout.interrupt(epoch, cpu), random.nextLong());
            default -> slot(epoch, cpu, random);
        }
    }

    private void slot(int epoch, int cpu, SplittableRandom random) {
        Window window = push ? hostMemory : nic;
        int place = random.nextInt(header.shape().staged());
        long line = push ? layout.slot(true, epoch, cpu, place) : layout.slot(false, epoch, cpu, place);
        // beside the number that the slot holds now, which is near the one the host waits for
        int number = SlotLine.number(window.loadAcquire(line)) + random.nextInt(3) * header.shape().staged();
        long[] words = new long[Message.WORDS];
        for (int word = 0; word < words.length; word++) {
            words[word] = random.nextInt(3) == 0 ? 0 : random.nextLong();
        }
        words[0] = Identity.of(epoch, random.nextInt(64), random.nextInt(header.shape().tasks() + 2));
        long head = SlotLine.head(number, epoch, random.nextInt(8) == 0 ? random.nextInt(256) : 1 + random.nextInt(2),
                random.nextInt(4) == 0 ? random.nextInt(256) : random.nextInt(2));
        SlotLine.write(window, line, head, words, new long[Lines.WORDS]);
        window.writeFence();
    }

    @Override
    public void close() {
        region.leave();
    }
}
