package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

/** The interface's limits. The TX MTU register is stored and has no effect [RTL]. */
final class InterfaceControlBlock extends RegisterBlock {
    private final CorundumConfig config;
    private int txMtu;
    private int rxMtu;

    InterfaceControlBlock(CorundumConfig config) {
        super(TYPE_INTERFACE_CONTROL, VERSION_INTERFACE_CONTROL, 0x40);
        this.config = config;
        reset();
    }

    /** Received frames are cut to this many bytes. */
    int rxMtu() {
        return rxMtu;
    }

    @Override
    int readField(int offset) {
        return switch (offset) {
            case INTERFACE_FEATURES -> config.features();
            case INTERFACE_PORTS -> config.ports();
            case INTERFACE_SCHEDULERS -> config.schedulers();
            case INTERFACE_MAX_TX_MTU -> config.maxTxBytes();
            case INTERFACE_MAX_RX_MTU -> config.maxRxBytes();
            case INTERFACE_TX_MTU -> txMtu;
            case INTERFACE_RX_MTU -> rxMtu;
            case INTERFACE_TX_FIFO_BYTES -> config.txFifoBytes();
            case INTERFACE_RX_FIFO_BYTES -> config.rxFifoBytes();
            default -> 0;
        };
    }

    @Override
    void writeField(int offset, int value, int lanes) {
        if (offset == INTERFACE_TX_MTU) {
            txMtu = value & 0xFFFF;
        } else if (offset == INTERFACE_RX_MTU) {
            rxMtu = value & 0xFFFF;
        }
    }

    @Override
    public void reset() {
        txMtu = config.maxTxBytes();
        rxMtu = config.maxRxBytes();
    }
}
