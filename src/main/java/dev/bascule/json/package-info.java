/** Reads and writes JSON (RFC 8259); it reads also what peers send that are not trusted. Knows nothing of who asks. */
@NullMarked
package dev.bascule.json;

import org.jspecify.annotations.NullMarked;
