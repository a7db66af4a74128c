/**
 * DPDK ports behind the packet API: any of its drivers, from Java, without a copy. Needs DPDK 22.11 or newer installed;
 * everything else of the framework works without.
 */
@NullMarked
package dev.bascule.nic.dpdk;

import org.jspecify.annotations.NullMarked;
