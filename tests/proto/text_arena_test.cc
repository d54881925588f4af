// Texts do not move before clear(), which makes their memory available again.
#include "proto/text_arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace statmill {
namespace {

TEST(TextArena, TextsDoNotMoveWhenItGrows) {
  TextArena arena;
  std::vector<std::string> texts;
  std::vector<std::string_view> kept;
  for (size_t i = 0; i < 2000; ++i) {
    texts.push_back(std::to_string(i) + std::string(i % 100, 'x'));
    kept.push_back(arena.keep(texts.back()));
  }
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(kept[i], texts[i]);
}

TEST(TextArena, KeepsTextsOfAnySize) {
  TextArena arena;
  for (const size_t size : {size_t{0}, size_t{1}, TextArena::kChunkBytes - 1, TextArena::kChunkBytes,
                            TextArena::kChunkBytes + 1, 10 * TextArena::kChunkBytes}) {
    EXPECT_EQ(arena.keep(std::string(size, 'a')), std::string(size, 'a')) << size;
  }
}

TEST(TextArena, RoomReturnsTheSpareRoomForAnySize) {
  TextArena arena;
  for (const size_t size : {size_t{0}, size_t{7}, size_t{1000}, size_t{1}, TextArena::kChunkBytes}) {
    const char* const spare = arena.spare(std::max<size_t>(size, 1000));
    EXPECT_EQ(arena.room(size), spare) << size;
  }
}

TEST(TextArena, ClearedArenaReusesItsChunks) {
  TextArena arena;
  const char* const first = arena.keep("first").data();
  const std::string large(3 * TextArena::kChunkBytes, 'b');
  const char* const large_begin = arena.keep(large).data();
  arena.clear();
  EXPECT_EQ(arena.keep("again").data(), first);
  EXPECT_EQ(arena.keep(large).data(), large_begin);
}

TEST(TextArena, KeepsTextsAfterItHasReleasedChunks) {
  TextArena arena;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::string_view> kept;
    for (size_t i = 0; i < 2 * TextArena::kChunksKept; ++i)
      kept.push_back(arena.keep(std::string(TextArena::kChunkBytes, static_cast<char>('a' + i % 26))));
    for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].front(), 'a' + static_cast<int>(i % 26));
    arena.clear();
    EXPECT_LE(arena.chunks(), TextArena::kChunksKept);
  }
}

TEST(TextArena, SkipsSmallChunksForALargeText) {
  TextArena arena;
  arena.keep("small");
  arena.clear();
  const std::string large(2 * TextArena::kChunkBytes, 'c');
  EXPECT_EQ(arena.keep(large), large);
  EXPECT_EQ(arena.keep("after"), "after");
}

}  // namespace
}  // namespace statmill
