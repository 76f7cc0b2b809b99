#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/counted.h"
#include "parallel/parallel.h"
#include "parallel/stages.h"
#include "report/drawing/elided.h"
#include "report/drawing/svg.h"
#include "scenario/stage_deal.h"
#include "trainyard/plan.h"
#include "trainyard/report/plan.h"

namespace trainyard {
namespace {

constexpr double kBoxWidth = 132;
constexpr double kBoxHeight = 66;
constexpr double kGap = 14;
constexpr double kLeft = 106;
constexpr double kTop = 74;
constexpr double kTitleSize = 15;
constexpr double kSiteSize = 12.5;
constexpr double kNoteSize = 11;

std::string layers_text(const MappingPlan& m, std::int64_t stage, const ModelShape& shape) {
  const StageDeal deal(shape, stage_cut(m));
  const std::int64_t first = deal.before(stage) + 1;
  const std::int64_t last = deal.before(stage) + deal.layers(stage);
  return first == last ? fmt::format("layer {}", first) : fmt::format("layers {}-{}", first, last);
}

/// Devices of a tensor x context group in one HB domain.
std::int64_t boxed(const MappingPlan& m) { return m.tensor * m.context / m.domains_per_group; }

std::string group_name(const MappingPlan& m) {
  std::string out = m.context > 1
                        ? fmt::format("tensor x context group of {} x {} devices", m.tensor, m.context)
                        : fmt::format("tensor-parallel group of {}", counted(m.tensor, "device"));
  if (m.domains_per_group > 1) out += fmt::format(" over {}", counted(m.domains_per_group, "domain"));
  return out;
}

/// One domain: its groups as small boxes, each in the colour of its stage.
class DomainPainter {
 public:
  DomainPainter(Svg& svg, const Plan& plan) : svg_(svg), m_(plan.mapping) {}

  void paint(double x, double y, std::int64_t first_stage) {
    svg_.rect(x, y, kBoxWidth, kBoxHeight, "class=\"frame\"", "rx=\"5\"");
    constexpr std::int64_t kMost = 8;
    const std::int64_t groups = std::min(m_.groups_per_domain, kMost);
    const double width = (kBoxWidth - 12) / static_cast<double>(groups);
    for (std::int64_t i = 0; i < groups; ++i) {
      const bool used = same_layer() ? i < m_.local_replicas : i < m_.pipeline * m_.local_replicas;
      const std::int64_t stage = same_layer() ? first_stage : (first_stage + i) % m_.pipeline;
      const double left = x + 6 + width * static_cast<double>(i);
      if (used) {
        svg_.rect_with_title(left + 1, y + 6, width - 2, kBoxHeight - 28,
                             series_colour(static_cast<std::size_t>(stage)),
                             fmt::format("stage {}: {}", stage + 1, counted(boxed(m_), "device")));
      } else {
        svg_.rect(left + 1, y + 6, width - 2, kBoxHeight - 28, "class=\"empty\"");
      }
      if (width >= 22 && used) {
        svg_.text(left + width / 2, y + 6 + (kBoxHeight - 28) / 2 + 4, std::to_string(boxed(m_)),
                  {.size = 11, .anchor = "middle", .css = "white"});
      }
    }
    svg_.text(x + kBoxWidth / 2, y + kBoxHeight - 7, caption(),
              {.size = 10.5, .anchor = "middle", .css = "soft"});
  }

 private:
  bool same_layer() const { return m_.placement == Placement::same_layer; }

  std::string caption() const {
    if (same_layer()) return fmt::format("{} of {}", counted(m_.local_replicas, "replica"), boxed(m_));
    return fmt::format("{} of {}", counted(m_.groups_per_domain, "group"), boxed(m_));
  }

