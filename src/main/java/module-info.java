/** Bascule: drive SmartNICs and FPGA NICs from user space, and let host and NIC decide together. */
module dev.bascule {
    requires java.logging;
    requires jdk.jfr;
    requires static jdk.management; // tests count allocated bytes
    requires info.picocli;
    requires org.snakeyaml.engine;
    requires static org.jspecify;
    requires static rocksdbjni;
    requires static org.junit.jupiter.api; // only for those who test with dev.bascule.junit

    exports dev.bascule.agent;
    exports dev.bascule.agent.region;
    exports dev.bascule.config;
    exports dev.bascule.device;
    exports dev.bascule.host;
    exports dev.bascule.host.lauberhorn;
    exports dev.bascule.junit;
    exports dev.bascule.lauberhorn;
    exports dev.bascule.loopback;
    exports dev.bascule.memory;
    exports dev.bascule.model;
    exports dev.bascule.model.cndm;
    exports dev.bascule.model.corundum;
    exports dev.bascule.model.enso;
    exports dev.bascule.model.lauberhorn;
    exports dev.bascule.model.smartnic;
    exports dev.bascule.model.virtio;
    exports dev.bascule.nic;
    exports dev.bascule.model.wire;
    exports dev.bascule.nic.cndm;
    exports dev.bascule.nic.corundum;
    exports dev.bascule.nic.dpdk;
    exports dev.bascule.nic.enso;
    exports dev.bascule.nic.smartnic;
    exports dev.bascule.nic.virtio;
    exports dev.bascule.pci;
    exports dev.bascule.policy;
    exports dev.bascule.ring;
    exports dev.bascule.rpc;
    exports dev.bascule.swap;
    exports dev.bascule.vfiouser;
    exports dev.bascule.vfio;
    exports dev.bascule.wave;
    exports dev.bascule.workload;

    uses dev.bascule.cli.Extension;
    uses dev.bascule.nic.NicDriver;

    provides dev.bascule.nic.NicDriver with dev.bascule.nic.cndm.CndmDriver,
            dev.bascule.nic.cndm.proto.ProtoDriver, dev.bascule.nic.corundum.CorundumDriver,
            dev.bascule.nic.enso.EnsoDriver, dev.bascule.nic.lesson.LessonDriver,
            dev.bascule.nic.virtio.VirtioDriver;

    opens dev.bascule.junit to org.junit.platform.commons;
    opens dev.bascule.cli to info.picocli;
}
