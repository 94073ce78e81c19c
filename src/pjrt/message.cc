#include "pjrt/message.h"

#include <bit>

#include "base/status.h"
#include "pjrt/wire.h"

namespace sinter::pjrt {

absl::StatusOr<Message> Message::Read(std::string_view bytes) {
  Message m;
  WireReader reader(bytes);
  while (reader.Next()) m.fields_.push_back({reader.field(), reader.bits(), reader.bytes()});
  RETURN_IF_ERROR(reader.status());
  return m;
}

const Message::Field* Message::Last(int field) const {
  const Field* last = nullptr;
  for (const Field& f : fields_) {
    if (f.number == field) last = &f;
  }
  return last;
}

bool Message::Has(int field) const { return Last(field) != nullptr; }

int64_t Message::Integer(int field) const {
  const Field* f = Last(field);
  return f == nullptr ? 0 : static_cast<int64_t>(f->bits);
}

std::string_view Message::Text(int field) const {
  const Field* f = Last(field);
  return f == nullptr ? std::string_view() : f->bytes;
}

float Message::Float(int field) const {
  const Field* f = Last(field);
  return f == nullptr ? 0 : std::bit_cast<float>(static_cast<uint32_t>(f->bits));
}

absl::StatusOr<std::vector<int64_t>> Message::Integers(int field) const {
  std::vector<int64_t> out;
  for (const Field& f : fields_) {
    if (f.number != field) continue;
    if (f.bytes.empty()) {
      // An empty list is not written.
      out.push_back(static_cast<int64_t>(f.bits));
      continue;
    }
    std::string_view rest = f.bytes;
    while (!rest.empty()) {
      uint64_t value = 0;
      RETURN_IF_ERROR(ReadVarint(rest, value));
      out.push_back(static_cast<int64_t>(value));
    }
  }
  return out;
}

std::vector<std::string_view> Message::Texts(int field) const {
  std::vector<std::string_view> out;
  for (const Field& f : fields_) {
    if (f.number == field) out.push_back(f.bytes);
  }
  return out;
}

absl::StatusOr<std::vector<Message>> Message::All(int field) const {
  std::vector<Message> out;
  for (std::string_view bytes : Texts(field)) {
    ASSIGN_OR_RETURN(Message m, Read(bytes));
    out.push_back(std::move(m));
  }
  return out;
}

std::string Message::Fixed(int field, size_t width) const {
  std::string out;
  for (const Field& f : fields_) {
    if (f.number != field) continue;
    if (!f.bytes.empty() || width == 1) {
      out += f.bytes;
      continue;
    }
    for (size_t i = 0; i < width; ++i) out += static_cast<char>(f.bits >> (8 * i) & 0xff);
  }
  return out;
}

}  // namespace sinter::pjrt
