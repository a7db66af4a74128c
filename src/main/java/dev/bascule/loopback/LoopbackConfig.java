package dev.bascule.loopback;

import dev.bascule.device.Registers;

/** Config space of a loopback device as registers. */
final class LoopbackConfig implements Registers {
    private final LoopbackDevice device;

    LoopbackConfig(LoopbackDevice device) {
        this.device = device;
    }

    @Override
    public long sizeBytes() {
        return device.configBytes();
    }

    @Override
    public long read(long offset, int widthBytes) {
        Registers.check(offset, widthBytes, sizeBytes());
        return device.readConfig((int) offset, widthBytes);
    }

    @Override
    public void write(long offset, int widthBytes, long value) {
        Registers.check(offset, widthBytes, sizeBytes());
        device.writeConfig((int) offset, widthBytes, value);
    }
}
