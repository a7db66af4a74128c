/* The card of nic.v, compiled by Verilator, as a vfio-user device at SOCKET, until Ctrl-C; it says then what a run costs. */
#include "../axi.h"
#include "../server.h"
#include "Vnic.h"
#include <cstdio>
#include <ctime>
#include <memory>

namespace {

BASCULE_AXI_LITE_PORTS(RegisterPins, Vnic, s_axil_)
BASCULE_AXI_PORTS(DmaPins, Vnic, m_axi_)

class Nic final : public bascule::Design {
public:
    explicit Nic(bascule::Host &host)
        : registers_({top_}, 4, [this] { cycle(); }), dma_({top_}, 8, host) {}

    uint64_t read(unsigned, uint64_t offset, unsigned bytes) override { return registers_.read(offset, bytes); }
    void write(unsigned, uint64_t offset, unsigned bytes, uint64_t value) override { registers_.write(offset, bytes, value); }
    void settle() override { registers_.settle(); }
    bool idle() const override { return top_.idle && registers_.idle() && dma_.idle(); }

    void run(unsigned cycles) override
    {
        for (unsigned i = 0; i < cycles; i++) cycle();
    }

    void reset() override
    {
        registers_.reset();
        dma_.reset();
        top_.rst = 1;
        run(4);
        top_.rst = 0;
    }

    uint64_t nanos() const override { return cycles_ * 4; } /* 250 MHz */
    uint64_t cycles() const { return cycles_; }

private:
    void cycle()
    {
        registers_.drive();
        dma_.drive();
        top_.clk = 0;
        top_.eval();
        registers_.sample();
        dma_.sample();
        top_.clk = 1;
        top_.eval();
        cycles_++;
    }

    Vnic top_;
    bascule::AxiLite<RegisterPins> registers_;
    bascule::AxiHost<DmaPins> dma_;
    uint64_t cycles_ = 0;
};

volatile sig_atomic_t stop = 0;

bascule::Card card()
{
    bascule::Card card;
    card.vendor = card.subsystem_vendor = 0x1234;
    card.device = card.subsystem = 0xb1c5;
    card.bars[0].bytes = 4096;
    card.msix.vectors = 2;
    card.msix.table = 0x800;
    card.msix.pending = 0xc00;
    card.msix.in_design = true;
    card.clock = true;
    return card;
}

} // namespace

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
        return 2;
    }
    struct sigaction ends = {}; /* without SA_RESTART, so that a wait ends too */
    ends.sa_handler = [](int) { stop = 1; };
    sigaction(SIGINT, &ends, nullptr);
    sigaction(SIGTERM, &ends, nullptr);
    bascule::Server server(card(), arguments[1], [](const std::string &line) { fprintf(stderr, "nic: %s\n", line.c_str()); });
    const auto nic = std::make_unique<Nic>(server);
    try {
        server.serve(*nic, stop);
    } catch (const std::string &failure) {
        fprintf(stderr, "nic: %s\n", failure.c_str());
        return 1;
    }
    const double seconds = (double)clock() / CLOCKS_PER_SEC;
    const auto cycles = (double)nic->cycles();
    printf("nic: %.0f cycles, %.0f a second of processor time\n", cycles, cycles / seconds);
    return 0;
}