  Svg& svg_;
  const MappingPlan& m_;
};

/// Rows of the drawing: stages, or under consecutive layers the domains that make up one replica.
std::int64_t row_count(const MappingPlan& m) {
  if (m.placement == Placement::same_layer) return m.pipeline;
  return std::max<std::int64_t>(1, (m.pipeline + m.groups_per_domain - 1) / m.groups_per_domain);
}

std::string site_name(const MappingPlan& m, std::int64_t site) {
  return fmt::format("datacenter {}: {} a stage", site + 1, counted(m.peer_domains, "HB domain"));
}

/// Two lines, as the narrowest pictures are no wider than one of them.
std::array<std::string, 2> notes_of(const Plan& plan) {
  const MappingPlan& m = plan.mapping;
  return {fmt::format("a coloured box: {}a {}; colour: the stage", m.domains_per_group > 1 ? "part of " : "",
                      group_name(m)),
          fmt::format("{}, {} of the model", counted(plan.facility.domains, "HB domain"),
                      counted(m.data, "replica"))};
}

double note_width(const std::array<std::string, 2>& notes) {
  return 20 + std::max(text_width(notes.front(), kNoteSize), text_width(notes.back(), kNoteSize));
}

}  // namespace

std::string placement_svg(const Plan& plan) {
  const MappingPlan& m = plan.mapping;
  const bool same_layer = m.placement == Placement::same_layer;
  const auto rows = shown(row_count(m), 5, 4);
  const auto sites = shown(m.datacenters, 2, 1);
  const auto columns = m.datacenters > 1 ? shown(m.peer_domains, 4, 3) : shown(m.peer_domains, 6, 5);
  const double site_width = std::max(static_cast<double>(columns.size()) * (kBoxWidth + kGap) + 22,
                                     1.1 * text_width(site_name(m, 0), kSiteSize) + kGap);
  const std::string title =
      same_layer ? fmt::format("Every HB domain holds {} of one stage", counted(m.local_replicas, "replica"))
                 : "An HB domain holds consecutive stages";
  const auto notes = notes_of(plan);
  const double width = std::max({kLeft + site_width * static_cast<double>(sites.size()),
                                 kLeft + 1.1 * text_width(site_name(m, 0), kSiteSize),
                                 20 + 1.1 * text_width(title, kTitleSize), note_width(notes)});
  const double height = kTop + static_cast<double>(rows.size()) * (kBoxHeight + kGap) + 48;
  Svg svg(width, height, "Placement of pipeline stages in HB domains");
  svg.text(10, 24, title, {.size = kTitleSize, .bold = true});
  DomainPainter painter(svg, plan);
  for (std::size_t s = 0; s < sites.size(); ++s) {
    const double site_x = kLeft + site_width * static_cast<double>(s);
    svg.text(site_x, 50, sites[s] == kElided ? "..." : site_name(m, sites[s]),
             {.size = kSiteSize, .bold = true});
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double y = kTop + static_cast<double>(r) * (kBoxHeight + kGap);
      if (s == 0 && rows[r] != kElided) {
        svg.text(kLeft - 10, y + 28,
                 same_layer ? fmt::format("stage {}", rows[r] + 1) : fmt::format("domain {}", rows[r] + 1),
                 {.size = 12, .anchor = "end", .bold = true});
        if (same_layer)
          svg.text(kLeft - 10, y + 44, layers_text(m, rows[r], plan.model.shape),
                   {.size = 11, .anchor = "end", .css = "soft"});
      }
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const double x = site_x + static_cast<double>(c) * (kBoxWidth + kGap);
        if (rows[r] == kElided || columns[c] == kElided || sites[s] == kElided) {
          svg.text(x + kBoxWidth / 2, y + kBoxHeight / 2,
                   rows[r] == kElided ? "\xE2\x8B\xAE" : "\xE2\x8B\xAF",
                   {.size = 22, .anchor = "middle", .css = "soft"});
        } else {
          painter.paint(x, y, same_layer ? rows[r] : rows[r] * m.groups_per_domain);
        }
      }
    }
  }
  svg.text(10, height - 26, notes.front(), {.size = kNoteSize, .css = "soft"});
  svg.text(10, height - 10, notes.back(), {.size = kNoteSize, .css = "soft"});
  return std::move(svg).finish();
}

}  // namespace trainyard
