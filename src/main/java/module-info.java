/** Bascule: drive SmartNICs and FPGA NICs from user space, and let host and NIC decide together. */
module dev.bascule {
    requires java.logging;
    requires jdk.jfr;
    requires static jdk.management; // tests count allocated bytes
    requires info.picocli;
    requires org.snakeyaml.engine;
    requires static org.jspecify;
    requires HdrHistogram;
    requires static rocksdbjni;

    exports dev.bascule.agent;
    exports dev.bascule.app;
    exports dev.bascule.app.enso;
    exports dev.bascule.compare;
    exports dev.bascule.config;
    exports dev.bascule.device;
    exports dev.bascule.host;
    exports dev.bascule.host.sim;
    exports dev.bascule.local;
    exports dev.bascule.loopback;
    exports dev.bascule.memory;
    exports dev.bascule.model;
    exports dev.bascule.model.corundum.replay;
    exports dev.bascule.model.corundum;
    exports dev.bascule.model.edu;
    exports dev.bascule.model.enso;
    exports dev.bascule.model.enso.backend;
    exports dev.bascule.model.ivshmem;
    exports dev.bascule.model.replay;
    exports dev.bascule.model.smartnic;
    exports dev.bascule.model.virtio;
    exports dev.bascule.nic;
    exports dev.bascule.model.wire;
    exports dev.bascule.nic.corundum;
    exports dev.bascule.nic.dpdk;
    exports dev.bascule.nic.edu;
    exports dev.bascule.nic.enso;
    exports dev.bascule.nic.ivshmem;
    exports dev.bascule.nic.virtio;
    exports dev.bascule.pci;
    exports dev.bascule.policy;
    exports dev.bascule.report;
    exports dev.bascule.ring;
    exports dev.bascule.swap;
    exports dev.bascule.vfiouser;
    exports dev.bascule.vfio;
    exports dev.bascule.wave;
    exports dev.bascule.wave.memory;
    exports dev.bascule.wave.rpc;
    exports dev.bascule.workload;

    opens dev.bascule.cli to info.picocli;
}
