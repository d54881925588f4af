#include "base/settings.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

// A program with two settings, which records the values that are applied.
class Settings : public testing::Test {
 protected:
  Result<SettingsAction> apply(std::vector<const char*> arguments) {
    applied_.clear();
    return apply_settings(settings_, {arguments, environment_});
  }
  std::string fault(std::vector<const char*> arguments) {
    const Result<SettingsAction> result = apply(std::move(arguments));
    EXPECT_FALSE(result);
    return result ? "" : result.error().message;
  }
  void file(std::string_view content) {
    environment_.emplace_back("STATMILL_CONFIG", directory_.write("statmill.conf", content));
  }
  std::string path() const { return directory_.path() / "statmill.conf"; }

  TempDirectory directory_;
  std::vector<std::pair<std::string, std::string>> environment_;
  std::map<std::string, std::string> applied_;
  const std::vector<Setting> settings_ = {setting("store.path", "/default"), setting("http.port", "8112")};

 private:
  Setting setting(const std::string& name, const std::string& default_value) {
    const auto apply = [this, name](const std::string& value) {
      EXPECT_FALSE(applied_.contains(name)) << "applied twice";
      applied_[name] = value;
      if (value == "bad") return Status(Error{ErrorCode::kInvalid, "\"bad\" is invalid"});
      return Status::ok();
    };
    return {name, "VALUE", default_value, "help of " + name, apply};
  }
};

using Applied = std::map<std::string, std::string>;

TEST_F(Settings, DefaultsApplyWithoutAnySource) {
  ASSERT_EQ(apply({}).value(), SettingsAction::kRun);
  EXPECT_EQ(applied_, (Applied{{"store.path", "/default"}, {"http.port", "8112"}}));
}

TEST(SettingsFlag, WithoutValueMeansTrue) {
  std::string applied;
  const Setting flag{"once", "", "false", "Do it once.", [&](const std::string& value) {
                       applied = value;
                       return Status::ok();
                     }};
  const auto given = [&](std::vector<const char*> arguments) {
    EXPECT_TRUE(apply_settings({&flag, 1}, {arguments, {}}));
    return applied;
  };
  EXPECT_EQ(given({}), "false");
  EXPECT_EQ(given({"--once"}), "true");
  EXPECT_EQ(given({"--once=false"}), "false");
  EXPECT_EQ(settings_help("", {&flag, 1}).find("--once V"), std::string::npos);
}

// A setting that may be given several times.
class SettingsList : public testing::Test {
 protected:
  std::vector<std::string> given(std::vector<const char*> arguments,
                                 std::vector<std::pair<std::string, std::string>> environment = {}) {
    applied_.clear();
    const std::string file = directory_.write("a.conf", "[keep]\nrule = from a file\nrule=*;x=[a-z]* 2\n");
    environment.emplace_back("STATMILL_CONFIG", file);
    const auto result = apply_settings({&list_, 1}, {arguments, environment});
    faults_ = result ? "" : result.error().message;
    return applied_;
  }

  TempDirectory directory_;
  std::vector<std::string> applied_;
  std::string faults_;
  const Setting list_{"keep.rule",
                      "TEXT",
                      "",
                      "What to keep.",
                      [this](const std::string& value) {
                        applied_.push_back(value);
                        if (value == "bad") return Status(Error{ErrorCode::kInvalid, "no good"});
                        return Status::ok();
                      },
                      true};
};

TEST_F(SettingsList, AppliesTheValuesOfTheStrongestSourceInOrder) {
  using Given = std::vector<std::string>;
  EXPECT_EQ(given({}), (Given{"from a file", "*;x=[a-z]* 2"}));
  EXPECT_EQ(given({}, {{"STATMILL_KEEP_RULE", "one\ntwo"}}), (Given{"one", "two"}));
  EXPECT_EQ(given({"--keep.rule", "a b", "--keep.rule=c"}, {{"STATMILL_KEEP_RULE", "one"}}),
            (Given{"a b", "c"}));
  EXPECT_EQ(faults_, "");
}

