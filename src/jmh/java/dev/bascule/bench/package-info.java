/**
 * Benchmarks: Java against C twins in the same process, and JMH benchmarks for allocation. Not part of the product;
 * the only place outside of {@code dev.bascule.ffi} that links native code.
 */
@NullMarked
package dev.bascule.bench;

import org.jspecify.annotations.NullMarked;
