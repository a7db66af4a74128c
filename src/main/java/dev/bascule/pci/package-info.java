/** PCI addresses, config space with its capabilities, and discovery through sysfs. */
@NullMarked
package dev.bascule.pci;

import org.jspecify.annotations.NullMarked;
