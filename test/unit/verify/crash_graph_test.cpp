// The search for crash states on toy programs: it closes on right ones, says what is wrong with others, and comes to
// the same verdict as trying every cut.
#include <gtest/gtest.h>

#include "unit/verify/toy_machine.h"

namespace metamorph::verify {
namespace {

using test::ToyFault;
using test::ToyMachine;

CrashVerdict search(ToyMachine& machine) {
    const auto verdict = search_crash_states(machine, machine.rules());
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(CrashVerdict{});
}

std::set<std::string> kinds_of(const CrashVerdict& verdict) {
    std::set<std::string> kinds;
    for (const CrashFailure& failure : verdict.failures) {
        kinds.insert(failure.symptom);
    }
    return kinds;
}

TEST(CrashGraph, ClosesOnARightProgram) {
    ToyMachine machine({});
    const CrashVerdict verdict = search(machine);
    EXPECT_TRUE(verdict.is_closed);
    EXPECT_TRUE(verdict.failures.empty()) << verdict.failures[0].what;
    EXPECT_EQ(verdict.units,
              5U + 2U * (2U * 6U + 4U));  // first record; two inferences of two tasks with data and one without
    EXPECT_GT(verdict.torn_states, 14U * 6U);
}

TEST(CrashGraph, ItsVerdictIsThatOfTryingEveryCutTwice) {
    for (const ToyFault fault :
         {ToyFault::none, ToyFault::commit_before_data, ToyFault::torn_flag, ToyFault::active_slot,
          ToyFault::write_after_read, ToyFault::counter_at_boot, ToyFault::output_from_volatile}) {
        ToyMachine machine({fault, 3, 1});
        const std::set<std::string> forced = machine.brute_force(2);
        const CrashVerdict verdict = search(machine);
        EXPECT_EQ(forced.empty(), verdict.failures.empty()) << static_cast<int>(fault);
        EXPECT_EQ(fault == ToyFault::none, verdict.failures.empty()) << static_cast<int>(fault);
    }
}

// A cut may ruin a whole unit, with bytes that the store beside them is not about.
TEST(CrashGraph, OfUnitsThatAreWiderThanAStoreLikewise) {
    for (const std::uint32_t unit_bytes : {4U, 8U}) {
        for (const ToyFault fault : {ToyFault::none, ToyFault::neighbour, ToyFault::active_slot}) {
            ToyMachine machine({fault, 3, 1, unit_bytes});
            const bool is_right = fault == ToyFault::none || (fault == ToyFault::neighbour && unit_bytes == 4);
            EXPECT_EQ(machine.brute_force(2).empty(), is_right) << static_cast<int>(fault) << ", " << unit_bytes;
            CrashRules rules = machine.rules();
            rules.depth = 2;
            const auto verdict = search_crash_states(machine, rules);
            ASSERT_TRUE(verdict);
            EXPECT_EQ(verdict->failures.empty(), is_right) << static_cast<int>(fault) << ", " << unit_bytes;
        }
    }
}

// A slot's last word, and all behind the slots, is header that no boot reads: ruined or not, it makes no other states.
TEST(CrashGraph, WhatNoBootReadsOfTheHeaderIsNotToldApart) {
    const auto search_from = [](const std::string& others) {
        ToyMachine machine({ToyFault::none, 3, 1, 16});
        CrashRules rules = machine.rules();
        rules.depth = 2;
        for (const char other : others) {
            std::string image(machine.recording().nvm_bytes, '\xFF');
            image[12] = image[28] = image[40] = other;
            rules.starts.push_back({std::string(1, other), image});
        }
        return search_crash_states(machine, rules).value_or(CrashVerdict{});
    };
    const CrashVerdict one = search_from("a"), all = search_from("abcdefgh");
    EXPECT_GT(one.boots, search_from("").boots);
    EXPECT_EQ(all.boots, one.boots);
    EXPECT_EQ(all.states, one.states);
}

TEST(CrashGraph, NamesTheKindOfFault) {
    const auto kinds = [](ToyFault fault) {
        ToyMachine machine({fault, 3, 1});
        return kinds_of(search(machine));
    };
    EXPECT_TRUE(kinds(ToyFault::commit_before_data).count("wrong-output"));
    EXPECT_TRUE(kinds(ToyFault::torn_flag).count("lost-progress"));
    EXPECT_TRUE(kinds(ToyFault::active_slot).count("lost-progress"));
    EXPECT_TRUE(kinds(ToyFault::write_after_read).count("wrong-output"));
    EXPECT_TRUE(kinds(ToyFault::counter_at_boot).count("wrong-output"));
    EXPECT_TRUE(kinds(ToyFault::output_from_volatile).count("output-differs-when-repeated"));
}

TEST(CrashGraph, AWriteAfterReadIsToldWithWhoReads) {
    ToyMachine machine({ToyFault::write_after_read, 3, 1});
    const CrashVerdict verdict = search(machine);
    ASSERT_FALSE(verdict.failures.empty());
    EXPECT_NE(verdict.failures[0].what.find("NVM 48 is read"), std::string::npos) << verdict.failures[0].what;
    EXPECT_EQ(verdict.failures[0].where.rfind("line ", 0), 0U) << verdict.failures[0].where;
    EXPECT_FALSE(verdict.failures[0].cuts.empty());
}

TEST(CrashGraph, AProgramThatNeverClosesIsAFailure) {
    ToyMachine machine({});
    CrashRules rules = machine.rules();
    rules.boots_max = 10;
    const auto verdict = search_crash_states(machine, rules);
    ASSERT_TRUE(verdict);
    EXPECT_FALSE(verdict->is_closed);
    ASSERT_FALSE(verdict->failures.empty());
    EXPECT_EQ(verdict->failures.back().symptom, "does-not-close");
}

}  // namespace
}  // namespace metamorph::verify
