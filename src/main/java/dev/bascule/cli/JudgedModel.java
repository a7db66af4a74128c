package dev.bascule.cli;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.DeviceModel;
import dev.bascule.model.Cables;
import dev.bascule.model.CountedWire;
import dev.bascule.model.cndm.CndmCard;
import dev.bascule.model.cndm.CndmConfig;
import dev.bascule.model.cndm.proto.ProtoCard;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.corundum.CorundumProfile;
import dev.bascule.model.enso.EnsoCard;
import dev.bascule.model.virtio.VirtioCard;
import dev.bascule.ring.Clock;
import dev.bascule.run.Misuse;
import java.util.List;
import java.util.Optional;

/**
 * Models that {@code judge} has itself, each with one port that loops back; they are served as those of {@code
 * serve}.
 */
final class JudgedModel {
    static final List<String> NAMES = List.of("cndm", "cndm-lite", "cndm-proto", "corundum",
            "corundum-december-2023", "enso", "virtio");

    private static final List<String> UNTIMED = List.of("cndm-proto", "virtio");

    private JudgedModel() {}

    /** The model of a name; empty if it is none. Its clock runs {@code slowness} times slower than the machine's. */
    static Optional<DeviceModel> of(String name, ModelTiming timing, int slowness) {
        if (timing == ModelTiming.RTL && UNTIMED.contains(name)) {
            throw new Misuse("--config: the model " + name + " has no timing of its RTL; leave it out");
        }
        Clock clock = clock(slowness);
        return Optional.ofNullable(switch (name) {
            case "cndm" -> cndm(CndmConfig.MICRO, timing, clock);
            case "cndm-lite" -> cndm(CndmConfig.MICRO.lite(), timing, clock);
            case "cndm-proto" -> new ProtoCard(List.of(new CountedWire(Cables.loopback())));
            case "corundum", CardOption.LOOPBACK -> corundum(CorundumProfile.MAY_2024, timing, clock);
            case "corundum-december-2023" -> corundum(CorundumProfile.DECEMBER_2023, timing, clock);
            case "enso" -> new EnsoCard(new CountedWire(Cables.loopback()), timing, clock);
            case "virtio" -> new VirtioCard(new CountedWire(Cables.loopback()));
            default -> null;
        });
    }

    private static Clock clock(int slowness) {
        Clock machine = Clock.system();
        long start = machine.nanoTime();
        return slowness == 1 ? machine : () -> start + (machine.nanoTime() - start) / slowness;
    }

    private static DeviceModel cndm(CndmConfig profile, ModelTiming timing, Clock clock) {
        return new CndmCard(profile.withPorts(1).withTiming(timing), List.of(new CountedWire(Cables.loopback())),
                clock);
    }

    private static DeviceModel corundum(CorundumProfile profile, ModelTiming timing, Clock clock) {
        return new CorundumModel(
                CorundumConfig.builder().profile(profile).ports(1).schedulers(1).timing(timing).build(),
                List.of(Cables.loopback()), true, null, clock);
    }
}
