package dev.bascule.junit;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.host.Session;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.FaultSite;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/** The runs of a test with {@link SmartNic}: each transport with each seed. */
final class SmartNicExtension implements TestTemplateInvocationContextProvider {
    private static final Set<FaultSite> SITES = EnumSet.of(FaultSite.HOST_TO_NIC, FaultSite.NIC_TO_HOST,
            FaultSite.DMA_WRITE, FaultSite.INTERRUPT);

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return AnnotationSupport.isAnnotated(context.getTestMethod(), SmartNic.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        SmartNic asked = AnnotationSupport.findAnnotation(context.getTestMethod(), SmartNic.class).orElseThrow();
        if (asked.transport().length == 0) {
            throw new ExtensionConfigurationException("@SmartNic names no transport; there are "
                    + List.of(Transport.values()));
        }
        EnclaveShape shape;
        try {
            shape = new EnclaveShape(asked.cpus(), asked.tasks(), 1, asked.channelEntries(), asked.staged());
        } catch (IllegalArgumentException e) {
            throw new ExtensionConfigurationException("@SmartNic: " + e.getMessage(), e);
        }
        List<TestTemplateInvocationContext> runs = new ArrayList<>();
        for (Transport transport : asked.transport()) {
            if (transport == Transport.ON_HOST
                    && AnnotationSupport.isAnnotated(context.getTestMethod(), Faults.class)) {
                throw new ExtensionConfigurationException(
                        "@Faults over ON_HOST: it has no link that could have faults; leave one of the two out");
            }
            for (FaultPlan plan : Seeds.plans(context, SITES, "a test over a transport")) {
                String seed = Seeds.areNamed(context) ? ", seed " + plan.seed() : "";
                runs.add(new Run(transport, shape, plan, transport.text() + seed));
            }
        }
        return runs.stream();
    }

    /** One of them. */
    private static final class Run extends TestRun {
        Run(Transport transport, EnclaveShape shape, FaultPlan plan, String displayName) {
            super(displayName, "a test over " + transport.text(), plan);
            inject(TransportRig.class, () -> {
                TransportRig rig = new TransportRig(get(Session.class), shape, plan.seed());
                closing(rig.end());
                return rig;
            });
            inject(Session.class,
                    () -> closing(transport.open(closing(Session.newRunDirectory()).path(), plan, plan.seed())));
            inject(MechanismEnd.class, () -> get(TransportRig.class).end());
            inject(Mechanism.class, () -> get(TransportRig.class).host());
            inject(AgentEnd.class, () -> {
                get(TransportRig.class);
                return closing(get(Session.class).attach(0));
            });
            inject(EnclaveShape.class, () -> shape);
            inject(Transport.class, () -> transport);
        }
    }
}
