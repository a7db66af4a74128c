package dev.bascule.junit;

import dev.bascule.device.DeviceModel;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.FaultSite;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LoopbackAddressSpace;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.CountedWire;
import dev.bascule.model.WireEnd;
import dev.bascule.model.cndm.CndmCard;
import dev.bascule.model.cndm.CndmConfig;
import dev.bascule.model.cndm.proto.ProtoCard;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.edu.EduModel;
import dev.bascule.model.enso.EnsoCard;
import dev.bascule.model.ivshmem.IvshmemHub;
import dev.bascule.model.ivshmem.IvshmemModel;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicModel;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.model.virtio.VirtioCard;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.edu.EduDriver;
import dev.bascule.nic.ivshmem.IvshmemDriver;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/** The runs of a test with {@link Loopback}: each device with each seed. */
final class LoopbackExtension implements TestTemplateInvocationContextProvider {
    /** Devices with their numbers of ports. */
    private static final Map<String, Integer> PORTS = new TreeMap<>(
            Map.of("cndm", 2, "cndm-proto", 2, "corundum", 2, "edu", 0, "enso", 1, "ivshmem", 0, "smartnic", 0,
                    "virtio", 1));
    private static final Set<FaultSite> SITES = EnumSet.of(FaultSite.REGISTER_READ, FaultSite.REGISTER_WRITE,
            FaultSite.DMA_READ, FaultSite.DMA_WRITE, FaultSite.INTERRUPT, FaultSite.HOST_TO_NIC);
    private static final long IVSHMEM_BYTES = 1 << 20;
    private static final int IVSHMEM_VECTORS = 8;
    private static final long EDU_TIMEOUT_NANOS = 10_000_000_000L;

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return AnnotationSupport.isAnnotated(context.getTestMethod(), Loopback.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        Loopback asked = AnnotationSupport.findAnnotation(context.getTestMethod(), Loopback.class).orElseThrow();
        if (asked.device().length == 0) {
            throw new ExtensionConfigurationException("@Loopback names no device; there are " + PORTS.keySet());
        }
        List<TestTemplateInvocationContext> runs = new ArrayList<>();
        for (String device : asked.device()) {
            check(device, asked.wire());
            for (FaultPlan plan : Seeds.plans(context, SITES, "a test on a device")) {
                String seed = Seeds.areNamed(context) ? ", seed " + plan.seed() : "";
                runs.add(new Run(device, asked.wire(), plan, device + seed));
            }
        }
        return runs.stream();
    }

    private static void check(String device, Loopback.Wire wire) {
        Integer ports = PORTS.get(device);
        if (ports == null) {
            throw new ExtensionConfigurationException(
                    "@Loopback: no device is called '" + device + "'; there are " + PORTS.keySet());
        }
        if (wire == Loopback.Wire.CROSS && ports < 2) {
            throw new ExtensionConfigurationException(
                    "@Loopback: a cable from port to port needs two, and " + device + " has " + ports);
        }
    }

    /** One of them. */
    private static final class Run extends TestRun {
        private final String device;
        private final Loopback.Wire wire;
        private final FaultPlan plan;
        private final Map<Integer, Nic> nics = new TreeMap<>();
        private @Nullable DeviceModel model;

        Run(String device, Loopback.Wire wire, FaultPlan plan, String displayName) {
            super(displayName, "a test on " + device, plan);
            this.device = device;
            this.wire = wire;
            this.plan = plan;
            inject(LoopbackDevice.class, this::open);
            switch (device) {
                case "cndm" -> injectModel(CndmCard.class);
                case "cndm-proto" -> injectModel(ProtoCard.class);
                case "corundum" -> injectModel(CorundumModel.class);
                case "enso" -> injectModel(EnsoCard.class);
                case "virtio" -> injectModel(VirtioCard.class);
                case "smartnic" -> injectModel(SmartNicModel.class);
                case "ivshmem" -> {
                    injectModel(IvshmemModel.class);
                    inject(IvshmemHub.class, () -> closing(new IvshmemHub(IVSHMEM_BYTES, IVSHMEM_VECTORS)));
                    inject(IvshmemDriver.class, () -> IvshmemDriver.open(get(LoopbackDevice.class)));
                }
                default -> {
                    injectModel(EduModel.class);
                    inject(EduDriver.class,
                            () -> closing(EduDriver.open(get(LoopbackDevice.class), EDU_TIMEOUT_NANOS)));
                }
            }
            if (ports() > 0) {
                inject(NicAdapter.class, () -> closing(Nics.open(get(LoopbackDevice.class))));
                inject(Nic.class, () -> nic(0));
            }
        }

        /** The model belongs to the device, which closes it: there is none without. */
        private <T extends DeviceModel> void injectModel(Class<T> type) {
            inject(type, () -> {
                get(LoopbackDevice.class);
                return type.cast(model);
            });
        }

        private LoopbackDevice open() {
            DeviceModel opened = model();
            model = opened;
            return closing(LoopbackDevice.open(opened, new LoopbackAddressSpace(), LinkProfile.ZERO, plan));
        }

        private DeviceModel model() {
            return switch (device) {
                case "cndm" -> new CndmCard(CndmConfig.MICRO.withPorts(ports()),
                        wires().stream().map(CountedWire::new).toList());
                case "cndm-proto" -> new ProtoCard(wires().stream().map(CountedWire::new).toList());
                case "corundum" ->
                    new CorundumModel(CorundumConfig.builder().ports(ports()).build(), wires(), true);
                case "enso" -> new EnsoCard(new CountedWire(wires().getFirst()));
                case "virtio" -> new VirtioCard(new CountedWire(wires().getFirst()));
                case "smartnic" -> new SmartNicModel(
                        SmartNicRegion.inProcess(SmartNicConfig.DEFAULT.withPlan(plan).withSeed(plan.seed())));
                case "ivshmem" -> get(IvshmemHub.class).peer();
                default -> new EduModel();
            };
        }

        private int ports() {
            return PORTS.getOrDefault(device, 0);
        }

        private List<WireEnd> wires() {
            if (wire == Loopback.Wire.CROSS) {
                return Cables.cross();
            }
            List<WireEnd> wires = new ArrayList<>();
            for (int port = 0; port < ports(); port++) {
                wires.add(wire == Loopback.Wire.LOOP ? Cables.loopback() : WireEnd.OPEN);
            }
            return wires;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            if (parameter.getParameter().getType() != Nic.class || ports() == 0) {
                return super.resolveParameter(parameter, context);
            }
            int port = 0;
            for (int i = 0; i < parameter.getIndex(); i++) {
                port += parameter.getDeclaringExecutable().getParameterTypes()[i] == Nic.class ? 1 : 0;
            }
            if (port >= ports()) {
                throw refusal(parameter, device + " has " + ports() + (ports() == 1 ? " port" : " ports"));
            }
            return nic(port);
        }

        private Nic nic(int port) {
            Nic nic = nics.get(port);
            if (nic == null) {
                nic = get(NicAdapter.class).openPort(port, NicOptions.DEFAULTS);
                nics.put(port, nic);
                nic.start();
            }
            return nic;
        }
    }
}
