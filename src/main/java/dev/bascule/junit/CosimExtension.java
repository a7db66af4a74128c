package dev.bascule.junit;

import dev.bascule.loopback.FaultPlan;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.vfiouser.VfioUserDevice;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/** The runs of a test with {@link Cosim}: one with each seed. */
final class CosimExtension implements TestTemplateInvocationContextProvider {
    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return AnnotationSupport.isAnnotated(context.getTestMethod(), Cosim.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        Cosim asked = AnnotationSupport.findAnnotation(context.getTestMethod(), Cosim.class).orElseThrow();
        if (asked.build().isEmpty() == asked.socket().isEmpty()) {
            throw new ExtensionConfigurationException("@Cosim names " + (asked.build().isEmpty() ? "nothing" : "both")
                    + "; name a program (build) or the socket of a server that runs (socket)");
        }
        List<TestTemplateInvocationContext> runs = new ArrayList<>();
        for (FaultPlan plan : Seeds.plans(context, Set.of(), "a test on a compiled design")) {
            runs.add(new Run(asked, plan, Seeds.areNamed(context) ? ", seed " + plan.seed() : ""));
        }
        return runs.stream();
    }

    /** One of them. */
    private static final class Run extends TestRun {
        Run(Cosim asked, FaultPlan plan, String seed) {
            super(asked.build() + asked.socket() + seed, "a test on a compiled design", plan);
            if (!asked.build().isEmpty()) {
                inject(CosimServer.class, () -> closing(CosimServer.start(Path.of(asked.build()))));
            }
            inject(VfioUserDevice.class, () -> closing(VfioUserDevice.open(
                    asked.build().isEmpty() ? Path.of(asked.socket()) : get(CosimServer.class).socket())));
            inject(NicAdapter.class, () -> closing(Nics.open(get(VfioUserDevice.class))));
            inject(Nic.class, () -> {
                Nic nic = get(NicAdapter.class).openPort(0, NicOptions.DEFAULTS);
                nic.start();
                return nic;
            });
        }
    }
}
