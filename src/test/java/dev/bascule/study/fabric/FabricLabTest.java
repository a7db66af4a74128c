package dev.bascule.study.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import dev.bascule.lab.LabInterface;
import dev.bascule.nic.virtio.VirtioRegisters;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The guest's own kernel and its own driver on a served virtio card whose wire leads into the shipped chain of devices:
 * {@code scripts/lab --serve 'virtio --wire fabric:hw-configs/fabric/private-inference.yaml'}. What the chain has to
 * answer is computed in the guest by other means: sealed with OpenSSL, classified beside the model.
 */
@Tag("lab")
@Timeout(120)
class FabricLabTest {
    private static final long SEED = 22;
    private static final String CARD_MAC = "02:00:00:00:00:01";
    private static final int SERVER_PORT = 7000;
    private static final int CLIENTS = 4;
    private static final int ROUNDS = 16;
    private static final int PATIENCE_MILLIS = 30_000;

    /** The weights of hw-configs/fabric/private-inference.yaml. */
    private final Chains.Labels net = new Chains.Labels(1, 32, Chains.INPUTS);
    private final SplittableRandom random = new SplittableRandom(SEED);

    @BeforeEach
    void find() {
        Assumptions.assumeFalse(
                Lab.devices(VirtioRegisters.VENDOR_ID, VirtioRegisters.NET_DEVICE_ID).isEmpty(),
                "the lab's QEMU has no vfio-user-pci");
    }

    @Test
    void datagramsOfTheGuestsOwnKernelPassTheChainAndComeBackAsItsAnswers() throws Exception {
        InetAddress server = InetAddress.getByName("10.128.0.1");
        InetAddress own = InetAddress.getByName("10.128.0.2");
        Optional<LabInterface> card = LabInterface.of(CARD_MAC);
        assertThat(card).as("the kernel's driver has taken the card").isPresent();
        card.orElseThrow().up((Inet4Address) own, (Inet4Address) server, new byte[] { 2, 0, 0, 0, 0, 2 });

        Optional<OpenSsl> found = OpenSsl.find();
        Assumptions.assumeTrue(found.isPresent(), "this machine has no libcrypto.so.3: apt-get install libssl3");
        List<DatagramSocket> clients = new ArrayList<>();
        try (OpenSsl other = found.orElseThrow()) {
            for (int i = 0; i < CLIENTS; i++) {
                DatagramSocket client = new DatagramSocket(0, own);
                clients.add(client);
                client.setSoTimeout(PATIENCE_MILLIS);
                client.connect(server, SERVER_PORT);
            }
            for (int round = 0; round < ROUNDS; round++) {
                List<byte[]> expected = new ArrayList<>();
                for (DatagramSocket client : clients) {
                    byte[] image = Chains.image(random);
                    byte[] sealed = sealed(other, image);
                    byte[] damaged = sealed.clone();
                    damaged[random.nextInt(damaged.length)] ^= 1;
                    send(client, damaged); // the crypto device rejects it: nothing comes back
                    send(client, sealed);
                    expected.add(net.of(image));
                }
                for (int i = 0; i < CLIENTS; i++) {
                    assertThat(receive(clients.get(i))).as("seed %d, round %d, client %d", SEED, round, i)
                            .isEqualTo(expected.get(i));
                }
            }
        } finally {
            clients.forEach(DatagramSocket::close);
        }
    }

    private byte[] sealed(OpenSsl other, byte[] image) {
        byte[] nonce = new byte[12];
        random.nextBytes(nonce);
        return other.seal(HexFormat.of().parseHex(Chains.KEY), nonce, image);
    }

    private static void send(DatagramSocket client, byte[] bytes) throws Exception {
        client.send(new DatagramPacket(bytes, bytes.length));
    }

    private static byte[] receive(DatagramSocket client) throws Exception {
        DatagramPacket packet = new DatagramPacket(new byte[2048], 2048);
        client.receive(packet);
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }
}
