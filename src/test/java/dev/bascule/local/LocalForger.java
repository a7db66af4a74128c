package dev.bascule.local;

import dev.bascule.agent.HostControl;
import dev.bascule.agent.Identity;
import dev.bascule.agent.Message;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.host.ChaosForger;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.SharedMemory;
import java.util.SplittableRandom;

/** Writes slots, claims and heartbeats with right heads, and nonsense behind them. */
public final class LocalForger implements ChaosForger {
    private final SharedMemory file;
    private final PinnedWindow memory;
    private final LocalLayout layout;
    private final RegionHeader header;

    /** Over a mapping of a region, which it takes. */
    public LocalForger(SharedMemory file) {
        this.file = file;
        memory = new PinnedWindow(file.pinned());
        header = RegionHeader.read(memory, LocalLayout.HEADER, RegionHeader.LOCAL);
        layout = new LocalLayout(header.shape());
    }

    @Override
    public void forge(SplittableRandom random) {
        int cpu = random.nextInt(header.shape().cpus());
        int agent = header.shape().agentOf(cpu);
        int epoch = HostControl.epoch(memory, RegionLayout.hostControl(agent));
        int place = random.nextInt(header.shape().staged());
        long line = layout.slot(epoch, cpu, place);
        int number = Slot.number(memory.loadAcquire(line)) + random.nextInt(3) * header.shape().staged();
        switch (random.nextInt(8)) {
            case 0 -> memory.storeRelease(layout.agentControl(epoch, agent), random.nextLong());
            case 1 -> memory.storeRelease(layout.cpu(epoch, cpu), random.nextLong());
            case 2 -> memory.storeRelease(layout.claim(epoch, cpu, place),
                    Slot.head(number, epoch, 0, random.nextInt(6)));
            default -> {
                for (int word = 0; word < Message.WORDS; word++) {
                    memory.storeRelease(line + 8 + word * 8L, random.nextInt(3) == 0 ? 0 : random.nextLong());
                }
                memory.storeRelease(line + 8,
                        Identity.of(epoch, random.nextInt(64), random.nextInt(header.shape().tasks() + 2)));
                memory.storeRelease(line, Slot.head(number, epoch, 0, Slot.READY));
            }
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
