/** Real PCI devices through the kernel's VFIO: legacy container and group, or cdev and iommufd, behind one API. */
@NullMarked
package dev.bascule.vfio;

import org.jspecify.annotations.NullMarked;
