/**
 * The device side of the software back end of the upstream Ensō library: programs built with it run unmodified on the
 * model. Each program thread has two queues of messages in huge-page files; register accesses, id allocation and
 * address translation come as messages, data and notifications go directly through the program's huge pages.
 */
@NullMarked
package dev.bascule.model.enso.backend;

import org.jspecify.annotations.NullMarked;
