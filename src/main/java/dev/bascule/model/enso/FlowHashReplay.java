package dev.bascule.model.enso;

import dev.bascule.model.replay.ReplayResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares the model's flow hash with a table of the hardware's: comma separated, addresses, ports and the hash for each
 * of the four seeds. Lines that cannot be read are differences.
 */
public final class FlowHashReplay {
    /** How the first line of such a table starts. */
    public static final String HEADER = "src_ip,src_port,dst_ip,dst_port,hash_seed0";

    private static final int SEEDS = 4;
    private static final int KEPT_DIFFERENCES = 100;

    private FlowHashReplay() {}

    /**
     * Compares every line.
     *
     * @param name what to call it
     * @param reader the lines; not closed
     */
    public static ReplayResult run(String name, BufferedReader reader) throws IOException {
        List<String> differences = new ArrayList<>();
        int rows = 0;
        int wrong = 0;
        int number = 1;
        String header = reader.readLine();
        if (header == null || !header.startsWith(HEADER)) {
            differences.add("line 1: expected " + HEADER + "...");
            wrong++;
        }
        for (String row = reader.readLine(); row != null; row = reader.readLine()) {
            number++;
            if (row.isBlank()) {
                continue;
            }
            rows++;
            String difference = compare(row);
            if (!difference.isEmpty()) {
                wrong++;
                if (differences.size() < KEPT_DIFFERENCES) {
                    differences.add("line " + number + ": " + difference);
                }
            }
        }
        return new ReplayResult(name, rows, rows * SEEDS, differences, wrong);
    }

    private static String compare(String row) {
        String[] fields = row.split(",", -1);
        if (fields.length < SEEDS + SEEDS) {
            return "has " + fields.length + " fields, not 8";
        }
        try {
            for (int seed = 0; seed < SEEDS; seed++) {
                int hash = FlowHash.hash(FlowReplay.address(fields[0]), Integer.parseInt(fields[1]),
                        FlowReplay.address(fields[2]), Integer.parseInt(fields[3]), seed);
                String text = "%08x".formatted(hash);
                if (!text.equals(fields[SEEDS + seed])) {
                    return "seed " + seed + ": expected " + fields[SEEDS + seed] + ", got " + text;
                }
            }
            return "";
        } catch (IllegalArgumentException e) {
            return "cannot be read: " + e.getMessage();
        }
    }
}
