package dev.bascule.rdma;

import dev.bascule.ffi.Verbs;
import java.io.IOException;
import java.util.function.IntConsumer;

/** The host's side of a call to an agent, until both queue pairs are up. Thread rule: one thread a call. */
final class HostCall {
    private final Verbs verbs;
    private final MirrorHost.Setup setup;
    private final Mirror mirror;
    private final IntConsumer ring;

    /** @param ring hears the agent's bells */
    HostCall(Verbs verbs, MirrorHost.Setup setup, Mirror mirror, IntConsumer ring) {
        this.verbs = verbs;
        this.setup = setup;
        this.mirror = mirror;
        this.ring = ring;
    }

    /** Connects. */
    LinkEnds connect(Exchange exchange) throws IOException {
        RdmaDevice device = open(exchange);
        return connect(exchange, device, offer(exchange, device, true));
    }

    /**
     * Reads the agent's copy of a former host's region, if it has one, and hangs up.
     *
     * @throws dev.bascule.device.DeviceException if it came only in part; the own copy is zeroed then
     */
    boolean fetch(Exchange exchange) throws IOException {
        RdmaDevice device = open(exchange);
        Frames.Reply reply = offer(exchange, device, false);
        LinkEnds ends = connect(exchange, device, reply);
        boolean isWhole;
        try (ends) {
            isWhole = reply.holdsCopy() && ends.link().fetch();
        }
        if (reply.holdsCopy() && !isWhole) {
            mirror.clear(); // half of a former host's region is none
            throw exchange.problem("its copy came only in part: " + ends.link().reason(),
                    "look at the network between the two");
        }
        return isWhole;
    }

    private RdmaDevice open(Exchange exchange) {
        return RdmaDevice.open(verbs,
                RdmaPorts.choose(setup.sysfs(), setup.options(), exchange.socket().getLocalAddress()));
    }

    /** Sends the offer and returns the agent's answer; without one the device is closed. */
    private Frames.Reply offer(Exchange exchange, RdmaDevice device, boolean fills) throws IOException {
        try {
            exchange.send(Frames.OFFER, new Frames.Offer(setup.transport(), fills, mirror.shape())::writeTo);
            Frames.Reply reply = Frames.Reply.readFrom(exchange.expect(Frames.REPLY));
            if (reply.number() < 0 || reply.number() >= setup.agents()) {
                String why = "this region is for " + setup.agents() + (setup.agents() == 1 ? " agent" : " agents")
                        + ", there is no agent " + reply.number();
                exchange.refuse(why);
                throw exchange.problem(why, "give the agent another number");
            }
            return reply;
        } catch (IOException | RuntimeException e) {
            device.close();
            throw e;
        }
    }

    /** Both queue pairs are up when this returns; if it does not, the device is closed. */
    private LinkEnds connect(Exchange exchange, RdmaDevice device, Frames.Reply reply) throws IOException {
        MirrorLink link;
        try {
            link = MirrorLink.open(device, mirror, setup.options(), reply.number(), true);
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
        BellListener bells = new BellListener(link, ring);
        LinkEnds ends = new LinkEnds(exchange, device, link, bells);
        try {
            link.connect(reply.address());
            exchange.send(Frames.CONNECT, link.address()::writeTo);
            exchange.expect(Frames.CONNECTED);
            bells.start();
            return ends;
        } catch (IOException | RuntimeException e) {
            ends.close();
            throw e;
        }
    }
}
