/**
 * Struct layouts and constants of {@code linux/vfio.h} as jextract generates them (only the symbols named in
 * {@code native/vfio.includes}; regenerate with {@code scripts/regenerate-bindings}). Never edited by hand; checked
 * against the C compiler by the layout-conformance test.
 */
package dev.bascule.ffi.generated;
