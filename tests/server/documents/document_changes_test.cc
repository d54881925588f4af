#include "server/tick/document_changes.h"

#include <gtest/gtest.h>

#include <thread>

namespace statmill {
namespace {

DocumentRow row(const std::string& id, const std::string& body) {
  return {{DocumentKind::kView, id}, Timestamp(Duration(1)), body};
}

TEST(DocumentChangesTest, ATickWritesTheLastStateOfEachDocumentOnce) {
  DocumentChanges changes;
  changes.put(row("a", "one"));
  changes.put(row("a", "two"));
  changes.put(row("b", "x"));
  changes.remove({DocumentKind::kView, "b"});
  StoreBatch batch;
  changes.add_to(batch);
  EXPECT_EQ(batch.documents, std::vector{row("a", "two")});
  EXPECT_EQ(batch.removed_documents, (std::vector<DocumentKey>{{DocumentKind::kView, "b"}}));
  StoreBatch next;
  changes.add_to(next);
  EXPECT_TRUE(next.is_empty());
}

TEST(DocumentChangesTest, AChangeIsDurableWhenItsBatchIsCommitted) {
  DocumentChanges changes;
  StoreBatch batch;
  const auto first = changes.put(row("a", "one"));
  changes.add_to(batch);
  const auto second = changes.put(row("b", "two"));
  changes.committed();
  EXPECT_TRUE(changes.wait_until_durable(first, Duration(0)));
  EXPECT_FALSE(changes.wait_until_durable(second, Duration(0)));
}

TEST(DocumentChangesTest, AWaitEndsWithTheTick) {
  DocumentChanges changes;
  const auto ticket = changes.put(row("a", "one"));
  std::thread tick([&] {
    StoreBatch batch;
    changes.add_to(batch);
    changes.committed();
  });
  EXPECT_TRUE(changes.wait_until_durable(ticket, std::chrono::minutes(1)));
  tick.join();
}

TEST(DocumentChangesTest, NobodyWaitsAgainForAStoreThatTakesNoTicks) {
  DocumentChanges changes;
  const auto ticket = changes.put(row("a", "one"));
  EXPECT_FALSE(changes.wait_until_durable(ticket, Duration(1)));
  EXPECT_FALSE(changes.wait_until_durable(ticket, std::chrono::hours(24)));
  StoreBatch batch;
  changes.add_to(batch);
  changes.committed();
  EXPECT_TRUE(changes.wait_until_durable(ticket, Duration(0)));
}

TEST(DocumentChangesTest, HasNoRoomWhenTooMuchWaits) {
  DocumentChanges changes;
  const std::string body(kDocumentBodyBytesMax, 'x');
  for (int i = 0; i < 63; ++i) changes.put(row(std::to_string(i), body));
  EXPECT_TRUE(changes.has_room());
  changes.put(row("62", body));
  EXPECT_TRUE(changes.has_room()) << "the same document";
  changes.put(row("63", body));
  EXPECT_FALSE(changes.has_room());
  StoreBatch batch;
  changes.add_to(batch);
  EXPECT_TRUE(changes.has_room());
}

}  // namespace
}  // namespace statmill
