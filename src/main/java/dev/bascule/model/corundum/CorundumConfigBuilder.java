package dev.bascule.model.corundum;

import dev.bascule.config.ModelTiming;

/** Makes a {@link CorundumConfig}; see there for what each value means. */
public final class CorundumConfigBuilder {
    private CorundumProfile profile = CorundumProfile.MAY_2024;
    private CorundumIdentity identity = CorundumIdentity.MODEL;
    private int interfaces = 1;
    private int ports = 2;
    private int schedulers = 2;
    private int eventQueues = 32;
    private int completionQueues = 1024;
    private int txQueues = 512;
    private int rxQueues = 256;
    private int features = 0x1F11;
    private int maxTxBytes = 9214;
    private int maxRxBytes = 9214;
    private int txFifoBytes = 32768;
    private int rxFifoBytes = 131072;
    private int dmaAddressBits = 64;
    private int interruptIndexBits = 5;
    private boolean msix = true;
    private boolean statistics = true;
    private boolean tdma = false;
    private int periodicOutputs = 0;
    private CorundumFlash flash = CorundumFlash.NONE;
    private long firstMacAddress = 0;
    private long linkDelayNanos = 0;
    private ModelTiming timing = ModelTiming.IMMEDIATE;

    CorundumConfigBuilder() {}

    /** Sets {@code profile}. */
    public CorundumConfigBuilder profile(CorundumProfile value) {
        profile = value;
        return this;
    }

    /** Sets {@code identity}. */
    public CorundumConfigBuilder identity(CorundumIdentity value) {
        identity = value;
        return this;
    }

    /** Sets {@code interfaces}. */
    public CorundumConfigBuilder interfaces(int value) {
        interfaces = value;
        return this;
    }

    /** Sets {@code ports}. */
    public CorundumConfigBuilder ports(int value) {
        ports = value;
        return this;
    }

    /** Sets {@code schedulers}. */
    public CorundumConfigBuilder schedulers(int value) {
        schedulers = value;
        return this;
    }

    /** Sets {@code eventQueues}. */
    public CorundumConfigBuilder eventQueues(int value) {
        eventQueues = value;
        return this;
    }

    /** Sets {@code completionQueues}. */
    public CorundumConfigBuilder completionQueues(int value) {
        completionQueues = value;
        return this;
    }

    /** Sets {@code txQueues}. */
    public CorundumConfigBuilder txQueues(int value) {
        txQueues = value;
        return this;
    }

    /** Sets {@code rxQueues}. */
    public CorundumConfigBuilder rxQueues(int value) {
        rxQueues = value;
        return this;
    }

    /** Sets {@code features}. */
    public CorundumConfigBuilder features(int value) {
        features = value;
        return this;
    }

    /** Sets {@code maxTxBytes}. */
    public CorundumConfigBuilder maxTxBytes(int value) {
        maxTxBytes = value;
        return this;
    }

    /** Sets {@code maxRxBytes}. */
    public CorundumConfigBuilder maxRxBytes(int value) {
        maxRxBytes = value;
        return this;
    }

    /** Sets {@code txFifoBytes}. */
    public CorundumConfigBuilder txFifoBytes(int value) {
        txFifoBytes = value;
        return this;
    }

    /** Sets {@code rxFifoBytes}. */
    public CorundumConfigBuilder rxFifoBytes(int value) {
        rxFifoBytes = value;
        return this;
    }

    /** Sets {@code dmaAddressBits}. */
    public CorundumConfigBuilder dmaAddressBits(int value) {
        dmaAddressBits = value;
        return this;
    }

    /** Sets {@code interruptIndexBits}. */
    public CorundumConfigBuilder interruptIndexBits(int value) {
        interruptIndexBits = value;
        return this;
    }

    /** Sets {@code msix}. */
    public CorundumConfigBuilder msix(boolean value) {
        msix = value;
        return this;
    }

    /** Sets {@code statistics}. */
    public CorundumConfigBuilder statistics(boolean value) {
        statistics = value;
        return this;
    }

    /** Sets {@code tdma}. */
    public CorundumConfigBuilder tdma(boolean value) {
        tdma = value;
        return this;
    }

    /** Sets {@code periodicOutputs}. */
    public CorundumConfigBuilder periodicOutputs(int value) {
        periodicOutputs = value;
        return this;
    }

    /** Sets {@code flash}. */
    public CorundumConfigBuilder flash(CorundumFlash value) {
        flash = value;
        return this;
    }

    /** Sets {@code firstMacAddress}. */
    public CorundumConfigBuilder firstMacAddress(long value) {
        firstMacAddress = value;
        return this;
    }

    /** Sets {@code linkDelayNanos}. */
    public CorundumConfigBuilder linkDelayNanos(long value) {
        linkDelayNanos = value;
        return this;
    }

    /** Sets {@code timing}. */
    public CorundumConfigBuilder timing(ModelTiming value) {
        timing = value;
        return this;
    }

    /** Checks and makes it. */
    public CorundumConfig build() {
        return new CorundumConfig(profile, identity, interfaces, ports, schedulers, eventQueues, completionQueues,
                txQueues, rxQueues, features, maxTxBytes, maxRxBytes, txFifoBytes, rxFifoBytes, dmaAddressBits,
                interruptIndexBits, msix, statistics, tdma, periodicOutputs, flash, firstMacAddress, linkDelayNanos,
                timing);
    }
}
