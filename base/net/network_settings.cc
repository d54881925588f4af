#include "base/net/network_settings.h"

namespace statmill {

std::vector<Setting> network_settings(const std::string& listener, const std::string& ports,
                                      NetworkLists& lists) {
  const auto add_to = [](std::vector<Network>& networks) {
    return [&networks](const std::string& text) -> Status {
      const Result<Network> network = Network::parse(text);
      if (!network) return network.error();
      networks.push_back(*network);
      return Status::ok();
    };
  };
  return {{listener + ".allow", "NET", "",
           "address or network, such as 10.0.0.0/8, that may use " + ports + "; may be repeated; none: all",
           add_to(lists.allow), true},
          {listener + ".deny", "NET", "",
           "address or network that may not, whatever --" + listener + ".allow says; may be repeated",
           add_to(lists.deny), true}};
}

}  // namespace statmill
