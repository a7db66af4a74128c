package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.config.ModelTiming;
import dev.bascule.model.parts.PhcClock;
import dev.bascule.model.parts.PhcRate;
import dev.bascule.model.parts.PhcTime;
import dev.bascule.ring.Clock;

/** The PTP hardware clock as a register block. */
final class PhcBlock extends RegisterBlock {
    private final PhcClock clock;

    PhcBlock(Clock time, ModelTiming timing) {
        super(TYPE_PHC, VERSION_PHC, PhcClock.LENGTH);
        clock = new PhcClock(time, PhcRate.OF_6_4_NANOS, timing);
    }

    /** Time that packets are stamped with. */
    PhcTime time() {
        return clock.time();
    }

    @Override
    int readField(int offset) {
        return clock.read(offset);
    }

    @Override
    void writeField(int offset, int value, int lanes) {
        clock.write(offset, value);
    }

    @Override
    public void reset() {
        clock.reset();
    }
}
