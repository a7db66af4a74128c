/**
 * Parts shared by device models: above all the wire that their ports are plugged into. The models
 * themselves are in the packages below.
 */
@NullMarked
package dev.bascule.model;

import org.jspecify.annotations.NullMarked;
