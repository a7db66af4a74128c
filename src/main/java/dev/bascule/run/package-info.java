/** The engines of what runs live: the main job over transports, threads of the kernel, tiering, RPC behind a card. */
@NullMarked
package dev.bascule.run;

import org.jspecify.annotations.NullMarked;
