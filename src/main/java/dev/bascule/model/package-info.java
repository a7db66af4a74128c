/**
 * Parts shared by device models: the wire their ports are plugged into, and events in virtual time. The models
 * themselves are in the packages below.
 */
@NullMarked
package dev.bascule.model;

import org.jspecify.annotations.NullMarked;
