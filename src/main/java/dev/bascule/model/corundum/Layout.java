package dev.bascule.model.corundum;

import dev.bascule.nic.corundum.MqnicRegisters;

/** Where things are: windows of an interface, all offsets from the start of the interface unless said otherwise. */
final class Layout {
    /** Ports and scheduler blocks of the control window are this far apart. */
    static final int CONTROL_SLOT_BYTES = 0x1000;
    /** A port's or scheduler block's own list starts here. */
    static final int SUBLIST = 0x10;

    /** MSI-X table and statistics each take a slot of the device's own registers. */
    private static final int CSR_SLOT_BYTES = 0x10000;

    final int interfaceShift;
    final int smallShift;
    final int largeShift;

    Layout(CorundumConfig config) {
        interfaceShift = interfaceShift(config.interfaces());
        largeShift = interfaceShift - largeWindowBits(config.schedulers());
        smallShift = largeShift - 2;
    }

    private static int interfaceShift(int interfaces) {
        return MqnicRegisters.BAR0_ADDRESS_BITS - CorundumConfig.log2(interfaces);
    }

    /** Log2 of the large windows of an interface: the small ones together, three kinds of queues, the schedulers. */
    private static int largeWindowBits(int schedulers) {
        return 3 + CorundumConfig.log2((schedulers + 4 + 7) / 8);
    }

    /** Refuses what would lie on top of each other; {@link IllegalArgumentException} says what does. */
    static void check(int interfaces, int ports, int schedulers, boolean msix, boolean statistics) {
        int small = 1 << interfaceShift(interfaces) - largeWindowBits(schedulers) - 2;
        int needed = CSR_SLOT_BYTES * (1 + (msix ? 1 : 0) + (statistics ? 1 : 0));
        if (needed > small) {
            throw new IllegalArgumentException("corundum: " + interfaces + " interfaces of " + schedulers
                    + " schedulers leave " + (small >> 10) + " KiB for the registers of the device, of which "
                    + (needed >> 10) + " are needed" + (statistics ? " with statistics" : "")
                    + (msix ? ", as the MSI-X table lies there" : "") + "; take fewer of either"
                    + (statistics ? ", or no statistics" : ""));
        }
        int blocks = CONTROL_SLOT_BYTES * (1 + ports + schedulers);
        if (blocks > small) {
            throw new IllegalArgumentException("corundum: " + ports + " ports and " + schedulers + " schedulers on "
                    + interfaces + " interfaces do not fit into " + (small >> 10) + " KiB; take fewer");
        }
    }

    /** Large windows of an interface. */
    int largeWindows() {
        return 1 << interfaceShift - largeShift;
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
        return config.msix() ? 2 * CSR_SLOT_BYTES : CSR_SLOT_BYTES;
    }
}
