package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.model.parts.PhcTime;
import dev.bascule.ring.Clock;

/** The device's own registers, seen at the start of every interface: register blocks, then the statistics slot. */
final class CsrWindow implements RegisterWindow {
    private static final int INTERRUPT_CONFIG_AT = 0x40;
    private static final int INTERFACES_AT = 0x50;
    private static final int APPLICATION_AT = 0x70;
    private static final int STATISTICS_AT = 0x80;
    private static final int PHC_AT = 0x100;
    private static final int PERIODIC_OUTPUT_AT = 0x180;
    private static final int PERIODIC_OUTPUT_STRIDE = 0x40;
    private static final int CLOCK_INFO_AT = 0x200;
    private static final int FLASH_AT = 0x280;
    private static final int BMC_AT = 0x2C0;
    private static final int BLOCKS_BYTES = 0x400;
    /** 32/5 ns: numerator in the upper, denominator in the lower half. */
    private static final int REFERENCE_PERIOD = 0x00200005;
    /** 4/1 ns. */
    private static final int CORE_PERIOD = 0x00040001;
    private static final int CORE_HZ = 250_000_000 & ~0xFF; // measured in steps of 256 Hz
    private static final int CHANNEL_HZ = 156_250_000 & ~0xFF;

    private final BlockWindow blocks = new BlockWindow(0, BLOCKS_BYTES);
    private final int statisticsAt;
    private final Statistics statistics;
    private final PhcBlock phc;

    CsrWindow(CorundumConfig config, Layout layout, Statistics statistics, InterruptLimiter interrupts,
            Clock clock) {
        this.statistics = statistics;
        statisticsAt = config.statistics() ? Layout.statistics(config) : Integer.MAX_VALUE;
        phc = new PhcBlock(clock, config.timing());
        CorundumIdentity id = config.identity();
        RegisterBlock last = new ConstantBlock(TYPE_FIRMWARE_ID, VERSION_FIRMWARE_ID, 0x40, id.fpgaId(),
                id.firmwareId(), id.firmwareVersion(), id.boardId(), id.boardVersion(), id.buildDateSeconds(),
                id.gitHash(), id.releaseInfo());
        blocks.add(0, last);
        last = blocks.addAfter(last, INTERRUPT_CONFIG_AT, interrupts);
        last = blocks.addAfter(last, INTERFACES_AT, new ConstantBlock(TYPE_INTERFACES, VERSION_INTERFACES, 0x20, 0,
                config.interfaces(), layout.stride(), layout.control()));
        last = blocks.addAfter(last, APPLICATION_AT, new ConstantBlock(TYPE_FILLER, 0, 0x10));
        last = blocks.addAfter(last, STATISTICS_AT,
                config.statistics()
                        ? new ConstantBlock(TYPE_STATISTICS, VERSION_STATISTICS, 0x20, statisticsAt,
                                Statistics.COUNTERS, Statistics.STRIDE, 0)
                        : new ConstantBlock(TYPE_FILLER, 0, 0x20));
        last = blocks.addAfter(last, PHC_AT, phc);
        for (int i = 0; i < config.periodicOutputs(); i++) {
            last = blocks.addAfter(last, PERIODIC_OUTPUT_AT + PERIODIC_OUTPUT_STRIDE * i, new PeriodicOutputBlock());
        }
        last = blocks.addAfter(last, CLOCK_INFO_AT, clockInfo(config));
        if (config.flash().kind() != CorundumFlash.Kind.NONE) {
            last = blocks.addAfter(last, FLASH_AT, config.flash().kind() == CorundumFlash.Kind.SPI
                    ? new SpiFlashBlock(config.flash())
                    : new BpiFlashBlock(config.flash()));
        }
        if (config.firstMacAddress() != 0) {
            blocks.addAfter(last, BMC_AT, new AlveoBmcBlock(config.firstMacAddress()));
        }
    }

    private static RegisterBlock clockInfo(CorundumConfig config) {
        int channels = 2 * config.allPorts();
        int[] fields = new int[5 + channels];
        fields[0] = channels;
        fields[1] = REFERENCE_PERIOD;
        fields[3] = CORE_PERIOD;
        fields[4] = CORE_HZ;
        for (int i = 0; i < channels; i++) {
            fields[5 + i] = CHANNEL_HZ;
        }
        return new ConstantBlock(TYPE_CLOCK_INFO, VERSION_CLOCK_INFO, FLASH_AT - CLOCK_INFO_AT, fields);
    }

    PhcTime time() {
        return phc.time();
    }

    @Override
    public int read(int offset) {
        return offset < statisticsAt ? blocks.read(offset) : statistics.read(offset - statisticsAt);
    }

    @Override
    public void write(int offset, int value, int lanes) {
        if (offset < BLOCKS_BYTES) {
            blocks.write(offset, value, lanes);
        }
    }

    @Override
    public void reset() {
        blocks.reset();
        statistics.reset();
    }
}
