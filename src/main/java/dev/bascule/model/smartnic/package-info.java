/** The SmartNIC PCI function as a device model, and the memory region that host and NIC cores share. */
@NullMarked
package dev.bascule.model.smartnic;

import org.jspecify.annotations.NullMarked;
