/** What lab tests share: they run in a virtual machine with an IOMMU, see {@code scripts/lab}. */
@NullMarked
package dev.bascule.lab;

import org.jspecify.annotations.NullMarked;
