/*
 * AXI pins of a compiled design: registers by AXI-Lite, DMA by an AXI master of the design. BASCULE_AXI_LITE_PORTS and
 * BASCULE_AXI_PORTS name the ports by their common prefix; the simulator is only asked for members that can be assigned, so
 * Verilator's classes and wrappers of others fit.
 *
 * In each cycle drive() sets inputs from what the last edge left, the testbench settles the design with the clock low,
 * sample() sees which handshakes the edge will complete, and the edge follows.
 */
#pragma once
#include "design.h"
#include <cstring>
#include <deque>
#include <functional>
#include <vector>

#define BASCULE_PORT_(TOP, PREFIX, NAME) \
    auto &NAME() { return top.PREFIX##NAME; }

#define BASCULE_AXI_LITE_PORTS(TYPE, TOP, PREFIX) \
    struct TYPE { \
        TOP &top; \
        BASCULE_PORT_(TOP, PREFIX, awaddr) BASCULE_PORT_(TOP, PREFIX, awvalid) BASCULE_PORT_(TOP, PREFIX, awready) \
        BASCULE_PORT_(TOP, PREFIX, wdata) BASCULE_PORT_(TOP, PREFIX, wstrb) BASCULE_PORT_(TOP, PREFIX, wvalid) \
        BASCULE_PORT_(TOP, PREFIX, wready) BASCULE_PORT_(TOP, PREFIX, bvalid) BASCULE_PORT_(TOP, PREFIX, bready) \
        BASCULE_PORT_(TOP, PREFIX, araddr) BASCULE_PORT_(TOP, PREFIX, arvalid) BASCULE_PORT_(TOP, PREFIX, arready) \
        BASCULE_PORT_(TOP, PREFIX, rdata) BASCULE_PORT_(TOP, PREFIX, rvalid) BASCULE_PORT_(TOP, PREFIX, rready) \
    };

#define BASCULE_AXI_PORTS(TYPE, TOP, PREFIX) \
    struct TYPE { \
        TOP &top; \
        BASCULE_PORT_(TOP, PREFIX, awid) BASCULE_PORT_(TOP, PREFIX, awaddr) BASCULE_PORT_(TOP, PREFIX, awlen) \
        BASCULE_PORT_(TOP, PREFIX, awsize) BASCULE_PORT_(TOP, PREFIX, awburst) BASCULE_PORT_(TOP, PREFIX, awvalid) \
        BASCULE_PORT_(TOP, PREFIX, awready) BASCULE_PORT_(TOP, PREFIX, wdata) BASCULE_PORT_(TOP, PREFIX, wstrb) \
        BASCULE_PORT_(TOP, PREFIX, wlast) BASCULE_PORT_(TOP, PREFIX, wvalid) BASCULE_PORT_(TOP, PREFIX, wready) \
        BASCULE_PORT_(TOP, PREFIX, bid) BASCULE_PORT_(TOP, PREFIX, bresp) BASCULE_PORT_(TOP, PREFIX, bvalid) \
        BASCULE_PORT_(TOP, PREFIX, bready) BASCULE_PORT_(TOP, PREFIX, arid) BASCULE_PORT_(TOP, PREFIX, araddr) \
        BASCULE_PORT_(TOP, PREFIX, arlen) BASCULE_PORT_(TOP, PREFIX, arsize) BASCULE_PORT_(TOP, PREFIX, arburst) \
        BASCULE_PORT_(TOP, PREFIX, arvalid) BASCULE_PORT_(TOP, PREFIX, arready) BASCULE_PORT_(TOP, PREFIX, rid) \
        BASCULE_PORT_(TOP, PREFIX, rdata) BASCULE_PORT_(TOP, PREFIX, rresp) BASCULE_PORT_(TOP, PREFIX, rlast) \
        BASCULE_PORT_(TOP, PREFIX, rvalid) BASCULE_PORT_(TOP, PREFIX, rready) \
    };

namespace bascule {

constexpr unsigned AXI_OKAY = 0, AXI_SLVERR = 2;

/* Assigns to a port whatever integer type it has. */
template <class Port> void drive_port(Port &port, uint64_t value) { port = static_cast<Port>(value); }

/* Registers over AXI-Lite, 4 or 8 bytes wide. Writes are queued and done in order; a read waits for them. */
template <class Ports> class AxiLite {
public:
    /* Cycles without an answer after which a read gives all ones, as a completion time-out does. */
    static constexpr unsigned PATIENCE = 100000;

    AxiLite(Ports ports, unsigned bytes, std::function<void()> cycle) : pins_(ports), bytes_(bytes), cycle_(std::move(cycle)) {}

    void write(uint64_t address, unsigned bytes, uint64_t value)
    {
        const auto lane = (unsigned)(address % bytes_);
        writes_.push_back(Write{address - lane, value << (8 * lane), ((1u << bytes) - 1) << lane});
        for (unsigned n = 0; writes_.size() > 64 && n < PATIENCE; n++) cycle_();
    }

    void settle()
    {
        for (unsigned n = 0; !writes_.empty() && n < PATIENCE; n++) cycle_();
        if (!writes_.empty()) reset(); /* a design that takes no more writes: they are lost, as on a bus that hangs */
    }

    uint64_t read(uint64_t address, unsigned bytes)
    {
        settle();
        const auto lane = (unsigned)(address % bytes_);
        address_ = address - lane;
        asking_ = awaiting_ = true;
        for (unsigned n = 0; awaiting_ && n < PATIENCE; n++) cycle_();
        const uint64_t got = awaiting_ ? ~UINT64_C(0) : answer_ >> (8 * lane);
        asking_ = awaiting_ = false;
        return bytes == 8 ? got : got & ((UINT64_C(1) << (8 * bytes)) - 1);
    }

    bool idle() const { return writes_.empty(); }

    void reset()
    {
        writes_.clear();
        address_sent_ = data_sent_ = asking_ = awaiting_ = false;
    }

    void drive()
    {
        const bool any = !writes_.empty();
        drive_port(pins_.awvalid(), any && !address_sent_);
        drive_port(pins_.wvalid(), any && !data_sent_);
        if (any) {
            drive_port(pins_.awaddr(), writes_.front().address);
            drive_port(pins_.wdata(), writes_.front().data);
            drive_port(pins_.wstrb(), writes_.front().strobes);
        }
        drive_port(pins_.bready(), 1);
        drive_port(pins_.arvalid(), asking_);
        drive_port(pins_.araddr(), address_);
        drive_port(pins_.rready(), awaiting_);
    }

    void sample()
    {
        const bool answered = pins_.bvalid() && pins_.bready();
        address_sent_ |= pins_.awvalid() && pins_.awready();
        data_sent_ |= pins_.wvalid() && pins_.wready();
        if (answered && address_sent_ && data_sent_) {
            writes_.pop_front();
            address_sent_ = data_sent_ = false;
        }
        if (pins_.arvalid() && pins_.arready()) asking_ = false;
        if (pins_.rvalid() && pins_.rready()) {
            answer_ = pins_.rdata();
            awaiting_ = false;
        }
    }

private:
    struct Write {
        uint64_t address, data;
        unsigned strobes;
    };
    Ports pins_;
    unsigned bytes_;
    std::function<void()> cycle_;
    std::deque<Write> writes_;
    bool address_sent_ = false, data_sent_ = false, asking_ = false, awaiting_ = false;
    uint64_t address_ = 0, answer_ = 0;
};

/*
 * The host as a slave of the design's AXI master: incrementing bursts, any width up to 128 bytes. A burst of writes goes to
 * the host as a whole when its last beat is there, and is answered after that: what a design orders by waiting for the answer
 * stays in order. What the host refuses is answered with SLVERR.
 */
template <class Ports> class AxiHost {
public:
    /* Cycles from a request to its answer. */
    unsigned latency = 16;

    AxiHost(Ports ports, unsigned bytes, Host &host) : pins_(ports), bytes_(bytes), host_(host) {}

    bool idle() const { return bursts_.empty() && answers_.empty() && beats_.empty(); }

    void reset()
    {
        bursts_.clear();
        answers_.clear();
        beats_.clear();
    }

    void drive()
    {
        drive_port(pins_.awready(), bursts_.size() < 8);
        drive_port(pins_.wready(), !bursts_.empty());
        drive_port(pins_.arready(), beats_.size() < 1024);
        const bool answer = !answers_.empty() && answers_.front().due <= now_;
        drive_port(pins_.bvalid(), answer);
        if (answer) {
            drive_port(pins_.bid(), answers_.front().id);
            drive_port(pins_.bresp(), answers_.front().response);
        }
        const bool beat = !beats_.empty() && beats_.front().due <= now_;
        drive_port(pins_.rvalid(), beat);
        if (beat) {
            memcpy(&pins_.rdata(), beats_.front().data, bytes_);
            drive_port(pins_.rid(), beats_.front().id);
            drive_port(pins_.rresp(), beats_.front().response);
            drive_port(pins_.rlast(), beats_.front().last);
        }
    }

    void sample()
    {
        now_++;
        if (pins_.bvalid() && pins_.bready()) answers_.pop_front();
        if (pins_.rvalid() && pins_.rready()) beats_.pop_front();
        if (pins_.wvalid() && pins_.wready()) take_beat();
        if (pins_.awvalid() && pins_.awready())
            bursts_.push_back(Burst{(uint64_t)pins_.awaddr(), (unsigned)pins_.awid(), 1u << pins_.awsize(), pins_.awburst() == 1,
                AXI_OKAY, {}, 0});
        if (pins_.arvalid() && pins_.arready()) fetch();
    }

private:
    struct Burst {
        uint64_t next;
        unsigned id, step;
        bool incrementing;
        unsigned response;
        std::vector<uint8_t> run; /* bytes without a gap, ending at run_end */
        uint64_t run_end;
    };
    struct Answer {
        unsigned id, response;
        uint64_t due;
    };
    struct Beat {
        uint8_t data[128];
        unsigned id, response;
        bool last;
        uint64_t due;
    };

    void take_beat()
    {
        Burst &burst = bursts_.front();
        uint8_t data[128];
        memcpy(data, &pins_.wdata(), bytes_);
        const uint64_t base = burst.next & ~(uint64_t)(bytes_ - 1);
        for (unsigned i = 0; i < bytes_; i++) {
            if (!strobe(i)) continue;
            if (base + i != burst.run_end) flush(burst);
            burst.run.push_back(data[i]);
            burst.run_end = base + i + 1;
        }
        burst.next = (burst.next & ~(uint64_t)(burst.step - 1)) + burst.step;
        if (!pins_.wlast()) return;
        flush(burst);
        answers_.push_back(Answer{burst.id, burst.response, now_ + latency});
        bursts_.pop_front();
    }

    bool strobe(unsigned lane)
    {
        uint8_t strobes[16] = {};
        memcpy(strobes, &pins_.wstrb(), bytes_ < 8 ? 1 : bytes_ / 8);
        return strobes[lane / 8] >> (lane % 8) & 1;
    }

    void flush(Burst &burst)
    {
        if (burst.run.empty()) return;
        const uint64_t first = burst.run_end - burst.run.size();
        if (!burst.incrementing || !host_.write(first, burst.run.data(), burst.run.size())) burst.response = AXI_SLVERR;
        burst.run.clear();
    }

    void fetch()
    {
        const unsigned step = 1u << pins_.arsize(), count = pins_.arlen() + 1u;
        const uint64_t first = (uint64_t)pins_.araddr() & ~(uint64_t)(step - 1);
        std::vector<uint8_t> data(count * step);
        const bool good = pins_.arburst() == 1 && step <= bytes_ && host_.read(first, data.data(), data.size());
        for (unsigned i = 0; i < count; i++) {
            Beat beat = {};
            if (good) memcpy(beat.data + (first + i * step) % bytes_, &data[i * step], step);
            beat.id = (unsigned)pins_.arid();
            beat.response = good ? AXI_OKAY : AXI_SLVERR;
            beat.last = i + 1 == count;
            beat.due = now_ + latency + i;
            beats_.push_back(beat);
        }
    }

    Ports pins_;
    unsigned bytes_;
    Host &host_;
    std::deque<Burst> bursts_;
    std::deque<Answer> answers_;
    std::deque<Beat> beats_;
    uint64_t now_ = 0;
};

} // namespace bascule
