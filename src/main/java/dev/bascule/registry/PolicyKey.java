package dev.bascule.registry;

/**
 * One option of a policy.
 *
 * @param name as in {@code --policy-option NAME=VALUE}
 * @param value if it is not given; empty: it must be, or has to follow from the workload
 * @param what it is, with its unit
 */
public record PolicyKey(String name, String value, String what) {
    @Override
    public String toString() {
        return name + (value.isEmpty() ? "" : "=" + value) + " (" + what + ")";
    }
}
