package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.ValueType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ServiceTest {
    private static final JavaService SUMS = JavaService.of(Rig.Sums.class, new Rig.SumsObject());

    private static Rig rig() {
        Rig rig = new Rig(LauberhornConfig.DEFAULT.withMachine(2, 4, 2), LauberhornOptions.DEFAULT);
        rig.host.startProcess("sums", SUMS);
        return rig;
    }

    @Test
    void anInterfaceIsAServiceWithItsSignatures() {
        assertThat(SUMS.listing()).containsExactly("0 null() -> void", "1 add(long, long) -> long",
                "2 greet(string) -> string", "3 swap(int, string, bool) -> int, string", "4 reverse(opaque) -> opaque",
                "5 fail(int) -> void", "6 mean(double, float, int) -> double");
    }

    @Test
    void callsReachTheirMethodsAndResultsComeBack() {
        try (Rig rig = rig()) {
            assertThat(rig.call(0, Signature.NULL)).isZero();
            assertThat(rig.call(1, SUMS.signature(1), 40, 2)).isZero();
            assertThat(rig.result(List.of(ValueType.LONG))[0]).isEqualTo(42);
            byte[] name = "Grüezi".getBytes(StandardCharsets.UTF_8);
            assertThat(rig.call(2, SUMS.signature(2), Rig.withBytes(name))).isZero();
            assertThat(Rig.text(rig.result(List.of(ValueType.STRING)), 0)).isEqualTo("Hello, Grüezi!");
            long[] swapped = { 77, ValueType.reference(3, 3), 1, 0x636261 };
            assertThat(rig.call(3, SUMS.signature(3), swapped)).isZero();
            long[] pair = rig.result(SUMS.signature(3).result());
            assertThat(pair[0]).isEqualTo(3);
            assertThat(Rig.text(pair, 1)).isEqualTo("77");
            long[] numbers = { Double.doubleToRawLongBits(1.5), Float.floatToRawIntBits(2.5f) & 0xffff_ffffL, -1 };
            assertThat(rig.call(6, SUMS.signature(6), numbers)).isZero();
            assertThat(Double.longBitsToDouble(rig.result(List.of(ValueType.DOUBLE))[0])).isEqualTo(1.0);
        }
    }

    @Test
    void payloadsOfAllSizesComeBackByLinesAndByDma() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        try (Rig rig = rig()) {
            for (int bytes : new int[] { 0, 1, 24, 25, 40, 41, 64, 1000, 4000, 4096, 4128, 9600, 16_000 }) {
                byte[] data = new byte[bytes];
                random.nextBytes(data);
                assertThat(rig.call(4, SUMS.signature(4), Rig.withBytes(data))).as("%d bytes", bytes).isZero();
                long[] words = rig.result(List.of(ValueType.OPAQUE));
                byte[] back = new byte[ValueType.bytes(words[0])];
                dev.bascule.rpc.Xdr.copyOut(words, 1, back.length, back, 0);
                assertThat(back).as("%d bytes, seed %d", bytes, seed).isEqualTo(new Rig.SumsObject().reverse(data));
            }
        }
    }

    @Test
    void aHandlerThatThrowsIsARefusalAndIsKept() {
        try (Rig rig = rig()) {
            assertThat(rig.call(5, SUMS.signature(5), 9)).isEqualTo(OncRpc.SYSTEM_ERR);
            assertThat(rig.host.processes().getFirst().failures()).singleElement().asString()
                    .contains("as asked: 9");
            assertThat(rig.call(1, SUMS.signature(1), 1, 1)).as("the thread goes on").isZero();
        }
    }

    @Test
    void whatIsNoServiceIsSaid() {
        assertThatThrownBy(() -> JavaService.of(Runnable.class, () -> {})).hasMessageContaining("@RpcProgram");
        assertThatThrownBy(() -> JavaService.of(Wrong.class, x -> x)).hasMessageContaining("java.util.List")
                .hasMessageContaining("no form on the wire");
        assertThatThrownBy(() -> SUMS.with(1, "again", Signature.NULL, call -> {})).hasMessageContaining("is taken");
    }

    /** Its type has no form on the wire. */
    @RpcProgram(number = 1)
    interface Wrong {
        @RpcProcedure(1)
        List<String> all(List<String> them);
    }
}
