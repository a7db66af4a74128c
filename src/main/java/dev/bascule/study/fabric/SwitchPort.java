package dev.bascule.study.fabric;

/** The switch itself, where a device reaches memory of the switch's own: half as far away as another device. */
final class SwitchPort extends Port {
    static final String NAME = "switch";

    SwitchPort(Fabric fabric) {
        super(fabric, -1, NAME);
    }
}
