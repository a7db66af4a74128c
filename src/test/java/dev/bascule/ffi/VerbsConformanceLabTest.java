package dev.bascule.ffi;

import org.junit.jupiter.api.Tag;

/** The same where the header is: in the machine that the lane of RDMA boots. */
@Tag("rdma")
class VerbsConformanceLabTest extends VerbsConformanceTest {}
