package dev.bascule.loopback;

import dev.bascule.device.DeviceModel;

/** A model whose memory BAR is already one side of a link with other users, such as a SmartNIC's memory. */
public interface LinkedModel extends DeviceModel {
    /** The memory behind a mappable BAR. */
    LinkedMemory linkedMemory(int bar);
}
