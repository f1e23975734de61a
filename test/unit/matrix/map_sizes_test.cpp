// Sizes from a linker map as GNU ld writes it.
#include "matrix/map_sizes.h"

#include <gtest/gtest.h>

namespace metamorph::matrix {
namespace {

constexpr const char* k_map = R"(
Discarded input sections

 .text.unused   0x00000000      0x999 CMakeFiles/n_app.dir/app/n.c.obj

Linker script and memory map

LOAD CMakeFiles/n_app.dir/app/n.c.obj

.text           0x00000000      0x100
 *(.text .text.*)
 .text.mm_run   0x00000000       0x40 CMakeFiles/metamorph_runtime.dir/runtime/src/mm_runtime.c.obj
                0x00000000                mm_run
 .text.n_conv2d_00_with_a_long_name
                0x00000040       0x20 CMakeFiles/n_model.dir/generated/n_conv2d_00.c.obj
 .text          0x00000060       0x10 /usr/lib/my arm/libc.a(lib_a-memcpy.o)
 *fill*         0x00000070        0x4
 .rodata.n_weights
                0x00000074       0x30 CMakeFiles/n_model.dir/generated/n_conv2d_00_weights.c.obj
 .rodata.mm_run.str1.4
                0x000000a4        0x8 CMakeFiles/metamorph_runtime.dir/runtime/src/mm_runtime.c.obj
 .text.empty    0x000000ac        0x0 CMakeFiles/n_app.dir/app/n.c.obj

.data           0x20000000       0x14 load address 0x00000100
 .data.state    0x20000000        0x4 CMakeFiles/n_app.dir/app/n.c.obj
 COMMON         0x20000004       0x10 CMakeFiles/n_app.dir/app/n.c.obj

.mm_nvm         0x21000000       0x80
 .mm_nvm        0x21000000       0x80 CMakeFiles/n_app.dir/app/n_tables.c.obj

.debug_info     0x00000000      0x555
 .debug_info    0x00000000      0x555 CMakeFiles/n_app.dir/app/n.c.obj
)";

std::string told(SizesBy by) {
    std::string text;
    for (const PartSize& part : sizes_in_map(k_map, by)) {
        text += part.part + " " + std::to_string(part.code) + " " + std::to_string(part.constants) + " " +
                std::to_string(part.variables) + " " + std::to_string(part.nvm) + "\n";
    }
    return text;
}

TEST(MapSizes, ByLibraryLayerAndFunction) {
    EXPECT_EQ(told(SizesBy::library),
              "n_app 0 0 20 128\nn_model 32 48 0 0\nmetamorph_runtime 64 8 0 0\nlibc.a 16 0 0 0\n(padding) 4 0 0 0\n");
    EXPECT_EQ(
        told(SizesBy::layer),
        "n_app 0 0 20 128\nn_conv2d_00 32 48 0 0\nmetamorph_runtime 64 8 0 0\nlibc.a 16 0 0 0\n(padding) 4 0 0 0\n");
    EXPECT_EQ(told(SizesBy::function),
              "(n_tables.c) 0 0 0 128\nmm_run 64 0 0 0\nn_weights 0 48 0 0\nn_conv2d_00_with_a_long_name 32 0 0 0\n"
              "(lib_a-memcpy) 16 0 0 0\n(n.c) 0 0 16 0\n(mm_runtime.c) 0 8 0 0\n(padding) 4 0 0 0\nstate 0 0 4 0\n");
}

TEST(MapSizes, WhatIsNoMapHasNoParts) {
    EXPECT_TRUE(sizes_in_map("", SizesBy::function).empty());
    EXPECT_TRUE(sizes_in_map("Linker script and memory map\n .text.x\n", SizesBy::function).empty());
    EXPECT_TRUE(sizes_in_map("Linker script and memory map\n .text.x 0xZ 0x4 a.o\n", SizesBy::function).empty());
}

TEST(MapSizes, Forms) {
    const std::vector<RunSizes> runs{{"a", {{"x,y", 1, 20, 3, 4}}}};
    EXPECT_EQ(print(runs, SizesForm::text),
              "run  part  code  constants  variables  nvm\na    x,y      1         20          3    4\n");
    EXPECT_EQ(print(runs, SizesForm::csv), "run,part,code,constants,variables,nvm\r\na,\"x,y\",1,20,3,4\r\n");
    EXPECT_EQ(print(runs, SizesForm::markdown),
              "| run | part | code | constants | variables | nvm |\n|---|---|---:|---:|---:|---:|\n| a | x,y | 1 | 20 "
              "| 3 | 4 "
              "|\n");
    EXPECT_EQ(json_of(runs, SizesBy::layer).dump(),
              R"({"schema":"metamorph-report-sizes-1","by":"layer","runs":[{"run":"a","parts":[{"part":"x,y","code":1,)"
              R"("constants":20,"variables":3,"nvm":4}]}]})");
}

}  // namespace
}  // namespace metamorph::matrix
