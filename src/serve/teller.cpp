#include "serve/teller.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "serve/json_text.h"
#include "trainyard/errors.h"
#include "trainyard/free_setting.h"

namespace trainyard::serving {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string quoted(const std::string& text) { return dumped(text); }

void Teller::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t done = ::write(to_, text.data(), text.size());
    if (done < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "answer");
    if (done > 0) text.remove_prefix(static_cast<std::size_t>(done));
  }
}

void Teller::progress(double done, double all, const std::string& text) {
  constexpr std::chrono::milliseconds kPause{200};
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < kPause) return;
  told_ = now;
  write(dumped({{"progress", {{"done", done}, {"all", all}, {"text", text}}}}) + "\n");
}

void Teller::page(const std::string& html) { write("{\"page\":" + quoted(html) + "}\n"); }

void Teller::line(std::string_view name, std::string json) const {
  std::replace(json.begin(), json.end(), '\n', ' ');
  write("{\"" + std::string(name) + "\":" + json + "}\n");
}

void Teller::result(std::string json) { line("result", std::move(json)); }

void Teller::draft(std::string json) {
  line("draft", std::move(json));
  constexpr int kYielding = 10;
  setpriority(PRIO_PROCESS, 0, kYielding);
}

void Teller::findings(const std::vector<Finding>& findings) {
  Json out = Json::array();
  for (const Finding& finding : findings) {
    out.push_back({{"file", finding.where.source ? finding.where.source->name : ""},
                   {"line", finding.where.line},
                   {"column", finding.where.column},
                   {"message", finding.message},
                   {"help", finding.help}});
  }
  write(dumped({{"findings", out}}) + "\n");
}

void Teller::left_free(const std::vector<FreeSetting>& settings) {
  Json out = Json::array();
  for (const FreeSetting& setting : settings) {
    out.push_back({{"key", setting.key},
                   {"values", setting.values.size()},
                   {"line", setting.where.line},
                   {"column", setting.where.column}});
  }
  write(dumped({{"free", out}}) + "\n");
}

void Teller::infeasible(const Infeasible& answer) {
  write(dumped({{"infeasible",
                 {{"constraint", answer.constraint},
                  {"shortfall", answer.shortfall},
                  {"remedy", answer.remedy}}}}) +
        "\n");
}

void Teller::failed(const std::string& why) { write(failed_line(why)); }

std::string failed_line(const std::string& why) { return dumped({{"failed", why}}) + "\n"; }

}  // namespace trainyard::serving
