// Memories in the middle of a segment, against the same bytes written one by one into a plain string.
#include "verify/crash_image.h"

#include <gtest/gtest.h>

namespace metamorph::verify {
namespace {

constexpr std::uint32_t k_bytes = 600;  // more than two pages, and not a whole number of them

Recording recording() {
    Recording recording;
    recording.nvm_bytes = k_bytes;
    recording.tasks = 1;
    std::string image(k_bytes, '\0');
    for (std::size_t i = 0; i < image.size(); ++i) {
        image[i] = static_cast<char>(i * 7);
    }
    recording.images = {image};
    return recording;
}

std::string bytes_of(const Recording& recording, const CrashImage& image) {
    std::string bytes = recording.images.front();
    for (const Run& run : image.differs) {
        bytes.replace(run.address, run.bytes.size(), run.bytes);
    }
    return bytes;
}

TEST(CrashMemory, WhatItWritesIsInItsImage) {
    const Recording r = recording();
    CrashMemory memory(r, {});
    std::string expected = r.images.front();
    for (const std::uint32_t at : {0U, 253U, 254U, 511U, 512U, 596U}) {
        memory.write({at, 0xA1B2C3D4, 4, 0});
        expected.replace(at, 4, "\xD4\xC3\xB2\xA1");
    }
    const CrashImage image = memory.image(IntervalSet(0, k_bytes), false);
    EXPECT_EQ(bytes_of(r, image), expected);
    EXPECT_TRUE(image.fresh.empty() && image.stale.empty());
}

TEST(CrashMemory, AnImageTellsOnlyWhatIsNeededAndWhatDiffers) {
    const Recording r = recording();
    CrashMemory memory(r, {});
    memory.write({100, 0xFFFFFFFF, 4, 0});
    memory.write({300, static_cast<std::uint8_t>(r.images.front()[300]), 1, 0});
    const CrashImage image = memory.image(IntervalSet(102, k_bytes), false);
    ASSERT_EQ(image.differs.size(), 1U);
    EXPECT_EQ(image.differs[0].address, 102U);
    EXPECT_EQ(image.differs[0].bytes, "\xFF\xFF");
}

// With known bytes around, with bytes that are unknown (fresh, stale), across a page, where only a part is needed.
TEST(CrashMemory, TornImagesAreThoseOfTheirBytesWrittenAlone) {
    const Recording r = recording();
    for (const std::uint32_t at : {8U, 254U, 400U}) {
        for (const IntervalSet& needed : {IntervalSet(0, k_bytes), IntervalSet(at + 1, at + 3), IntervalSet(0, at)}) {
            CrashImage before;
            before.differs = {{at + 2, "\x55"}};
            before.fresh = IntervalSet(at, at + 1);
            before.stale = IntervalSet(at + 3, at + 9);
            for (const CrashImage& start : {CrashImage{}, before}) {
                const NvmWrite write{at, 0x01020304, 4, 0};
                CrashMemory memory(r, start);
                const CrashImage untouched = memory.image(needed, false);
                const std::vector<unsigned> masks = {1, 2, 4, 8, 3, 5, 10, 14};
                const std::vector<CrashImage> torn = memory.torn_images(needed, write, masks);
                ASSERT_EQ(torn.size(), masks.size());
                for (std::size_t m = 0; m < masks.size(); ++m) {
                    CrashMemory alone(r, start);
                    for (unsigned i = 0; i < 4; ++i) {
                        if ((masks[m] >> i & 1U) != 0) {
                            alone.write({at + i, write.value >> 8 * i & 0xFFU, 1, 0});
                        }
                    }
                    EXPECT_EQ(torn[m].key(), alone.image(needed, false).key()) << "mask " << masks[m];
                }
                EXPECT_EQ(memory.image(needed, false).key(), untouched.key()) << "nothing was written";
            }
        }
    }
}

}  // namespace
}  // namespace metamorph::verify
