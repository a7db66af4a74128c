/**
 * The only unsafe package: libc through the FFM API, errno turned into {@link dev.bascule.ffi.NativeException}, owners
 * for file descriptors and mappings. Every restricted FFM call of the program is in here; what leaves is a bounded
 * segment tied to an arena. Not exported.
 */
@NullMarked
package dev.bascule.ffi;

import org.jspecify.annotations.NullMarked;
