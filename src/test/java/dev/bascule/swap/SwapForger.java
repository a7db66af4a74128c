package dev.bascule.swap;

import dev.bascule.agent.HostControl;
import dev.bascule.agent.Identity;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.host.ChaosForger;
import dev.bascule.memory.Window;
import dev.bascule.model.smartnic.NicSide;
import dev.bascule.model.smartnic.SmartNicRegion;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Answers the host's newest offer with promises that are whole and sealed, and nonsense. */
public final class SwapForger implements ChaosForger {
    private static final long[] COUNTS = { 0, 1, 2, 3, 4, 5, 0x2000_0001L, 0x1000_0001L, 0x4000_0001L, 0xffff_ffffL,
            -1 };

    private final SmartNicRegion region;
    private final Window nic;
    private final Window hostMemory;
    private final MemorySegment coherent;
    private final boolean push;
    private final SwapMode mode;
    private final SwapLayout layout;

    /** Over the agents' side of a region, which it takes. */
    public SwapForger(SmartNicRegion region) {
        this.region = region;
        NicSide nicSide = region.nic();
        coherent = region.nicMemory().segment();
        nic = nicSide.memory();
        hostMemory = nicSide.hostMemory();
        RegionHeader header = RegionHeader.read(nic, SwapLayout.HEADER, RegionHeader.SWAP);
        push = SwapOptions.isPush(header.placement());
        mode = SwapOptions.mode(header.placement());
        layout = new SwapLayout(header.shape(), mode);
    }

    @Override
    public void forge(SplittableRandom random) {
        int cpu = random.nextInt(layout.shape().cpus());
        int agent = layout.shape().agentOf(cpu);
        int epoch = HostControl.epoch(nic, RegionLayout.hostControl(agent));
        if (mode == SwapMode.ONE_WORD) {
            forgeWord(random, epoch, cpu);
            return;
        }
        SwapLine offer = new SwapLine();
        offer.copy(new WindowLine(nic, layout.hostLine(cpu)));
        long n = offer.n() + (random.nextInt(8) == 0 ? random.nextInt(3) - 1 : 0);
        long[] decisions = decisions(random, epoch, layout.batch());
        Window window = push ? hostMemory : nic;
        Line[] lines = new Line[layout.batch()];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = new WindowLine(window, layout.decision(push, epoch, cpu, i));
        }
        int count = 1 + random.nextInt(layout.batch());
        long digest = new BatchArea(lines).store(decisions, count * Line.WORDS, cpu, epoch, n);
        long told = random.nextBoolean() ? count : COUNTS[random.nextInt(COUNTS.length)];
        long token = mode == SwapMode.SWAP_END ? Token.NONE : LineHostExchange.token(decisions[0]);
        SwapLine out = new SwapLine();
        out.begin(epoch, n);
        int kind = random.nextInt(4) == 0 ? random.nextInt(16) : SwapLine.REFLECT;
        out.put(1, kind << 12 | random.nextInt(0x1000), epoch & 0xffff_ffffL);
        out.put(2, random.nextInt(8) == 0 ? random.nextLong() : offer.offered());
        out.put(3, offer.digest());
        out.put(4, random.nextInt(4) == 0 ? random.nextLong() : token);
        out.put(5, random.nextInt(8) == 0 ? random.nextLong() : digest);
        out.put(6, told);
        out.seal(SwapLine.agentSeed(cpu));
        out.write(new WindowLine(window, layout.agentLine(push, epoch, cpu)));
    }

    private long[] decisions(SplittableRandom random, int epoch, int count) {
        long[] decisions = new long[count * Line.WORDS];
        for (int word = 0; word < decisions.length; word++) {
            decisions[word] = random.nextInt(3) == 0 ? 0 : random.nextLong();
        }
        decisions[0] = Identity.of(epoch, random.nextInt(64), random.nextInt(layout.shape().tasks() + 2));
        return decisions;
    }

    /** Mostly an answer as an agent gives it, else a word that nobody writes. */
    private void forgeWord(SplittableRandom random, int epoch, int cpu) {
        long word = layout.word(false, epoch, cpu);
        if (random.nextInt(8) == 0) {
            long now = nic.loadAcquire(word);
            nic.storeRelease(word, random.nextBoolean() ? random.nextLong() : now ^ 1L << random.nextInt(64));
            return;
        }
        OneWordSwap swap = new OneWordSwap(new SegmentWord(coherent, word), 1);
        swap.follow();
        if ((swap.look() & SwapAction.DECIDE) != 0) {
            int number = random.nextInt();
            DecisionLine.write(nic, layout.decision(false, epoch, cpu, 0), number, epoch, decisions(random, epoch, 1),
                    0);
            nic.writeFence();
            swap.reflect(random.nextInt(8) == 0 ? number + 1 : number);
        }
    }

    @Override
    public void close() {
        region.leave();
    }
}
