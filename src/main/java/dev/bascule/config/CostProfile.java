package dev.bascule.config;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Costs of time and access in the simulated host: every figure with unit, source and confidence, so that a prediction
 * can be printed with all that went into it. Read by {@link CostProfiles}; complete by construction.
 *
 * @param name file name without its ending
 * @param description one sentence for reports
 * @param constants by path, in the order of the schema
 */
public record CostProfile(String name, String description, Map<String, CostConstant> constants) {
    /** Keeps the order. */
    public CostProfile {
        constants = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(constants));
    }

    /** A time in whole ns. */
    public long nanos(String path) {
        return Math.round(constant(path).value());
    }

    /** A ratio, or bytes per second. */
    public double value(String path) {
        return constant(path).value();
    }

    private CostConstant constant(String path) {
        CostConstant constant = constants.get(path);
        if (constant == null) {
            throw new IllegalArgumentException("cost profile " + name + " has no constant '" + path + "'");
        }
        return constant;
    }

    /** This profile with one time that was fitted to something, in whole ns. */
    public CostProfile calibrated(String path, double nanos, String source) {
        constant(path);
        long whole = Math.round(nanos);
        Map<String, CostConstant> changed = new LinkedHashMap<>(constants);
        changed.put(path, new CostConstant(path, whole, whole + " ns", source, Confidence.CALIBRATED));
        return new CostProfile(name, description, changed);
    }

    /** A file of this profile that {@link CostProfiles} reads. */
    public String yaml() {
        StringBuilder text = new StringBuilder("kind: costs\ndescription: ").append(description).append('\n');
        String section = "";
        for (CostConstant constant : constants.values()) {
            String[] path = constant.path().split("\\.");
            String[] stated = constant.stated().split(" ");
            if (!path[0].equals(section)) {
                section = path[0];
                text.append('\n').append(section).append(":\n");
            }
            text.append("  ").append(path[1]).append(":\n    value: ").append(stated[0]).append("\n    unit: ")
                    .append(stated[1]).append("\n    source: \"").append(constant.source().replace("\"", "'"))
                    .append("\"\n    confidence: ").append(constant.confidence().word()).append('\n');
        }
        return text.toString();
    }

    /** This profile with one time changed: for sweeps over a latency. The new figure says that it was chosen. */
    public CostProfile with(String path, double value, String why) {
        CostConstant old = constant(path);
        Map<String, CostConstant> changed = new LinkedHashMap<>(constants);
        String unit = old.stated().substring(old.stated().indexOf(' ') + 1);
        boolean time = Quantity.DURATION_UNITS.containsKey(unit);
        String stated = time ? value + " ns" : value + " " + unit;
        changed.put(path, new CostConstant(path, value, stated, why, Confidence.CHOSEN));
        return new CostProfile(name, description, changed);
    }
}
