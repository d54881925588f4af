// The lines of processes are from a real kernel (6.18), with other names; sessions are those of systemd 252.
#include "agent/collectors/process_text.h"

#include <gtest/gtest.h>

#include "base/hidden_characters.h"
#include "base/text.h"

namespace statmill {
namespace {

// What follows the name: state, flags, times in user and kernel mode, threads, start, resident pages.
constexpr std::string_view kRest =
    " S 1 77 77 0 -1 4194560 1234 5678 9 10 150 25 3000 4000 20 0 6 0 8811 167587840 3011 "
    "18446744073709551615 1 1 0 0 0 0 0 4096 17663 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

std::optional<ProcessStat> parse(const std::string& begin) {
  static std::string text;  // what is found lies in it
  text = begin + std::string(kRest);
  return parse_process_stat(text);
}

TEST(ProcessText, ReadsTheLineOfAProcess) {
  const auto stat = parse("77 (nginx)");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "nginx");
  EXPECT_EQ(kProcessStates.at(stat->state), "sleeping");
  EXPECT_FALSE(stat->is_kernel_thread);
  EXPECT_EQ(stat->cpu_ticks, 175U);
  EXPECT_EQ(stat->threads, 6U);
  EXPECT_EQ(stat->start_ticks, 8811U);
  EXPECT_EQ(stat->resident_pages, 3011U);
}

TEST(ProcessText, KnowsThreadsOfTheKernel) {
  const auto stat = parse_process_stat(
      "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 31 0 0 20 0 1 0 6 0 0 18446744073709551615 0 0 0 0 0 0 0 "
      "2147483647 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
  ASSERT_TRUE(stat);
  EXPECT_TRUE(stat->is_kernel_thread);
  EXPECT_EQ(stat->resident_pages, 0U);
}

TEST(ProcessText, ANameMayLookLikeTheRestOfTheLine) {
  const struct {
    const char* begin;
    const char* name;
  } table[] = {{"77 (a) R 1 ()", "a) R 1 ("},
               {"77 ()", ""},
               {"77 ())", ")"},
               {"77 (()", "("},
               {"77 (a\n78 (b)", "a\n78 (b"},
               {"77 (\xff\xfe x)", "\xff\xfe x"}};
  for (const auto& t : table) {
    const auto stat = parse(t.begin);
    ASSERT_TRUE(stat) << t.begin;
    EXPECT_EQ(stat->name, t.name);
    EXPECT_EQ(stat->cpu_ticks, 175U) << t.begin;
  }
}

TEST(ProcessText, AStateThatIsNotListedIsOther) {
  for (const auto& [letter, state] : {std::pair{'R', "running"},
                                      {'D', "disk_sleep"},
                                      {'T', "stopped"},
                                      {'t', "traced"},
                                      {'Z', "zombie"},
                                      {'I', "idle"},
                                      {'P', "other"},
                                      {'X', "other"}}) {
    std::string text = "77 (a)" + std::string(kRest);
    text[7] = letter;
    const auto stat = parse_process_stat(text);
    ASSERT_TRUE(stat) << letter;
    EXPECT_EQ(kProcessStates.at(stat->state), state);
  }
}

TEST(ProcessText, RefusesALineThatEndsEarlyOrHasNoNumbers) {
  const std::string whole = "77 (nginx)" + std::string(kRest);
  const size_t needed = whole.find(" 3011") + 5;
  for (size_t size = 0; size + 4 < needed; ++size) EXPECT_FALSE(parse_process_stat(whole.substr(0, size)));
  EXPECT_TRUE(parse_process_stat(whole.substr(0, needed)));
  for (const char* number : {"4194560", "150", "25", "6 0 8811", "8811", "3011"}) {
    std::string damaged = whole;
    damaged.replace(damaged.find(std::string(" ") + number) + 1, 1, "x");
    EXPECT_FALSE(parse_process_stat(damaged)) << number;
  }
}

TEST(ProgramName, ShowsTextAsItIsAndReplacesWhatNobodySees) {
  const struct {
    std::string_view name;
    std::string_view shown;
    const char* why;
  } table[] = {{"nginx", "nginx", "plain"},
               {"Web Content", "Web Content", "a blank"},
               {"a;b=c%20", "a;b=c%20", "names of series escape these"},
               {"\u00fcber", "\u00fcber", "UTF-8"},
               {"a\nb\tc\x7f", "a?b?c?", "control bytes"},
               {"\xff\xc3", "??", "no UTF-8"},
               {"abcdefghijklmn\u00fc", "abcdefghijklmn?", "a character that the kernel cut"},
               {"a\u202e\u200bb", "a??b", "hidden characters"},
               {"", "?", "empty"},
               {"0123456789abcdefgh", "0123456789abcde", "longer than the kernel's names"}};
  for (const auto& t : table) EXPECT_EQ(program_name(t.name), t.shown) << t.why;
}

TEST(LoginSession, IsOfAUserUnlessItsClassOrStateSaysOtherwise) {
  const auto parse_session = [](const std::string& session_class, const std::string& state) {
    return parse_login_session(
        "# This is private data. Do not parse.\nUID=1000\nUSER=ann\nACTIVE=1\nIS_DISPLAY=0\nSTATE=" + state +
        "\nREMOTE=1\nTYPE=tty\nCLASS=" + session_class + "\nSCOPE=session-3.scope\n");
  };
  const struct {
    const char* session_class;
    const char* state;
    bool is_of_user;
  } table[] = {{"user", "active", true},     {"user", "online", true},        {"user-early", "active", true},
               {"user", "closing", false},   {"greeter", "active", false},    {"background", "active", false},
               {"manager", "active", false}, {"lock-screen", "online", false}};
  for (const auto& t : table) {
    const auto session = parse_session(t.session_class, t.state);
    ASSERT_TRUE(session);
    EXPECT_EQ(session->is_of_user, t.is_of_user) << t.session_class << " " << t.state;
    EXPECT_EQ(session->user, 1000U);
  }
}

TEST(LoginSession, LacksNeitherClassNorUser) {
  for (const char* text :
       {"", "UID=1000\n", "CLASS=user\n", "UID=-1\nCLASS=user\n", "UID=ann\nCLASS=user\n", "CLASS=\nUID=1\n"})
    EXPECT_FALSE(parse_login_session(text)) << text;
}

}  // namespace
}  // namespace statmill
