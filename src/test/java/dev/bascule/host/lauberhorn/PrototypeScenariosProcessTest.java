package dev.bascule.host.lauberhorn;

import org.junit.jupiter.api.Tag;

/** The scenarios with processes of the operating system, which share nothing but their own lines with the NIC. */
@Tag("process")
class PrototypeScenariosProcessTest extends PrototypeScenariosTest {
    @Override
    boolean isAcross() {
        return true;
    }
}
