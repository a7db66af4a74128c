/** Reads JSON (RFC 8259), also from peers that are not trusted. Knows nothing of who asks. */
@NullMarked
package dev.bascule.json;

import org.jspecify.annotations.NullMarked;
