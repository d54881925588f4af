#include "tools/statmill/import/import_stream.h"

#include <boost/asio/connect.hpp>
#include <utility>

namespace statmill {
namespace {

namespace asio = boost::asio;

constexpr size_t kImportReadBytes = 4096;
constexpr Duration kRetry{250};                 // between two connections
constexpr std::chrono::milliseconds kLook{50};  // between two looks at the clock and at the stop

// Refusals that pass by themselves.
bool is_temporary(RefuseReason reason) {
  return reason == RefuseReason::kStopping || reason == RefuseReason::kLimit ||
         reason == RefuseReason::kServerClock;
}

}  // namespace

ImportStream::ImportStream(ImportStreamOptions options, const Clock& clock, std::stop_token stop)
    : options_(std::move(options)),
      clock_(clock),
      stop_(std::move(stop)),
      read_buffer_(kImportReadBytes),
      acknowledged_(options_.acknowledged),
      sent_(options_.acknowledged) {
  acknowledged_.epoch = sent_.epoch = 1;
}

ImportStream::~ImportStream() {
  drop({});
  io_.poll();  // the handlers of what was closed
}

Result<AgentPosition> ImportStream::open() {
  progress_at_ = clock_.steady();
  if (Status welcome = serve([this] { return is_welcome_; }); !welcome) return welcome.error();
  return acknowledged_;
}

Status ImportStream::send(const BatchFrame& batch) {
  auto bytes = std::make_shared<std::string>();
  append_frame(*bytes, batch);
  if (window_.empty()) progress_at_ = clock_.steady();
  window_bytes_ += bytes->size();
  sent_ = {1, batch.seq, batch.lines_before + batch.lines, batch.time};
  window_.push_back({std::move(bytes), sent_});
  return serve([this] { return window_bytes_ <= kWindowBytes; });
}

Status ImportStream::finish() {
  return serve([this] { return window_.empty(); });
}

// Serves the socket once, then until the condition holds.
Status ImportStream::serve(const std::function<bool()>& is_done) {
  while (true) {
    if (wire_ == nullptr && !is_connecting_ && clock_.steady() >= retry_at_) connect();
    pump();
    if (is_done()) {
      io_.poll();
    } else {
      io_.run_one_for(kLook);
    }
    if (failure_) return *failure_;
    if (is_done()) return Status::ok();
    if (stop_.stop_requested()) return Error{ErrorCode::kUnavailable, "interrupted"};
    if (clock_.steady() - progress_at_ > options_.patience)
      return Error{ErrorCode::kUnavailable,
                   options_.server.text() + ": " + (away_.empty() ? "no acknowledgment in time" : away_)};
  }
}

void ImportStream::connect() {
  is_connecting_ = true;
  const uint64_t attempt = ++attempt_;
  retry_at_ = clock_.steady() + kRetry;
  lookup_ = names_.start(options_.server.host, std::to_string(options_.server.port),
                         [this, attempt](const Result<NameLookups::Addresses>& found) {
                           if (attempt != attempt_) return;
                           if (!found) return drop(found.error().message);
                           asio::async_connect(
                               connecting_, *found,
                               [this, attempt](const Fault& why, const asio::ip::tcp::endpoint&) {
                                 if (attempt != attempt_) return;
                                 if (why) return drop(why.message());
                                 Fault ignored;
                                 connecting_.non_blocking(true, ignored);
                                 connecting_.set_option(asio::ip::tcp::no_delay(true), ignored);
                                 wire_ = std::make_shared<Wire>(
                                     std::exchange(connecting_, asio::ip::tcp::socket(io_)), options_.tls);
                                 greet(wire_);
                               });
                         });
}

void ImportStream::greet(const std::shared_ptr<Wire>& wire) {
  const std::string& name = options_.tls_name.empty() ? options_.server.host : options_.tls_name;
  wire->connect(name, [this, wire](const Fault& fault) {
    if (wire != wire_) return;
    is_connecting_ = false;
    if (fault) return drop("TLS: " + fault.message());
    auto hello = std::make_shared<std::string>();
    append_frame(*hello, HelloFrame{.id = options_.id,
                                    .secret = options_.secret,
                                    .acknowledged = acknowledged_,
                                    .clock = clock_.wall(),
                                    .host = options_.host,
                                    .agent_version = "statmill " STATMILL_VERSION,
                                    .token = options_.token});
    is_writing_ = true;
    wire->write(*hello, [this, wire, hello](const Fault& why) {
      if (wire != wire_) return;
      is_writing_ = false;
      if (why) drop(why.message());
    });
    read(wire);
  });
}

void ImportStream::read(const std::shared_ptr<Wire>& wire) {
  wire->read(read_buffer_, [this, wire](const Fault& fault, std::string_view bytes) {
    if (wire != wire_) return;
    if (fault) return drop(fault.message());
    receive(bytes);
    if (wire == wire_) read(wire);
  });
}

void ImportStream::pump() {
  if (!is_welcome_ || is_writing_ || written_ == window_.size()) return;
  is_writing_ = true;
  auto bytes = window_[written_++].bytes;
  wire_->write(*bytes, [this, wire = wire_, bytes](const Fault& fault) {
    if (wire != wire_) return;
    is_writing_ = false;
    if (fault) return drop(fault.message());
    pump();
  });
}

void ImportStream::drop(std::string why) {
  ++attempt_;
  away_ = std::move(why);
  Fault ignored;
  lookup_.reset();
  connecting_.close(ignored);
  if (wire_ != nullptr) wire_->close();
  wire_.reset();
  is_connecting_ = is_welcome_ = is_writing_ = false;
  unread_.clear();
}

void ImportStream::receive(std::string_view bytes) {
  unread_.append(bytes);
  while (true) {
    const FrameRead frame = read_frame(unread_);
    if (frame.state == FrameRead::State::kIncomplete) return;
    if (frame.state == FrameRead::State::kDamaged)
      return drop("it sent a damaged frame; is this the port of the agent stream?");
    handle(frame);
    if (wire_ == nullptr) return;
    unread_.erase(0, frame.bytes);
  }
}

void ImportStream::handle(const FrameRead& frame) {
  if (frame.type == FrameType::kWelcome && !is_welcome_) {
    if (const auto welcome = decode_welcome(frame.payload)) return handle_welcome(*welcome);
  } else if (frame.type == FrameType::kAck && is_welcome_) {
    if (const auto ack = decode_ack(frame.payload)) return handle_ack(*ack);
  } else if (frame.type == FrameType::kRefuse) {
    if (const auto refusal = decode_refuse(frame.payload)) return handle_refusal(*refusal);
  }
  drop("it sent a frame that does not belong here");
}

void ImportStream::handle_welcome(const WelcomeFrame& welcome) {
  const AgentPosition& durable = welcome.position;
  if (durable.epoch != 1 || welcome.ahead) {
    failure_ = Error{ErrorCode::kInvalid, "the server has other batches of this import's id"};
    return;
  }
  if (is_open_ && durable.seq < acknowledged_.seq) {
    failure_ = Error{ErrorCode::kCorrupt, "the server has lost batches that it had acknowledged"};
    return;
  }
  if (is_open_ && durable.seq > sent_.seq) {
    failure_ = Error{ErrorCode::kInvalid, "another import with the same state file runs"};
    return;
  }
  if (is_open_) ++reconnects_;
  forget_up_to(durable.seq);
  acknowledged_ = durable;
  if (!is_open_) sent_ = durable;
  is_open_ = is_welcome_ = true;
  written_ = 0;
  lines_refused_ = welcome.lines_refused;
  progress_at_ = clock_.steady();
  away_.clear();
}

void ImportStream::handle_ack(const AckFrame& ack) {
  if (ack.seq < acknowledged_.seq || ack.seq > sent_.seq) return drop("it acknowledges what was not sent");
  forget_up_to(ack.seq);
  lines_refused_ = ack.lines_refused;
  progress_at_ = clock_.steady();
}

void ImportStream::handle_refusal(const RefuseFrame& refusal) {
  std::string why = "the server refuses the import: " + std::string(refusal.text) + " (" +
                    std::string(refuse_reason_text(refusal.reason)) + ")";
  if (!is_temporary(refusal.reason)) failure_ = Error{ErrorCode::kInvalid, why};
  drop(std::move(why));
}

void ImportStream::forget_up_to(uint64_t seq) {
  while (!window_.empty() && window_.front().end.seq <= seq) {
    acknowledged_ = window_.front().end;
    window_bytes_ -= window_.front().bytes->size();
    window_.pop_front();
    if (written_ > 0) --written_;
  }
}

}  // namespace statmill
