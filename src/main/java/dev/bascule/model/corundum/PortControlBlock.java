package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import java.util.Arrays;

/** A port's control registers: enable and pause of both directions, link, flow control. Byte lanes are ignored [RTL]. */
final class PortControlBlock extends RegisterBlock {
    private static final int LENGTH = 0x40;
    private static final int STORED = PORT_ENABLE | PORT_PAUSE;
    private static final int QUANTA_RESET = 0x00200020;
    private static final int QUANTA_MASK = 0x03FF03FF;
    private static final int FLOW_CONTROL_MASK = FLOW_CONTROL_TX_ENABLE | FLOW_CONTROL_RX_ENABLE;
    private static final int PRIORITIES = 8;

    private final int features;
    private final boolean macControl;
    private final int watermarkMask;
    private final int watermarkReset;
    private int txControl;
    private int rxControl;
    private int quanta;
    private int linkFlowControl;
    private final int[] priorityFlowControl = new int[PRIORITIES];
    private boolean linkUp = true;

    PortControlBlock(CorundumConfig config) {
        super(TYPE_PORT_CONTROL, VERSION_PORT_CONTROL, LENGTH);
        boolean link = config.has(FEATURE_LINK_FLOW_CONTROL);
        boolean priority = config.has(FEATURE_PRIORITY_FLOW_CONTROL);
        macControl = link || priority;
        features = (link ? PORT_FEATURE_LINK_FLOW_CONTROL : 0) | (priority ? PORT_FEATURE_PRIORITY_FLOW_CONTROL : 0)
                | (macControl ? PORT_FEATURE_MAC_CONTROL : 0);
        watermarkMask = (config.rxFifoBytes() << 1) - 1;
        watermarkReset = config.rxFifoBytes() / 2;
        reset();
    }

    /** Frames may leave. */
    boolean transmitOpen() {
        return (txControl & STORED) == PORT_ENABLE;
    }

    /** Frames may enter. */
    boolean receiveOpen() {
        return (rxControl & STORED) == PORT_ENABLE;
    }

    void setLinkUp(boolean up) {
        linkUp = up;
    }

    @Override
    int readField(int offset) {
        if (offset == PORT_TX_CONTROL || offset == PORT_RX_CONTROL) {
            return status(offset == PORT_TX_CONTROL ? txControl : rxControl);
        }
        if (offset == PORT_FEATURES) {
            return features;
        }
        if (!macControl) {
            return 0;
        }
        return switch (offset) {
            case PORT_FLOW_CONTROL_QUANTA -> quanta;
            case PORT_LINK_FLOW_CONTROL -> linkFlowControl;
            default -> priorityFlowControl[offset - PORT_PRIORITY_FLOW_CONTROL >> 2];
        };
    }

    /** A direction that is not enabled, or paused, requests and acknowledges pause; the link is independent [RTL]. */
    private int status(int control) {
        int bits = control | (linkUp ? PORT_LINK_UP : 0);
        return control == PORT_ENABLE ? bits : bits | PORT_PAUSE_REQUEST | PORT_PAUSE_ACKNOWLEDGE;
    }

    @Override
    void writeField(int offset, int value, int lanes) {
        switch (offset) {
            case PORT_TX_CONTROL -> txControl = value & STORED;
            case PORT_RX_CONTROL -> rxControl = value & STORED;
            case PORT_FEATURES -> {
            }
            case PORT_FLOW_CONTROL_QUANTA -> quanta = value & QUANTA_MASK;
            case PORT_LINK_FLOW_CONTROL -> linkFlowControl = value & (FLOW_CONTROL_MASK | watermarkMask);
            default -> priorityFlowControl[offset - PORT_PRIORITY_FLOW_CONTROL >> 2] = value & FLOW_CONTROL_MASK;
        }
    }

    @Override
    public void reset() {
        txControl = 0;
        rxControl = 0;
        quanta = QUANTA_RESET;
        linkFlowControl = watermarkReset;
        Arrays.fill(priorityFlowControl, 0);
    }
}
