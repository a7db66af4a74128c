package dev.bascule.model.enso;

/** The two ends of a byte stream, as this device sees them. */
record StreamKey(int ownIp, int ownPort, int peerIp, int peerPort) {}
