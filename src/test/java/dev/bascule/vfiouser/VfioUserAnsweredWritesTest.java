package dev.bascule.vfiouser;

/** The same with every write answered. */
class VfioUserAnsweredWritesTest extends VfioUserConformanceTest {
    @Override
    VfioUserOptions options() {
        return VfioUserOptions.DEFAULT.withPostedWrites(false);
    }
}
