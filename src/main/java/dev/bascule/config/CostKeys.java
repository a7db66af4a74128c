package dev.bascule.config;

/**
 * Files of costs, whose constants are all needed: of the simulated host, and of interconnects between a core and a NIC.
 * Documented in {@code src/site/markdown/simulation.md}.
 */
final class CostKeys {
    private CostKeys() {}

    record Costs(@Key(type = ValueType.PLAIN) String description, @Key Kernel kernel, @Key Link link,
            @Key Agent hostAgent, @Key NicAgent nicAgent, @Key Cpu cpu, @Key Socket socket, @Key Memory memory) {}

    record Kernel(@Key CostConstant entry, @Key CostConstant contextSwitch, @Key CostConstant coldStart,
            @Key CostConstant message, @Key CostConstant commit, @Key CostConstant interrupt,
            @Key CostConstant interprocessor, @Key CostConstant resume, @Key CostConstant fallback,
            @Key CostConstant poll, @Key CostConstant tick, @Key CostConstant sourceLook) {}

    record Link(@Key CostConstant mmioReadUc, @Key CostConstant mmioReadWt, @Key CostConstant mmioWrite,
            @Key CostConstant postedWrite, @Key CostConstant dmaRead, @Key CostConstant dmaWrite,
            @Key CostConstant msix, @Key CostConstant coherentLine, @Key CostConstant atomicOp,
            @Key CostConstant sharedLine, @Key(words = "GB/s") CostConstant dmaBandwidth,
            @Key(words = { "B", "KiB" }) CostConstant credits) {}

    record Agent(@Key CostConstant round, @Key CostConstant message, @Key CostConstant decision,
            @Key CostConstant unschedule, @Key CostConstant commit, @Key CostConstant interrupt,
            @Key CostConstant poll, @Key CostConstant restart) {}

    record NicAgent(@Key(type = ValueType.INLINE) Agent agent, @Key(words = "x") CostConstant slowdown) {}

    record Cpu(@Key(words = "x") CostConstant smtShare, @Key(words = "x") CostConstant turboGain) {}

    record Socket(@Key CostConstant migration, @Key CostConstant line, @Key CostConstant interrupt) {}

    record Memory(@Key CostConstant fast, @Key CostConstant slow) {}

    record Interconnects(@Key(type = ValueType.PLAIN) String description, @Key Coherent eci, @Key Coherent cxl,
            @Key Pcie pcie, @Key Host host, @Key Nic nic) {}

    record Coherent(@Key CostConstant roundTrip, @Key CostConstant receiveLine, @Key CostConstant nextReceiveLine,
            @Key CostConstant sendLine, @Key CostConstant nextSendLine) {}

    record Pcie(@Key CostConstant roundTrip, @Key CostConstant receive, @Key CostConstant receiveWord,
            @Key CostConstant send, @Key CostConstant sendLine, @Key CostConstant dmaRead, @Key CostConstant dmaWrite,
            @Key CostConstant doorbell, @Key CostConstant interrupt,
            @Key(words = "GB/s") CostConstant dmaBandwidth) {}

    record Host(@Key CostConstant interruptEntry, @Key CostConstant wakeUp, @Key CostConstant contextSwitch,
            @Key CostConstant entry, @Key CostConstant stack, @Key CostConstant demultiplex,
            @Key CostConstant unmarshal, @Key CostConstant poll, @Key CostConstant slice) {}

    record Nic(@Key CostConstant decode, @Key CostConstant steer) {}
}
