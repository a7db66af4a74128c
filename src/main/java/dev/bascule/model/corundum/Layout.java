package dev.bascule.model.corundum;

import dev.bascule.nic.corundum.MqnicRegisters;

/** Where things are: windows of an interface, all offsets from the start of the interface unless said otherwise. */
final class Layout {
    /** Ports and scheduler blocks of the control window are this far apart. */
    static final int CONTROL_SLOT_BYTES = 0x1000;
    /** A port's or scheduler block's own list starts here. */
    static final int SUBLIST = 0x10;

    final int interfaceShift;
    final int smallShift;
    final int largeShift;

    Layout(CorundumConfig config) {
        interfaceShift = MqnicRegisters.BAR0_ADDRESS_BITS - CorundumConfig.log2(config.interfaces());
        smallShift = interfaceShift - 5;
        largeShift = interfaceShift - 3;
    }

    int stride() {
        return 1 << interfaceShift;
    }

    int control() {
        return 1 << smallShift;
    }

    int indirectionTable() {
        return 2 << smallShift;
    }

    int eventQueues() {
        return 3 << smallShift;
    }

    int completionQueues() {
        return 1 << largeShift;
    }

    int txQueues() {
        return 2 << largeShift;
    }

    int rxQueues() {
        return 3 << largeShift;
    }

    int schedulerQueues(int scheduler) {
        return 4 + scheduler << largeShift;
    }

    static int portBlock(int port) {
        return CONTROL_SLOT_BYTES * (1 + port);
    }

    static int schedulerBlock(CorundumConfig config, int scheduler) {
        return CONTROL_SLOT_BYTES * (1 + config.ports() + scheduler);
    }

    /** In the CSR window: the MSI-X table takes the first free slot. */
    static int statistics(CorundumConfig config) {
        return config.msix() ? 0x20000 : 0x10000;
    }
}
