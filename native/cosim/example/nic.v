// A network card as a lesson: two rings in host memory, one engine that serves them, MSI-X, and a MAC whose cable is plugged
// into itself. Registers are an AXI-Lite slave of 32 bits, DMA is an AXI master of 64.
//
// A ring is 2^n descriptors of 16 bytes. The driver writes the first form, the card answers with the second half of the other:
//
//     bytes 0-7   address of the buffer, a multiple of 8
//     bytes 8-11  length of the buffer (receive) or of the frame (send)      length of the frame
//     byte  12    0                                                          bit 0: error
//     byte  15    0 or 1, the opposite of what the card will write           1 in the ring's first lap, 0 in the second, ...
//
// Byte 15, the phase, says who owns the descriptor. It is the last byte of the last write, and the card begins no write
// before the one in front of it has been answered: data, then completion, then interrupt.
//
//     000  "BNIC"                        100  receive ring: address, bits 31-0     200  send ring: the same
//     004  longest frame, bytes          104  address, bits 63-32
//     008  bit 0: enable;                108  n
//          bit 1: idle, bit 2: fault     10c  tail: descriptors given, mod 2^16
//     010  frames sent                   110  head: descriptors done, mod 2^16 (read only)
//     014  frames received               114  arm: one interrupt as soon as head is not what is written here
//     018  lost: ring was dry            800  MSI-X table, vector 0 receives, vector 1 sends
//     01c  lost: longer than the buffer  c00  MSI-X pending bits
//     020  DMA refused
//
// Disabled, the card finishes what it has begun, sets idle, and forgets rings and frames.
module nic (
    input wire clk,
    input wire rst,

    input wire [11:0] s_axil_awaddr,
    input wire s_axil_awvalid,
    output wire s_axil_awready,
    input wire [31:0] s_axil_wdata,
    input wire [3:0] s_axil_wstrb,
    input wire s_axil_wvalid,
    output wire s_axil_wready,
    output reg s_axil_bvalid,
    input wire s_axil_bready,
    input wire [11:0] s_axil_araddr,
    input wire s_axil_arvalid,
    output wire s_axil_arready,
    output reg [31:0] s_axil_rdata,
    output reg s_axil_rvalid,
    input wire s_axil_rready,

    output wire [3:0] m_axi_awid,
    output wire [63:0] m_axi_awaddr,
    output wire [7:0] m_axi_awlen,
    output wire [2:0] m_axi_awsize,
    output wire [1:0] m_axi_awburst,
    output wire m_axi_awvalid,
    input wire m_axi_awready,
    output wire [63:0] m_axi_wdata,
    output wire [7:0] m_axi_wstrb,
    output wire m_axi_wlast,
    output wire m_axi_wvalid,
    input wire m_axi_wready,
    input wire [3:0] m_axi_bid,
    input wire [1:0] m_axi_bresp,
    input wire m_axi_bvalid,
    output wire m_axi_bready,
    output wire [3:0] m_axi_arid,
    output wire [63:0] m_axi_araddr,
    output wire [7:0] m_axi_arlen,
    output wire [2:0] m_axi_arsize,
    output wire [1:0] m_axi_arburst,
    output wire m_axi_arvalid,
    input wire m_axi_arready,
    input wire [3:0] m_axi_rid,
    input wire [63:0] m_axi_rdata,
    input wire [1:0] m_axi_rresp,
    input wire m_axi_rlast,
    input wire m_axi_rvalid,
    output wire m_axi_rready,

    // nothing happens until the next register access
    output wire idle
);
    localparam RX = 1'b0, TX = 1'b1;
    localparam [31:0] LONGEST = 2048;

    // ------------------------------------------------------------------------------------------------------- registers

    reg enable;
    reg [63:0] base[0:1];
    reg [3:0] size[0:1];
    reg [15:0] tail[0:1];
    reg [15:0] head[0:1];
    reg [15:0] arm_at[0:1];
    reg [1:0] armed;
    reg [31:0] frames[0:1];
    reg [31:0] dry, too_long, refused;

    reg [63:0] vector_address[0:1];
    reg [31:0] vector_data[0:1];
    reg [1:0] vector_masked, vector_pending;

    wire write = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
    wire [11:0] at = s_axil_awaddr;
    wire [31:0] value = s_axil_wdata;
    wire ring_write = write && &s_axil_wstrb && (at[11:8] == 1 || at[11:8] == 2);
    wire table_write = write && &s_axil_wstrb && at[11:5] == 7'h40;
    wire ring = at[9];
    assign s_axil_awready = write;
    assign s_axil_wready = write;
    assign s_axil_arready = !s_axil_rvalid;

    // ----------------------------------------------------------------------------------------------- what the engine holds

    localparam [3:0] IDLE = 0, FETCH = 1, FETCHED = 2, CHECK = 3, ASK = 4, READ = 5, OPEN = 6, WRITE = 7, ANSWER = 8,
        COMPLETE = 9, POP = 10;

    reg [3:0] state;
    reg receiving, interrupting, failed, fault;
    reg vector;
    reg [63:0] address;  // of the next byte to move
    reg [31:0] limit;    // length that the descriptor names
    reg [11:0] length;   // of the frame
    reg [11:0] left;     // bytes of it still to be moved
    reg [7:0] word;      // of the frame, in the MAC
    reg [7:0] beats;     // still to come in this burst, less one
    reg one;             // word is written by itself: a completion or an interrupt
    reg [63:0] one_word;
    reg [7:0] one_bytes;

    // --------------------------------------------------------------------------------------------------------- the MAC

    wire mac_room, mac_waiting;
    wire [11:0] mac_length;
    wire [63:0] mac_word;

    mac_loop mac (
        .clk(clk),
        .clear(rst || (state == IDLE && !enable)),
        .room(mac_room),
        .put(state == READ && m_axi_rvalid),
        .put_at(word),
        .put_word(m_axi_rdata),
        .commit(state == COMPLETE && !receiving && !failed),
        .commit_length(length),
        .waiting(mac_waiting),
        .length(mac_length),
        .get_at(word),
        .get_word(mac_word),
        .pop(state == POP || (state == COMPLETE && receiving))
    );

    // ------------------------------------------------------------------------------------------------------ the engine

    wire which = receiving ? RX : TX;
    wire [15:0] slot = head[which] & ((16'd1 << size[which]) - 16'd1);
    wire [63:0] descriptor = base[which] + {44'd0, slot, 4'd0};
    wire phase = !(|(head[which] & (16'd1 << size[which])));

    wire [1:0] due = {armed[TX] && head[TX] != arm_at[TX], armed[RX] && head[RX] != arm_at[RX]};
    wire [1:0] sendable = vector_pending & ~vector_masked;

    // A burst ends with the frame, and before the next 4 KiB.
    wire [9:0] frame_beats = {1'b0, left[11:3]} + {9'd0, |left[2:0]};
    wire [9:0] page_beats = 10'd512 - {1'b0, address[11:3]};
    wire [9:0] burst_beats = frame_beats < page_beats ? frame_beats : page_beats;
    wire [7:0] burst = one ? 8'd0 : burst_beats > 256 ? 8'd255 : burst_beats[7:0] - 8'd1;

    assign m_axi_arid = 0;
    assign m_axi_arsize = 3;
    assign m_axi_arburst = 1;
    assign m_axi_araddr = state == FETCH ? descriptor : address;
    assign m_axi_arlen = state == FETCH ? 8'd1 : burst;
    assign m_axi_arvalid = state == FETCH || state == ASK;
    assign m_axi_rready = state == FETCHED || state == READ;

    assign m_axi_awid = 0;
    assign m_axi_awsize = 3;
    assign m_axi_awburst = 1;
    assign m_axi_awaddr = address;
    assign m_axi_awlen = burst;
    assign m_axi_awvalid = state == OPEN;
    assign m_axi_wdata = one ? one_word : mac_word;
    assign m_axi_wstrb = one ? one_bytes : left >= 8 ? 8'hff : ~(8'hff << left[2:0]);
    assign m_axi_wlast = beats == 0;
    assign m_axi_wvalid = state == WRITE;
    assign m_axi_bready = state == ANSWER;

    wire work = enable && !fault && (|sendable || mac_waiting || (head[TX] != tail[TX] && mac_room));
    assign idle = state == IDLE && !work && !(|due) && !s_axil_bvalid && !s_axil_rvalid;

    always @(posedge clk) begin
        // registers
        if (write) s_axil_bvalid <= 1;
        else if (s_axil_bready) s_axil_bvalid <= 0;
        if (write && &s_axil_wstrb && at == 12'h008) enable <= value[0];
        if (ring_write) begin
            case (at[7:0])
                8'h00: base[ring][31:0] <= value;
                8'h04: base[ring][63:32] <= value;
                8'h08: size[ring] <= value[3:0];
                8'h0c: tail[ring] <= value[15:0];
                8'h14: begin
                    arm_at[ring] <= value[15:0];
                    armed[ring] <= 1;
                end
                default: ;
            endcase
        end
        if (table_write) begin
            case (at[3:2])
                0: vector_address[at[4]][31:0] <= value;
                1: vector_address[at[4]][63:32] <= value;
                2: vector_data[at[4]] <= value;
                3: vector_masked[at[4]] <= value[0];
            endcase
        end

        s_axil_rvalid <= s_axil_arready ? s_axil_arvalid : !s_axil_rready;
        if (s_axil_arready && s_axil_arvalid) begin
            casez (s_axil_araddr)
                12'h000: s_axil_rdata <= "BNIC";
                12'h004: s_axil_rdata <= LONGEST;
                12'h008: s_axil_rdata <= {29'd0, fault, state == IDLE, enable};
                12'h010: s_axil_rdata <= frames[TX];
                12'h014: s_axil_rdata <= frames[RX];
                12'h018: s_axil_rdata <= dry;
                12'h01c: s_axil_rdata <= too_long;
                12'h020: s_axil_rdata <= refused;
                12'h10c, 12'h20c: s_axil_rdata <= {16'd0, tail[s_axil_araddr[9]]};
                12'h110, 12'h210: s_axil_rdata <= {16'd0, head[s_axil_araddr[9]]};
                12'b1000_000?_0000: s_axil_rdata <= vector_address[s_axil_araddr[4]][31:0];
                12'b1000_000?_0100: s_axil_rdata <= vector_address[s_axil_araddr[4]][63:32];
                12'b1000_000?_1000: s_axil_rdata <= vector_data[s_axil_araddr[4]];
                12'b1000_000?_1100: s_axil_rdata <= {31'd0, vector_masked[s_axil_araddr[4]]};
                12'hc00: s_axil_rdata <= {30'd0, vector_pending};
                default: s_axil_rdata <= 0;
            endcase
        end

        // interrupts: what is armed and has happened is pending until it is sent
        if (due[RX]) armed[RX] <= 0;
        if (due[TX]) armed[TX] <= 0;
        vector_pending <= vector_pending | due;

        // the engine
        case (state)
            IDLE: begin
                failed <= 0;
                one <= 0;
                if (!enable) begin
                    fault <= 0;
                    armed <= 0;
                    vector_pending <= 0;
                    head[RX] <= 0;
                    head[TX] <= 0;
                    tail[RX] <= 0;
                    tail[TX] <= 0;
                end else if (fault) begin
                    state <= IDLE;
                end else if (|sendable) begin
                    interrupting <= 1;
                    vector <= !sendable[RX];
                    address <= vector_address[!sendable[RX]];
                    one_word <= {2{vector_data[!sendable[RX]]}};
                    one_bytes <= vector_address[!sendable[RX]][2] ? 8'hf0 : 8'h0f;
                    one <= 1;
                    state <= OPEN;
                end else if (mac_waiting && head[RX] == tail[RX]) begin
                    dry <= dry + 1;
                    state <= POP;
                end else if (mac_waiting || (head[TX] != tail[TX] && mac_room)) begin
                    interrupting <= 0;
                    receiving <= mac_waiting;
                    state <= FETCH;
                end
            end

            POP: state <= IDLE;

            FETCH: if (m_axi_arready) state <= FETCHED;

            FETCHED: if (m_axi_rvalid) begin
                failed <= failed || m_axi_rresp != 0;
                if (m_axi_rlast) begin
                    limit <= m_axi_rdata[31:0];
                    state <= CHECK;
                end else begin
                    address <= m_axi_rdata;
                end
            end

            CHECK: begin
                word <= 0;
                length <= receiving ? mac_length : limit[11:0];
                left <= receiving ? mac_length : limit[11:0];
                if (failed) begin // no descriptor, no completion: the driver has to start the card again
                    refused <= refused + 1;
                    fault <= 1;
                    state <= IDLE;
                end else if (receiving && {20'd0, mac_length} > limit) begin
                    too_long <= too_long + 1; // the descriptor stays for the next frame
                    state <= POP;
                end else if (address[2:0] != 0 || (!receiving && (limit == 0 || limit > LONGEST))) begin
                    failed <= 1;
                    state <= COMPLETE;
                end else begin
                    state <= receiving ? OPEN : ASK;
                end
            end

            ASK: if (m_axi_arready) state <= READ;

            READ: if (m_axi_rvalid) begin
                failed <= failed || m_axi_rresp != 0;
                word <= word + 1;
                address <= address + 8;
                left <= left > 8 ? left - 8 : 0;
                if (m_axi_rlast) state <= left > 8 ? ASK : COMPLETE;
            end

            OPEN: if (m_axi_awready) begin
                beats <= burst;
                state <= WRITE;
            end

            WRITE: if (m_axi_wready) begin
                word <= word + 1;
                address <= address + 8;
                left <= left > 8 ? left - 8 : 0;
                beats <= beats - 1;
                if (beats == 0) state <= ANSWER;
            end

            ANSWER: if (m_axi_bvalid && !one) begin
                failed <= failed || m_axi_bresp != 0;
                state <= left != 0 ? OPEN : COMPLETE;
            end else if (m_axi_bvalid) begin
                if (m_axi_bresp != 0) begin
                    refused <= refused + 1;
                    fault <= 1;
                end
                if (interrupting) vector_pending[vector] <= due[vector];
                else head[which] <= head[which] + 1;
                state <= IDLE;
            end

            COMPLETE: begin
                address <= descriptor + 8;
                one_word <= {7'd0, phase, 23'd0, failed, 20'd0, length};
                one_bytes <= 8'hff;
                if (failed) refused <= refused + 1;
                else frames[which] <= frames[which] + 1;
                one <= 1;
                state <= OPEN;
            end

            default: state <= IDLE;
        endcase

        if (rst) begin
            s_axil_bvalid <= 0;
            s_axil_rvalid <= 0;
            enable <= 0;
            vector_masked <= 2'b11;
            vector_pending <= 0;
            frames[RX] <= 0;
            frames[TX] <= 0;
            dry <= 0;
            too_long <= 0;
            refused <= 0;
            state <= IDLE;
        end
    end

    wire unused = &{1'b0, m_axi_bid, m_axi_rid, s_axil_araddr};
endmodule

// A MAC with a cable from its output to its input: frames that were sent wait here to be received, four at most. Put a MAC with
// a real cable in its place.
module mac_loop (
    input wire clk,
    input wire clear,

    output wire room,          // for one more frame
    input wire put,            // a word of it
    input wire [7:0] put_at,
    input wire [63:0] put_word,
    input wire commit,         // it is complete
    input wire [11:0] commit_length,

    output wire waiting,       // a frame
    output wire [11:0] length, // of it
    input wire [7:0] get_at,   // word of it,
    output wire [63:0] get_word,
    input wire pop             // it has been taken
);
    reg [63:0] words[0:1023];
    reg [11:0] lengths[0:3];
    reg [2:0] written, taken;

    assign room = written - taken != 4;
    assign waiting = written != taken;
    assign length = lengths[taken[1:0]];
    assign get_word = words[{taken[1:0], get_at}];

    always @(posedge clk) begin
        if (put) words[{written[1:0], put_at}] <= put_word;
        if (commit) begin
            lengths[written[1:0]] <= commit_length;
            written <= written + 1;
        end
        if (pop) taken <= taken + 1;
        if (clear) begin
            written <= 0;
            taken <= 0;
        end
    end
endmodule
