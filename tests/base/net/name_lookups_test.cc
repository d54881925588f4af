#include "base/net/name_lookups.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/base/net/held_names.h"

namespace statmill {
namespace {

namespace asio = boost::asio;

TEST(NameLookups, FindAddresses) {
  asio::io_context loop;
  NameLookups names(loop);
  std::optional<Result<NameLookups::Addresses>> first;
  std::optional<Result<NameLookups::Addresses>> second;
  const auto one = names.start("127.0.0.1", "80", [&](auto found) { first = std::move(found); });
  const auto other = names.start("::1", "81", [&](auto found) { second = std::move(found); });
  const auto work = asio::make_work_guard(loop);
  while (!first || !second) loop.run_one();
  ASSERT_TRUE(*first);
  EXPECT_EQ(first->value().at(0), asio::ip::tcp::endpoint(asio::ip::make_address("127.0.0.1"), 80));
  ASSERT_TRUE(*second);
  EXPECT_EQ(second->value().at(0), asio::ip::tcp::endpoint(asio::ip::make_address("::1"), 81));
  const auto none = NameLookups::find_addresses("127.0.0.1", "no number");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kUnavailable);
}

TEST(NameLookups, OneThatHangsIsLeft) {
  HeldNames held;
  asio::io_context loop;
  {
    NameLookups names(loop, held.find());
    const auto lookup = names.start("a", "1", [](const auto&) { FAIL() << "nobody wants it"; });
    held.wait_for("a");
  }
  held.release_all();
  held.wait_until_forgotten();  // its thread has used nothing of what is gone
  EXPECT_EQ(loop.run(), 0U);
}

TEST(NameLookups, OneThatNobodyWantsIsNotAsked) {
  HeldNames held;
  asio::io_context loop;
  NameLookups names(loop, held.find());
  bool is_found = false;
  auto first = names.start("a", "1", [](const auto&) { FAIL() << "nobody wants it"; });
  held.wait_for("a");
  auto second = names.start("a", "2", [](const auto&) { FAIL() << "nobody wants it"; });
  const auto third = names.start("a", "3", [&](const auto& found) { is_found = found.has_value(); });
  second.reset();
  first.reset();
  held.release_all();
  const auto work = asio::make_work_guard(loop);
  while (!is_found) loop.run_one();
  EXPECT_EQ(held.asked(), (std::vector<std::string>{"a", "a"})) << "for the first and the third";
}

TEST(NameLookups, AHostThatHangsHoldsUpNoOther) {
  HeldNames held;
  asio::io_context loop;
  NameLookups names(loop,
                    [find = held.find()](const std::string& host,
                                         const std::string& port) -> Result<NameLookups::Addresses> {
                      if (host == "good") return NameLookups::Addresses(1);
                      return find(host, port);
                    });
  std::vector<std::unique_ptr<NameLookups::Lookup>> lookups;
  for (size_t i = 0; i < NameLookups::kThreadsMax; ++i)
    lookups.push_back(names.start("bad", "1", [](const auto&) {}));
  bool is_found = false;
  const auto good = names.start("good", "1", [&](const auto& found) { is_found = found.has_value(); });
  const auto work = asio::make_work_guard(loop);
  while (!is_found) loop.run_one();
  EXPECT_LE(held.asked().size(), 1U);
}

}  // namespace
}  // namespace statmill
