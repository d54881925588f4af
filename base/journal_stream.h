// Detects output to the journal of systemd.
#pragma once

namespace statmill {

// Returns true if the descriptor is the stream that the journal made for this process. Lines there may start
// with a priority: "<3>" is an error. Compares the descriptor with JOURNAL_STREAM, the device:inode of that
// stream, because processes inherit the variable even if their output goes elsewhere.
bool is_journal_stream(int descriptor);

}  // namespace statmill
