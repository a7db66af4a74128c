package dev.bascule.study.fabric;

import dev.bascule.study.Events;

/** A port of the switch with what is plugged into it. */
public sealed class Port permits HostPort, StreamPort, RingPort, FunctionPort, SwitchPort {
    private final Fabric fabric;
    private final int number;
    private final String name;
    private final Link up;
    private final Link down;
    private boolean removed;

    Port(Fabric fabric, int number, String name) {
        this.fabric = fabric;
        this.number = number;
        this.name = name;
        up = new Link(fabric.costs(), fabric.costs().upPs());
        down = new Link(fabric.costs(), fabric.costs().downPs());
    }

    /** Name of the port in graphs, tables and messages. */
    public final String name() {
        return name;
    }

    /** Number of the port, from 0 on; 0 is the host. */
    public final int number() {
        return number;
    }

    /** Takes the device out: what it would still send or take is lost to it, and its streams find nobody. */
    public final void remove() {
        if (!removed) {
            removed = true;
            fabric.streams().removed(this);
        }
    }

    /** Whether the device is out. */
    public final boolean isRemoved() {
        return removed;
    }

    /** Payload bytes from the device so far. */
    public final long bytesUp() {
        return up.bytes();
    }

    /** Payload bytes to the device so far. */
    public final long bytesDown() {
        return down.bytes();
    }

    final Fabric fabric() {
        return fabric;
    }

    final Events time() {
        return fabric.time();
    }

    final Link up() {
        return up;
    }

    final Link down() {
        return down;
    }

    @Override
    public final String toString() {
        return name;
    }
}