TEST_F(SettingsList, ReportsEachInvalidValue) {
  given({"--keep.rule", "bad", "--keep.rule", "good", "--keep.rule", "bad"});
  EXPECT_EQ(faults_, "keep.rule: no good\nkeep.rule: no good");
}

TEST_F(SettingsList, IsNotAppliedWithoutAnySource) {
  const auto result = apply_settings({&list_, 1}, {{}, {}});
  EXPECT_TRUE(result);
  EXPECT_TRUE(applied_.empty());
}

TEST_F(Settings, FileOverridesDefault) {
  file("# comment\n[store]\npath = /file\n\nhttp.port=1\n");
  EXPECT_FALSE(apply({})) << "a dotted key within a section is a different key";
  environment_.clear();
  file("http.port=1\n[store]\npath = /file\n");
  ASSERT_TRUE(apply({}));
  EXPECT_EQ(applied_, (Applied{{"store.path", "/file"}, {"http.port", "1"}}));
}

TEST_F(Settings, EnvironmentOverridesFile) {
  file("store.path=/file\nhttp.port=1\n");
  environment_.emplace_back("STATMILL_STORE_PATH", "/environment");
  environment_.emplace_back("HTTP_PORT", "2");
  ASSERT_TRUE(apply({}));
  EXPECT_EQ(applied_, (Applied{{"store.path", "/environment"}, {"http.port", "1"}}));
}

TEST_F(Settings, CommandLineOverridesEnvironment) {
  file("store.path=/file\nhttp.port=1\n");
  environment_.emplace_back("STATMILL_STORE_PATH", "/environment");
  environment_.emplace_back("STATMILL_HTTP_PORT", "2");
  ASSERT_TRUE(apply({"--store.path", "/line"}));
  EXPECT_EQ(applied_, (Applied{{"store.path", "/line"}, {"http.port", "2"}}));
  ASSERT_TRUE(apply({"--store.path=/line with spaces"}));
  EXPECT_EQ(applied_["store.path"], "/line with spaces");
}

TEST_F(Settings, LastValueOfASourceApplies) {
  ASSERT_TRUE(apply({"--http.port", "1", "--http.port", "2"}));
  EXPECT_EQ(applied_["http.port"], "2");
}

TEST_F(Settings, ConfigOnTheCommandLineOverridesTheEnvironment) {
  file("http.port=1\n");
  const std::string other = directory_.write("other.conf", "http.port=7\n");
  ASSERT_TRUE(apply({"--config", other.c_str()}));
  EXPECT_EQ(applied_["http.port"], "7");
}

TEST_F(Settings, EmptyFileIsValid) {
  file("");
  ASSERT_TRUE(apply({}));
  EXPECT_EQ(applied_["http.port"], "8112");
}

TEST_F(Settings, ReportsEveryFaultOnALineOfItsOwn) {
  file("store.pth=/file\nhttp.port=bad\n");
  environment_.emplace_back("STATMILL_STORE_PATH", "bad");
  EXPECT_EQ(fault({"--nonsense", "1", "--more=2"}),
            "command line: unknown setting \"nonsense\"\n"
            "command line: unknown setting \"more\"\n" +
                path() + ": unknown setting \"store.pth\"; did you mean store.path?\n" +
                "store.path: \"bad\" is invalid\n"
                "http.port: \"bad\" is invalid");
}

TEST_F(Settings, RefusesUnknownSettings) {
  EXPECT_EQ(fault({"stray"}), "command line: unexpected \"stray\"");
  EXPECT_EQ(fault({"--http.port", "1", "stray"}), "command line: unexpected \"stray\"");
  EXPECT_NE(fault({"--store.path"}).find("store.path"), std::string::npos) << "value missing";
  EXPECT_NE(fault({"--store.pat", "x"}).find("store.pat"), std::string::npos)
      << "abbreviations are not accepted";
  file("no equals sign\n");
  EXPECT_NE(fault({}).find(path()), std::string::npos);
}

