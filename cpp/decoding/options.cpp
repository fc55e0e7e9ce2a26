#include "decoding/options.hpp"

#include "base/error.hpp"

namespace tunesmith {
namespace {

void check_range(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most)
    throw Error(std::string(name) + " must be between " + std::to_string(least) + " and " + std::to_string(most) +
                ", got " + std::to_string(value));
}

}  // namespace

void DecoderOptions::complete(std::span<const SearchSetting> settings, std::string_view search) {
  check_range("pop_limit", pop_limit, 1, largest_pop_limit);
  if (timeout && !(*timeout > 0)) throw Error("timeout must be more than 0 seconds");
  for (const auto& [name, value] : own)
    if (std::ranges::find(settings, name, &SearchSetting::name) == settings.end())
      throw Error(std::string(search) + " search has no setting " + name);
  for (const SearchSetting& setting : settings) {
    const std::int64_t value = own.try_emplace(std::string(setting.name), setting.usual).first->second;
    check_range(setting.name, value, setting.least, setting.most);
  }
}

}  // namespace tunesmith
