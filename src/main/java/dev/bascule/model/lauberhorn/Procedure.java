package dev.bascule.model.lauberhorn;

import dev.bascule.rpc.Signature;

/**
 * A row of the signature table.
 *
 * @param number of the procedure in its program, 0 to 65535
 * @param codePointer what the process gets to jump to
 * @param signature by which arguments and result are taken apart
 */
public record Procedure(int number, long codePointer, Signature signature) {
    /** Checks the number. */
    public Procedure {
        if (number < 0 || number > 0xffff) {
            throw new IllegalArgumentException("procedure " + number + ": numbers are 0 to 65535");
        }
    }
}
