#include "util/terminal.h"

#include <gtest/gtest.h>

#include <memory>

namespace metamorph {
namespace {

using namespace std::chrono_literals;

struct FakeWorld {
    std::string written;
    std::chrono::steady_clock::time_point now{};
    ProgressDoors doors() {
        return {[this](std::string_view text) { written += text; }, [this] { return now; }};
    }
};

constexpr Terminal k_screen{true, true, 80};
constexpr Terminal k_file{false, false, 80};

TEST(Terminal, WhatTakesLessThanASecondShowsNothing) {
    for (const Terminal& terminal : {k_screen, k_file}) {
        FakeWorld world;
        {
            Progress progress(terminal, "building", 10, world.doors());
            for (int i = 1; i <= 9; ++i) {
                world.now += 100ms;
                progress.advance_to(i);
            }
        }
        EXPECT_EQ(world.written, "");
    }
}

TEST(Terminal, ABarIsDrawnAndErased) {
    FakeWorld world;
    Progress progress(k_screen, "cutting power", 4000, world.doors());
    world.now += 2s;
    progress.advance_to(1000, "0 wrong");
    EXPECT_EQ(world.written,
              "\rcutting power [######------------------] 1000 of 4000 (25 %), 6 s left, 0 wrong\033[K"
              "");
    world.written.clear();
    world.now += 50ms;
    progress.advance_to(1001);
    EXPECT_EQ(world.written, "") << "redrawn more than ten times a second";
    progress.finish();
    EXPECT_EQ(world.written, "\r\033[K");
    progress.advance_to(4000);
    EXPECT_EQ(world.written, "\r\033[K");
}

TEST(Terminal, WorkOfUnknownSizeIsCounted) {
    FakeWorld world;
    Progress progress(k_screen, "looking, boots:", 0, world.doors());
    world.now += 2s;
    progress.advance_to(1000);
    EXPECT_EQ(world.written, "\rlooking, boots: 1000\033[K");
}

TEST(Terminal, ABarNeverWrapsALine) {
    FakeWorld world;
    Progress progress({true, true, 40}, std::string(100, 'x'), 10, world.doors());
    world.now += 2s;
    progress.advance_to(5);
    EXPECT_EQ(world.written, "\r" + std::string(39, 'x') + "\033[K");
}

TEST(Terminal, OffATerminalPlainLinesNowAndThen) {
    FakeWorld world;
    Progress progress(k_file, "cutting power", 100, world.doors());
    for (int i = 1; i <= 60; ++i) {
        world.now += 500ms;
        progress.advance_to(i);
    }
    progress.finish();
    EXPECT_EQ(world.written,
              "cutting power: 2 of 100 (2 %), 49 s left\n"
              "cutting power: 22 of 100 (22 %), 39 s left\n"
              "cutting power: 42 of 100 (42 %), 29 s left\n");
}

TEST(Terminal, ProgressNeverGoesBack) {
    FakeWorld world;
    Progress progress(k_file, "x", 10, world.doors());
    progress.advance_to(8);
    world.now += 2s;
    progress.advance_to(3);
    EXPECT_NE(world.written.find("8 of 10"), std::string::npos);
    world.now += 20s;
    progress.advance_to(99);
    EXPECT_NE(world.written.find("10 of 10 (100 %)\n"), std::string::npos);
}

TEST(Terminal, ColourOnlyWhereThereIsColour) {
    EXPECT_EQ(styled(k_screen, Style::red, "wrong"), "\033[31mwrong\033[0m");
    EXPECT_EQ(styled(k_file, Style::red, "wrong"), "wrong");
}

TEST(Terminal, AFileIsNoTerminal) {
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::tmpfile(), &std::fclose);
    ASSERT_TRUE(file);
    const Terminal terminal = probe_terminal(fileno(file.get()));
    EXPECT_FALSE(terminal.is_terminal);
    EXPECT_FALSE(terminal.has_color);
    EXPECT_GE(terminal.width, 20);
}

}  // namespace
}  // namespace metamorph
