/**
 * The lanes of {@code scripts/test}: what each starts, how its reports are read, and what is said of it. Run from source
 * before anything is built ({@code java Main.java}), so it uses the JDK alone and nothing of the project.
 */
package dev.bascule.lanes;
