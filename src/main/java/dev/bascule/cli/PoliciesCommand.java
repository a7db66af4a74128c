package dev.bascule.cli;

import dev.bascule.json.Json;
import dev.bascule.registry.Policies;
import dev.bascule.registry.PolicyKey;
import dev.bascule.registry.ShippedPolicy;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the policies that ship. */
@Command(name = "policies", mixinStandardHelpOptions = true, description = {
        "Lists the policies that ship, with their options and what these are if not given.",
        "run, compare and agent take them by --policy NAME --policy-option KEY=VALUE, sim and sweep by policy=NAME "
                + "policy.KEY=VALUE." }, footer = { "", "Examples:", "  bascule policies",
                        "  bascule run --quick --policy shinjuku --policy-option quantum=20us",
                        "  bascule run --quick --policy my.Sejf --policy-path sejf.jar" })
final class PoliciesCommand extends CommandBase {
    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        PrintWriter out = out();
        if (json) {
            out.print(Json.object().put("policies", Json.array(Policies.ALL, PoliciesCommand::json)).pretty());
        } else {
            Policies.ALL.forEach(policy -> print(out, policy));
        }
        out.flush();
        return 0;
    }

    private static Json.Obj json(ShippedPolicy policy) {
        return Json.object().put("name", policy.name()).put("what", policy.what()).put("options",
                Json.array(policy.keys(), key -> Json.object().put("name", key.name()).put("value", key.value())
                        .put("what", key.what())));
    }

    private static void print(PrintWriter out, ShippedPolicy policy) {
        out.printf("%-22s%s%n", policy.name(), policy.what());
        for (PolicyKey key : policy.keys()) {
            out.printf("  %-20s%s%n", key.name() + (key.value().isEmpty() ? "" : "=" + key.value()), key.what());
        }
    }
}
