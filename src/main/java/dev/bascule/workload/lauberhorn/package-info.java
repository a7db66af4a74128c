/** Clients and loads for RPC services behind Lauberhorn's NIC, and the accounts that say whether all was answered once. */
@NullMarked
package dev.bascule.workload.lauberhorn;

import org.jspecify.annotations.NullMarked;
