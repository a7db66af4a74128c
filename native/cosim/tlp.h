/*
 * Raw PCIe transaction layer packets, for designs whose pins carry those: MRd, MWr, Cpl and CplD in both directions. The
 * testbench moves packets between `to_design`, from_design() and the pins of its core, whose framing is the vendor's.
 *
 * Header words are as the specification prints them, byte 0 in bits 31 to 24; payload words are little endian, byte 0 in bits
 * 7 to 0, as most cores give them.
 */
#pragma once
#include "design.h"
#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <vector>

namespace bascule {

using Tlp = std::vector<uint32_t>;

class TlpPort {
public:
    static constexpr unsigned PATIENCE = 100000; /* cycles until a read counts as not answered */
    static constexpr uint32_t MEMORY = 0, COMPLETION = 0x0a, WITH_DATA = 2, FOUR_WORDS = 1, UNSUPPORTED = 1;

    std::deque<Tlp> to_design;
    unsigned max_payload = 256; /* bytes of one completion */
    uint16_t host_id = 0, design_id = 0x0100;

    TlpPort(Host &host, std::function<void()> cycle) : host_(host), cycle_(std::move(cycle)) {}

    /* A posted write of 1, 2, 4 or 8 bytes, aligned. */
    void write(uint64_t address, unsigned bytes, uint64_t value)
    {
        Tlp packet = request(WITH_DATA, address, bytes, 0);
        const uint64_t lanes = value << (8 * (address % 4));
        packet.push_back((uint32_t)lanes);
        if (bytes == 8) packet.push_back((uint32_t)(lanes >> 32));
        to_design.push_back(std::move(packet));
    }

    /* Behind all writes; all ones where the design refuses or does not answer. */
    uint64_t read(uint64_t address, unsigned bytes)
    {
        awaited_ = (uint8_t)(awaited_ + 1);
        answer_.clear();
        awaiting_ = true;
        to_design.push_back(request(0, address, bytes, awaited_));
        for (unsigned n = 0; awaiting_ && n < PATIENCE; n++) cycle_();
        uint64_t value = ~UINT64_C(0);
        const unsigned lane = address % 4;
        if (!awaiting_ && answer_.size() * 4 >= lane + bytes)
            memcpy(&value, reinterpret_cast<uint8_t *>(answer_.data()) + lane, bytes);
        awaiting_ = false;
        return bytes == 8 ? value : value & ((UINT64_C(1) << (8 * bytes)) - 1);
    }

    /* Until the design has taken all packets. */
    void settle()
    {
        for (unsigned n = 0; !to_design.empty() && n < PATIENCE; n++) cycle_();
        to_design.clear();
    }

    void reset()
    {
        to_design.clear();
        awaiting_ = false;
    }

    /* A packet that the design sent. False: one that a host does not take; nothing was done. */
    bool from_design(const Tlp &packet)
    {
        if (packet.size() < 3) return false;
        const uint32_t format = packet[0] >> 29, type = packet[0] >> 24 & 0x1f;
        const uint32_t words = (packet[0] & 0x3ff) ? packet[0] & 0x3ff : 1024;
        const size_t header = format & FOUR_WORDS ? 4 : 3;
        if (format > 3 || packet.size() != header + (format & WITH_DATA ? words : 0)) return false;
        if (type == COMPLETION && header == 3) return complete(packet);
        if (type != MEMORY) return false;
        const uint64_t address = (header == 4 ? (uint64_t)packet[2] << 32 : 0) | (packet[header - 1] & ~3u);
        const uint32_t first = packet[1] & 0xf, last = words == 1 ? first : packet[1] >> 4 & 0xf;
        if (!whole(first) || !whole(last) || (words > 1 && (!first || !last || !(first & 8) || !(last & 1)))) return false;
        const unsigned skip = first ? (unsigned)__builtin_ctz(first) : 0, end = last ? 32 - (unsigned)__builtin_clz(last) : 1;
        const size_t bytes = 4 * (words - 1) + end - skip;
        if (!(format & WITH_DATA)) {
            answer(packet, address + skip, bytes);
            return true;
        }
        return !first || host_.write(address + skip, reinterpret_cast<const uint8_t *>(&packet[header]) + skip, bytes);
    }

private:
    static bool whole(uint32_t enables)
    {
        const uint32_t low = enables & (~enables + 1);
        return ((enables + low) & enables) == 0; /* without a gap */
    }

    Tlp request(uint32_t format, uint64_t address, unsigned bytes, uint8_t tag) const
    {
        const bool far = address >> 32;
        const uint32_t enables = ((1u << std::min(bytes, 4u)) - 1) << (address % 4), words = bytes == 8 ? 2 : 1;
        Tlp packet{(format | (far ? FOUR_WORDS : 0)) << 29 | words,
            (uint32_t)host_id << 16 | (uint32_t)tag << 8 | (bytes == 8 ? 0xf0u : 0) | enables};
        if (far) packet.push_back((uint32_t)(address >> 32));
        packet.push_back((uint32_t)address & ~3u);
        return packet;
    }

    bool complete(const Tlp &packet)
    {
        if (!awaiting_ || (packet[2] >> 8 & 0xff) != awaited_) return false;
        const bool good = (packet[1] >> 13 & 7) == 0;
        if (good) answer_.insert(answer_.end(), packet.begin() + 3, packet.end());
        else answer_.clear();
        /* the last one says how many bytes remain, and brings them */
        awaiting_ = good && (packet[1] & 0xfff) > 4 * (packet.size() - 3);
        return true;
    }

    void answer(const Tlp &request, uint64_t address, size_t bytes)
    {
        std::vector<uint8_t> data(bytes);
        const bool good = host_.read(address, data.data(), bytes);
        for (size_t done = 0; done < bytes;) {
            const uint64_t at = address + done;
            const size_t part = good ? std::min<size_t>(bytes - done, max_payload - at % max_payload) : bytes;
            const auto words = (uint32_t)(good ? (at % 4 + part + 3) / 4 : 0);
            Tlp packet{(good ? WITH_DATA : 0u) << 29 | COMPLETION << 24 | (words & 0x3ff),
                (uint32_t)host_id << 16 | (good ? 0 : UNSUPPORTED << 13) | ((uint32_t)(bytes - done) & 0xfff),
                (request[1] & 0xffffff00u) | (uint32_t)(at & 0x7f)};
            packet.resize(3 + words);
            if (good) memcpy(reinterpret_cast<uint8_t *>(&packet[3]) + at % 4, &data[done], part);
            to_design.push_back(std::move(packet));
            done += part;
        }
    }

    Host &host_;
    std::function<void()> cycle_;
    uint8_t awaited_ = 0;
    bool awaiting_ = false;
    Tlp answer_;
};

} // namespace bascule
