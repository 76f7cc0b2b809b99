// Counties, interfaces and loads.
#include <fmt/core.h>

#include <algorithm>

#include "facility/geo.h"
#include "siting/grid_import/tables.h"

namespace trainyard::grid_import {
namespace {

/// A county's name without what EIA and the Census write differently: "St. Louis city" and "Saint Louis
/// City".
std::string plain_county(std::string_view name) {
  std::string text;
  for (const char c : name) text += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const std::string_view ending : {" county", " parish", " planning region"})
    if (text.ends_with(ending)) text.erase(text.size() - ending.size());
  if (text.starts_with("saint ")) text.replace(0, 6, "st ");
  const auto tilde = text.find("\xC3\xB1");  // Doña Ana
  if (tilde != std::string::npos) text.replace(tilde, 2, "n");
  std::erase_if(text, [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')); });
  return text;
}

/// Finds the county of a plant.
class CountyIndex {
 public:
  explicit CountyIndex(const std::vector<ImportedNode>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      by_name_[nodes[i].state + " " + plain_county(nodes[i].name)] = i;
      places_[nodes[i].state].add(nodes[i].at);
      indices_[nodes[i].state].push_back(i);
    }
  }

  std::optional<std::size_t> named(const std::string& state, const std::string& name) const {
    const std::string key = state + " " + plain_county(name);
    for (const std::string& form : {key, key + "city"}) {  // Virginia's cities are counties of their own
      const auto found = by_name_.find(form);
      if (found != by_name_.end()) return found->second;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> nearest(const std::string& state, const GeoPoint& at) const {
    const auto places = places_.find(state);
    if (places == places_.end()) return std::nullopt;
    return indices_.at(state)[*places->second.to(at)];
  }

 private:
  std::map<std::string, std::size_t> by_name_;
  std::map<std::string, NearestPlace> places_;
  std::map<std::string, std::vector<std::size_t>> indices_;
};

/// What the plants of a county say of it, weighed by their capacity.
struct CountyVotes {
  std::map<std::string, double> authorities;
  std::map<std::string, double> serving;  // of them, those that serve load
  std::map<std::string, double> interconnections;
};

std::string winner(const std::map<std::string, double>& votes) {
  const auto most = std::max_element(votes.begin(), votes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? "" : most->first;
}

/// An authority that only generates has no demand to share.
bool serves_load(const GridTables& grid, const std::string& code) {
  const auto found = grid.authorities.find(code);
  const bool hours_known = !grid.demand_window.empty();
  return found != grid.authorities.end() &&
         (!hours_known || (found->second.hourly && found->second.hourly->peak_demand_mw));
}

/// Nodes whose authority serves load, by interconnection and all together.
class ServedNodes {
 public:
  explicit ServedNodes(const std::vector<ImportedNode>& nodes) : nodes_(nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].authority.empty()) continue;
      for (const std::string& group : {nodes[i].interconnection, kAll}) {
        places_[group].add(nodes[i].at);
        indices_[group].push_back(i);
      }
    }
  }

  /// The nearest node of the same interconnection, or of any where the node's is not known.
  std::optional<ImportedNode> like(const ImportedNode& node) const {
    const std::string& group = node.interconnection.empty() ? kAll : node.interconnection;
    const auto places = places_.find(group);
    if (places == places_.end()) return std::nullopt;
    return nodes_[indices_.at(group)[*places->second.to(node.at)]];
  }

 private:
  inline static const std::string kAll = "all";
  const std::vector<ImportedNode> nodes_;  // as they were: the caller changes them
  std::map<std::string, NearestPlace> places_;
  std::map<std::string, std::vector<std::size_t>> indices_;
};

void elect(GridTables& grid, const std::vector<CountyVotes>& votes, Journal& journal) {
  for (std::size_t i = 0; i < grid.nodes.size(); ++i) {
    grid.nodes[i].authority = winner(votes[i].serving);
    grid.nodes[i].interconnection = winner(votes[i].interconnections);
  }
  const ServedNodes served(grid.nodes);
  for (std::size_t i = 0; i < grid.nodes.size(); ++i) {
    ImportedNode& node = grid.nodes[i];
    if (!node.authority.empty()) continue;
    const auto like = served.like(node);
    node.authority = like ? like->authority : winner(votes[i].authorities);
    if (!like) continue;
    if (node.interconnection.empty()) node.interconnection = like->interconnection;
    journal.note("counties whose authority is that of the nearest county with plants of one that serves load",
                 node.id + " " + node.name + ", " + node.state);
  }
}

}  // namespace

void join_counties(GridTables& grid, const std::vector<County>& counties,
                   const std::map<std::string, std::string>& county_names, Journal& journal) {
  for (const County& county : counties)
    grid.nodes.push_back({county.fips, county.name, county.state, county.at, std::nullopt, 0, 0, 0, 0,
                          std::nullopt, "", "", ""});
  const CountyIndex index(grid.nodes);
  std::vector<CountyVotes> votes(grid.nodes.size());
  for (ImportedPlant& plant : grid.plants) {
    const std::string& name = county_names.at(plant.id);
    auto at = index.named(plant.state, name);
    if (!at) {
      at = index.nearest(plant.state, plant.at);
      journal.note("plants put into the nearest county of their state: the gazetteer has none of that name",
                   fmt::format("plant {}, '{}', {}", plant.id, name, plant.state));
    }
    if (!at) continue;
    ImportedNode& node = grid.nodes[*at];
    plant.county_fips = node.id;
    node.generation_mw += plant.capacity.total_mw();
    if (plant.grid_kv) node.max_kv = std::max(node.max_kv.value_or(0), *plant.grid_kv);
    const auto authority = grid.authorities.find(plant.authority);
    if (authority == grid.authorities.end()) continue;
    votes[*at].interconnections[authority->second.interconnection] += plant.capacity.total_mw();
    votes[*at].authorities[plant.authority] += plant.capacity.total_mw();
    if (serves_load(grid, plant.authority)) votes[*at].serving[plant.authority] += plant.capacity.total_mw();
  }
  elect(grid, votes, journal);
}

void join_interfaces(GridTables& grid, std::vector<Interface> interfaces, Journal& journal) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < grid.nodes.size(); ++i) index[grid.nodes[i].id] = i;
  for (Interface& line : interfaces) {
    const auto from = index.find(line.from);
    const auto to = index.find(line.to);
    if (from == index.end() || to == index.end()) {
      journal.bad_row(
          line.place,
          fmt::format("county {} is not in the gazetteer", from == index.end() ? line.from : line.to),
          "Connecticut's counties became planning regions in 2022 and the interfaces use these: take a "
          "gazetteer of 2022 or later");
      continue;
    }
    const auto flow = [&](ImportedNode& out, ImportedNode& in, double mw) {
      out.export_mw += mw;
      in.import_mw += mw;
      in.largest_import_mw = std::max(in.largest_import_mw, mw);
    };
    flow(grid.nodes[from->second], grid.nodes[to->second], line.forward_mw);
    flow(grid.nodes[to->second], grid.nodes[from->second], line.reverse_mw);
    grid.lines.push_back(std::move(line));
  }
}

void share_demand(GridTables& grid, const std::map<std::string, double>& population, Journal& journal) {
  std::map<std::string, double> people;
  for (const ImportedNode& node : grid.nodes) {
    const auto found = population.find(node.id);
    if (found == population.end())
      journal.note("counties without population", node.id + " " + node.name + ", " + node.state);
    else
      people[node.authority] += found->second;
  }
  std::map<std::string, bool> reached;
  for (ImportedNode& node : grid.nodes) {
    const auto found = population.find(node.id);
    const auto authority = grid.authorities.find(node.authority);
    if (found == population.end() || authority == grid.authorities.end() || !authority->second.hourly)
      continue;
    const auto peak = authority->second.hourly->peak_demand_mw;
    if (!peak || people[node.authority] <= 0) continue;
    node.peak_load_mw = *peak * found->second / people[node.authority];
    reached[node.authority] = true;
  }
  for (const auto& [code, authority] : grid.authorities)
    if (authority.hourly && authority.hourly->peak_demand_mw && !reached[code])
      journal.note("authorities whose demand no county carries: none has them as its largest",
                   fmt::format("{}, {:.0f} MW", code, *authority.hourly->peak_demand_mw));
}

}  // namespace trainyard::grid_import
