package dev.bascule.model.lauberhorn;

import java.util.List;

/**
 * A version of a program that a process serves.
 *
 * @param program number, as ONC RPC counts them
 * @param version its version
 * @param dataPointer what the process gets with each request
 * @param procedures rows of the signature table, each number once
 */
public record Service(int program, int version, long dataPointer, List<Procedure> procedures) {
    /** Keeps a copy. */
    public Service {
        procedures = List.copyOf(procedures);
        long numbers = procedures.stream().mapToInt(Procedure::number).distinct().count();
        if (numbers != procedures.size()) {
            throw new IllegalArgumentException("program " + Integer.toUnsignedString(program) + " version " + version
                    + " has two procedures of one number");
        }
    }
}
