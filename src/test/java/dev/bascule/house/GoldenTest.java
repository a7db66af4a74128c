package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GoldenTest {
    @Test
    void keysArePathsWithTypesAndElementsOfAnArrayArePutTogether() throws Exception {
        assertThat(Golden.keys("{\"a\": [{\"b\": 1, \"c\": \"x\"}, {\"b\": null}], \"d\": true, \"e\": 1.5}"))
                .isEqualTo("""
                         object
                        .a array
                        .a[] object
                        .a[].b null
                        .a[].b number
                        .a[].c string
                        .d boolean
                        .e number
                        """);
    }

    @Test
    void aKeyOfAnotherNameOrTypeIsSeen() throws Exception {
        assertThat(Golden.keys("{\"a\": 1}")).isNotEqualTo(Golden.keys("{\"b\": 1}"))
                .isNotEqualTo(Golden.keys("{\"a\": \"1\"}")).isEqualTo(Golden.keys("{\"a\": 2}"));
    }

    @Test
    void whatTheMachineCouldNotTellIsNoDifference() throws Exception {
        String golden = Golden.keys("{\"a\": [{\"b\": 1}], \"c\": null, \"d\": 1}");
        assertThat(Golden.differences(golden, Golden.keys("{\"a\": [], \"c\": 2, \"d\": null}"))).isEmpty();
        assertThat(Golden.differences(golden, Golden.keys("{\"a\": [{\"e\": 1}], \"c\": null, \"d\": \"1\"}")))
                .containsExactly("gone:.a[].b number", "gone:.d number", "new:.a[].e number", "new:.d string");
        assertThat(Golden.differences(golden, Golden.keys("{\"c\": null, \"d\": 1}"))).contains("gone:.a array");
    }

    @Test
    void oneByteMakesAnotherDigest() {
        assertThat(Golden.digest("a")).hasSize(16).isNotEqualTo(Golden.digest("b"));
    }
}
