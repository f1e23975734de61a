// Descriptions that tests begin with.
#pragma once

namespace metamorph::generate::ai8x {

// Three convolutions and a linear layer; each writes where the one before did not.
inline constexpr const char* k_chain = R"(arch: net
dataset: digits
layers:
  - out_offset: 0x2000
    processors: 0x1
    data_format: HWC
    operation: conv2d
    in_channels: 1
    out_channels: 16
  - name: middle
    out_offset: 0
    processors: 0xffff
    operation: conv2d
    out_channels: 8
  - max_pool: 2
    pool_stride: 2
    out_offset: 0x2000
    processors: 0xff
    operation: none
    in_channels: 8
  - flatten: true
    out_offset: 0
    processors: 0xff
    operation: MLP
    output_width: 32
)";

}  // namespace metamorph::generate::ai8x
