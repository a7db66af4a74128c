/** The mechanism side of an enclave: emulated CPUs that carry real work and enforce an agent's decisions. */
@NullMarked
package dev.bascule.host;

import org.jspecify.annotations.NullMarked;