TEST_F(Settings, UnreadableFileIsAnError) {
  const std::string missing = directory_.path() / "missing.conf";
  const Result<SettingsAction> absent = apply({"--config", missing.c_str()});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
  EXPECT_NE(absent.error().message.find(missing), std::string::npos);
  file("");
  const std::string below_a_file = path() + "/x.conf";
  const Result<SettingsAction> unreadable = apply({"--config", below_a_file.c_str()});
  ASSERT_FALSE(unreadable);
  EXPECT_EQ(unreadable.error().code, ErrorCode::kIo);
  const std::string folder = directory_.path();
  EXPECT_FALSE(apply({"--config", folder.c_str()})) << "a directory is not a file";
}

TEST_F(Settings, AFileWithADashMayBeMissing) {
  const std::string missing = "--config=-" + (directory_.path() / "missing.conf").string();
  EXPECT_TRUE(apply({missing.c_str()}));
  const std::string bad = "--config=-" + directory_.write("bad.conf", "http.port=bad\n").string();
  EXPECT_FALSE(apply({bad.c_str()})) << "it is there, and is read";
}

TEST_F(Settings, CheckConfigReportsFaultsAndStartsNothing) {
  EXPECT_EQ(apply({"--check-config"}).value(), SettingsAction::kCheckConfig);
  EXPECT_EQ(fault({"--check-config", "--http.port", "bad"}), "http.port: \"bad\" is invalid");
}

TEST_F(Settings, VariablesThatAreNoSettingsAreReported) {
  environment_.emplace_back("STATMILL_STORE_PATH", "/here");
  environment_.emplace_back("STATMILL_HTTP_PROT", "1");
  environment_.emplace_back("STATMILL_URL", "http://127.0.0.1");
  environment_.emplace_back("STATMILL_SOMETHING_ELSE", "1");
  const std::vector<std::string> wanted = {
      "environment: unknown setting STATMILL_HTTP_PROT; did you mean STATMILL_HTTP_PORT?",
      "environment: unknown setting STATMILL_SOMETHING_ELSE"};
  EXPECT_EQ(unknown_variables(settings_, {{}, environment_}), wanted);
  EXPECT_TRUE(apply({})) << "they are no fault";
}

TEST_F(Settings, HelpAndVersionPrecedeFaults) {
  environment_.emplace_back("STATMILL_STORE_PATH", "bad");
  EXPECT_EQ(apply({"--help"}).value(), SettingsAction::kShowHelp);
  EXPECT_EQ(apply({"-h"}).value(), SettingsAction::kShowHelp);
  EXPECT_EQ(apply({"--version"}).value(), SettingsAction::kShowVersion);
  EXPECT_TRUE(applied_.empty());
}

TEST_F(Settings, HelpListsEverySettingWithItsDefault) {
  const std::string help = settings_help("usage: statmilld", settings_);
  EXPECT_EQ(help.find("usage: statmilld"), 0u);
  for (const std::string_view part :
       {"--store.path VALUE", "help of store.path [/default]", "--http.port VALUE", "[8112]", "--config FILE",
        "--help", "--version"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part;
  }
}

TEST(ProcessEnvironment, ContainsOnlyStatmillVariables) {
  setenv("STATMILL_TEST_VARIABLE", "a=b", 1);
  setenv("ANOTHER_STATMILL_VARIABLE", "x", 1);
  bool found = false;
  for (const auto& [name, value] : process_environment()) {
    EXPECT_TRUE(name.starts_with("STATMILL_")) << name;
    found = found || (name == "STATMILL_TEST_VARIABLE" && value == "a=b");
  }
  EXPECT_TRUE(found);
  unsetenv("STATMILL_TEST_VARIABLE");
  unsetenv("ANOTHER_STATMILL_VARIABLE");
}

}  // namespace
}  // namespace statmill
