#include "siting/grid_files.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "facility/fuels.h"
#include "facility/geo.h"
#include "siting/grid_small_files.h"
#include "siting/grid_table.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

// Bounds that catch kW in place of MW: the largest plant of the world has 22,500 MW.
constexpr double kMostPlant_mw = 1e5;
constexpr double kMostOther_mw = 1e7;
constexpr double kMostCarbon = 1e5;
constexpr std::uintmax_t kLargestFile_bytes = 256U << 20U;

const std::vector<std::string>& line_kinds() {
  static const std::vector<std::string> names = {"AC", "LCC", "VSC", "B2B"};
  return names;
}

/// In the order of SpareFigure.
const std::vector<std::string>& spare_figures() {
  static const std::vector<std::string> names = {"published", "hours"};
  return names;
}

double latitude(const GridCell& cell) { return cell.number(-90, 90, "degrees north"); }
double longitude(const GridCell& cell) { return cell.number(-180, 180, "degrees east"); }
Megawatts plant_power(const GridCell& cell) { return Megawatts(cell.number(0, kMostPlant_mw, "MW")); }
Megawatts other_power(const GridCell& cell) { return Megawatts(cell.number(0, kMostOther_mw, "MW")); }
Kilovolts voltage(const GridCell& cell) { return Kilovolts(cell.number(0, 2000, "kV")); }
KilogramsPerMegawattHour carbon(const GridCell& cell) {
  return KilogramsPerMegawattHour(cell.number(0, kMostCarbon, "kg/MWh"));
}

/// A reader that keeps the text in a member.
template <class R, class B>
std::function<void(R&, const GridCell&)> text_into(std::string B::*member) {
  return [member](R& row, const GridCell& cell) { row.*member = cell.words(); };
}

/// A reader that keeps a checked number in a member.
template <class R, class B, class N, class Q>
std::function<void(R&, const GridCell&)> number_into(N B::*member, Q (*read)(const GridCell&)) {
  return [member, read](R& row, const GridCell& cell) { row.*member = read(cell); };
}

/// Rows as they stand, before names become indices.
struct PlantRow : GridPlant {
  std::optional<Megawatts> given_firm;
  std::optional<Megawatts> given_coal;
  std::string authority_code;
  std::string node_id;
  GridCell node_cell;
};
struct LineRow : GridLine {
  std::string from_id;
  std::string to_id;
  GridCell from_cell;
  GridCell to_cell;
  std::optional<Megawatts> given_reverse;
  std::optional<Kilometres> given_length;
};

const std::vector<GridField<PlantRow>>& plant_fields() {
  using P = PlantRow;
  static const std::vector<GridField<P>> fields = {
      {"plant_id", true, "name of the plant, once in the file", text_into<P>(&P::id)},
      {"name", true, "what people call it", text_into<P>(&P::name)},
      {"state", false, "state, code or name", text_into<P>(&P::state)},
      {"lat_deg", true, "latitude", [](P& p, const GridCell& c) { p.at.lat_deg = latitude(c); }},
      {"lon_deg", true, "longitude", [](P& p, const GridCell& c) { p.at.lon_deg = longitude(c); }},
      {"capacity_mw", true, "net summer capacity", number_into<P>(&P::capacity, plant_power)},
      {"nameplate_mw", false, "nameplate capacity", number_into<P>(&P::nameplate, plant_power)},
      {"firm_mw", false, "capacity less wind, solar and batteries (empty: all or none, by the fuel)",
       number_into<P>(&P::given_firm, plant_power)},
      {"coal_mw", false, "part of the capacity that burns coal (empty: all or none, by the fuel)",
       number_into<P>(&P::given_coal, plant_power)},
      {"largest_unit_mw", false, "its largest generator, for site.reserve = \"unit\"",
       number_into<P>(&P::largest_unit, plant_power)},
      {"primary_fuel", true,
       "battery, biomass, coal, gas, geothermal, hydro, nuclear, oil, other, pumped, solar or wind",
       [](P& p, const GridCell& c) { p.fuel = static_cast<Fuel>(c.choice(fuel_names())); }},
      {"ba_code", false, "its balancing authority", text_into<P>(&P::authority_code)},
      {"ba_source", false, "where that comes from; not read", nullptr},
      {"grid_kv", false, "highest voltage at which it joins the grid",
       number_into<P>(&P::grid_voltage, voltage)},
      {"county_fips", false, "node_id where it feeds in (empty: the nearest)",
       [](P& p, const GridCell& c) {
         p.node_id = c.words();
         p.node_cell = c;
       }},
      {"source", false, "where the row comes from", text_into<P>(&P::source)},
  };
  return fields;
}

const std::vector<GridField<GridNode>>& node_fields() {
  using N = GridNode;
  static const std::vector<GridField<N>> fields = {
      {"node_id", true, "name of the node, once in the file; text, leading zeros count",
       text_into<N>(&N::id)},
      {"name", false, "what people call it", text_into<N>(&N::name)},
      {"state", false, "code of states.csv", text_into<N>(&N::state)},
      {"lat_deg", true, "latitude", [](N& n, const GridCell& c) { n.at.lat_deg = latitude(c); }},
      {"lon_deg", true, "longitude", [](N& n, const GridCell& c) { n.at.lon_deg = longitude(c); }},
      {"max_kv", false, "highest voltage", number_into<N>(&N::highest_voltage, voltage)},
      {"import_mw", false, "sum of its lines' limits; counted from lines.csv", nullptr},
      {"import_n1_mw", false, "the same less the largest; counted from lines.csv", nullptr},
      {"export_mw", false, "sum of its lines' limits outwards; counted from lines.csv", nullptr},
      {"generation_mw", false, "capacity of its plants; counted from plants.csv", nullptr},
      {"peak_load_est_mw", false, "load at the peak (empty: 0)", number_into<N>(&N::peak_load, other_power)},
      {"population_2017", false, "people; not read", nullptr},
      {"ba_group", false, "authority or group of them, where a place has no plants",
       text_into<N>(&N::authority_group)},
      {"eia_region", false, "region; not read", nullptr},
      {"interconnection", false, "synchronous area: AC lines between two areas carry nothing",
       text_into<N>(&N::interconnection)},
      {"source", false, "where the row comes from", text_into<N>(&N::source)},
  };
  return fields;
}

const std::vector<GridField<LineRow>>& line_fields() {
  using L = LineRow;
  static const std::vector<GridField<L>> fields = {
      {"from_node", true, "node_id of one end",
       [](L& l, const GridCell& c) {
         l.from_id = c.words();
         l.from_cell = c;
       }},
      {"to_node", true, "node_id of the other",
       [](L& l, const GridCell& c) {
         l.to_id = c.words();
         l.to_cell = c;
       }},
      {"kind", false, "AC, LCC or VSC (HVDC), B2B (back to back); empty: AC",
       [](L& l, const GridCell& c) { l.kind = line_kinds()[c.choice(line_kinds())]; }},
      {"kv", false, "voltage", number_into<L>(&L::voltage, voltage)},
      {"capacity_fwd_mw", true, "limit from from_node to to_node", number_into<L>(&L::forward, other_power)},
      {"capacity_rev_mw", false, "limit the other way (empty: the same)",
       number_into<L>(&L::given_reverse, other_power)},
      {"km", false, "length (empty: great circle)",
       [](L& l, const GridCell& c) { l.given_length = Kilometres(c.number(0, 25000, "km")); }},
      {"name", false, "what people call it", text_into<L>(&L::name)},
      {"source", false, "where the row comes from", text_into<L>(&L::source)},
  };
  return fields;
}

const std::vector<GridField<Authority>>& authority_fields() {
  using A = Authority;
  static const std::vector<GridField<A>> fields = {
      {"code", true, "name of the authority in the other files, once in the file", text_into<A>(&A::code)},
      {"name", false, "what people call it", text_into<A>(&A::name)},
      {"interconnection", false, "synchronous area", text_into<A>(&A::interconnection)},
      {"peak_demand_mw", false, "highest hourly demand", number_into<A>(&A::peak_demand, other_power)},
      {"peak_demand_utc", false, "its hour", text_into<A>(&A::peak_demand_utc)},
      {"peak_source", false, "raw or cleaned; not read", nullptr},
      {"mean_demand_mw", false, "not read", nullptr},
      {"raw_peak_demand_mw", false, "as reported, errors included; not read", nullptr},
      {"installed_mw", false, "capacity (empty: counted from plants.csv)",
       number_into<A>(&A::installed, other_power)},
      {"firm_mw", false, "capacity less wind, solar and batteries (empty: counted)",
       number_into<A>(&A::firm, other_power)},
      {"coal_mw", false, "not read", nullptr},
      {"installed_minus_peak_mw", false, "counted", nullptr},
      {"firm_minus_peak_mw", false, "counted", nullptr},
      {"paper_available_mw", false, "spare power as published", number_into<A>(&A::published, other_power)},
      {"paper_available_from", false, "published, or hours: computed on import (empty: published)",
       [](A& a, const GridCell& c) {
         a.published_from = static_cast<SpareFigure>(c.choice(spare_figures()));
       }},
      {"implied_max_generation_mw", false, "counted", nullptr},
      {"co2_kg_per_mwh", false, "carbon intensity of generation", number_into<A>(&A::co2, carbon)},
      {"demand_window", false, "not read", nullptr},
      {"capacity_period", false, "not read", nullptr},
      {"source", false, "where the row comes from", text_into<A>(&A::source)},
  };
  return fields;
}

const std::vector<GridField<GridState>>& state_fields() {
  using S = GridState;
  static const std::vector<GridField<S>> fields = {
      {"state", true, "code, once in the file", text_into<S>(&S::code)},
      {"name", false, "name", text_into<S>(&S::name)},
      {"industrial_price_usd_per_mwh", false, "price of energy for industry",
       [](S& s, const GridCell& c) { s.price = UsdPerMegawattHour(c.number(0, kMostCarbon, "USD/MWh")); }},
      {"price_year", false, "its year", text_into<S>(&S::price_year)},
      {"co2_kg_per_mwh", false, "carbon intensity of generation", number_into<S>(&S::co2, carbon)},
      {"co2_year", false, "not read", nullptr},
      {"source", false, "where the row comes from", text_into<S>(&S::source)},
  };
  return fields;
}

const std::vector<GridField<GridCity>>& city_fields() {
  using C = GridCity;
  static const std::vector<GridField<C>> fields = {
      {"name", true, "name of the place", text_into<C>(&C::name)},
      {"country", false, "its country", text_into<C>(&C::country)},
      {"admin", false, "state or province; not read", nullptr},
      {"lat_deg", true, "latitude", [](C& p, const GridCell& c) { p.at.lat_deg = latitude(c); }},
      {"lon_deg", true, "longitude", [](C& p, const GridCell& c) { p.at.lon_deg = longitude(c); }},
      {"population", false, "people",
       [](C& p, const GridCell& c) { p.population = c.number(0, 1e9, "people"); }},
      {"source", false, "where the row comes from; not read", nullptr},
  };
  return fields;
}

struct FileKind {
  const char* name;
  bool required;
};
constexpr FileKind kFiles[] = {{"plants.csv", true},  {"substations.csv", true},
                               {"lines.csv", true},   {"balancing_authorities.csv", true},
                               {"states.csv", false}, {"cities.csv", false}};

/// Joins the files of a grid.
class GridReader {
 public:
  GridReader(const std::string& name, const GridTexts& texts) : texts_(texts) { out_.name = name; }

  Grid read() {
    for (const FileKind& file : kFiles) {
      if (file.required && !texts_.contains(file.name))
        findings_.add(whole(out_.name), fmt::format("the grid has no {}", file.name),
                      "docs/siting.md describes the files of a grid");
    }
    findings_.throw_if_any();
    read_states();
    read_cities();
    read_authorities();
    read_nodes();
    findings_.throw_if_any();
    read_plants();
    read_lines();
    findings_.throw_if_any();
    return std::move(out_);
  }

 private:
  using Names = std::unordered_map<std::string, std::uint32_t>;

  std::shared_ptr<const SourceText> text(const char* file) const {
    const auto found = texts_.find(file);
    return found == texts_.end() ? nullptr : found->second;
  }

  /// Keeps a row under its name; a name that stands twice is a finding.
  template <class R>
  void keep(std::vector<R>& rows, Names& names, const std::string& name, R row, const GridCell& cell) {
    const auto [at, fresh] = names.emplace(name, static_cast<std::uint32_t>(rows.size()));
    if (!fresh && !name.empty()) return cell.complain(fmt::format("'{}' stands twice", name), "once each");
    rows.push_back(std::move(row));
  }

  template <class R>
  void need_rows(const char* file, const std::vector<R>& rows) {
    if (rows.empty() && findings_.empty())
      findings_.add({text(file), 0, 0}, "has no rows", "a grid needs at least one");
  }

  void read_states() {
    const auto source = text("states.csv");
    if (!source) {
      out_.warnings.emplace_back("the grid has no states.csv: prices and carbon of places are unknown");
      return;
    }
    Names names;
    read_table<GridState>(source, state_fields(), findings_, [&](GridState row, const GridCell& cell) {
      const std::string code = row.code;
      keep(out_.states, names, code, std::move(row), cell);
    });
  }

  void read_cities() {
    const auto source = text("cities.csv");
    if (!source) return;
    read_table<GridCity>(source, city_fields(), findings_,
                         [&](GridCity row, const GridCell&) { out_.cities.push_back(std::move(row)); });
  }

  void read_authorities() {
    read_table<Authority>(text("balancing_authorities.csv"), authority_fields(), findings_,
                          [&](Authority row, const GridCell& cell) {
                            const std::string code = row.code;
                            keep(out_.authorities, authorities_, code, std::move(row), cell);
                          });
  }

  void read_nodes() {
    read_table<GridNode>(text("substations.csv"), node_fields(), findings_,
                         [&](GridNode row, const GridCell& cell) {
                           check_area(row, cell);
                           const std::string id = row.id;
                           keep(out_.nodes, nodes_, id, std::move(row), cell);
                         });
    need_rows("substations.csv", out_.nodes);
    for (const GridNode& node : out_.nodes) nodes_by_place_.add(node.at);
  }

  /// Only a name that is nearly one of the authorities' is wrong: an area may have none of them. "Eastern"
  /// and "Western" are nearly each other, and both are meant.
  void check_area(const GridNode& node, const GridCell& cell) {
    if (node.interconnection == "Eastern" || node.interconnection == "Western") return;
    std::vector<std::string> areas;
    for (const Authority& a : out_.authorities) {
      if (!a.interconnection.empty()) areas.push_back(a.interconnection);
    }
    const bool known = std::find(areas.begin(), areas.end(), node.interconnection) != areas.end();
    if (node.interconnection.empty() || areas.empty() || known) return;
    const std::string help = suggestion(node.interconnection, areas);
    if (!help.starts_with("did you mean")) return;
    cell.complain(fmt::format("interconnection '{}' of '{}' is none of balancing_authorities.csv",
                              node.interconnection, node.id),
                  help);
  }

  void read_plants() {
    Names names;
    read_table<PlantRow>(text("plants.csv"), plant_fields(), findings_,
                         [&](PlantRow row, const GridCell& cell) {
                           complete(row, cell);
                           const std::string id = row.id;
                           keep(out_.plants, names, id, static_cast<GridPlant&&>(std::move(row)), cell);
                         });
    need_rows("plants.csv", out_.plants);
    count_authorities();
  }

  /// Fills in what a plant's row leaves open, and joins it to its node and authority.
  void complete(PlantRow& row, const GridCell& cell) {
    row.firm = row.given_firm.value_or(is_firm(row.fuel) ? row.capacity : Megawatts());
    row.coal = row.given_coal.value_or(row.fuel == Fuel::coal ? row.capacity : Megawatts());
    constexpr Megawatts kRounding(0.11);  // of files with one decimal
    for (const auto& [part, what] : {std::pair{row.firm, "firm_mw"}, std::pair{row.coal, "coal_mw"}}) {
      if (part > row.capacity + kRounding)
        cell.complain(fmt::format("{} = {} of '{}' is more than its capacity_mw = {}", what, part.count(),
                                  row.name, row.capacity.count()));
    }
    row.node = row.node_id.empty() ? nearest_node(row.at) : node(row.node_id, row.node_cell);
    if (!row.authority_code.empty()) row.authority = authority(row.authority_code);
  }

  std::uint32_t node(const std::string& id, const GridCell& cell) {
    const auto found = nodes_.find(id);
    if (found != nodes_.end()) return found->second;
    if (!findings_.full()) {
      std::vector<std::string> ids;
      for (const GridNode& n : out_.nodes) ids.push_back(n.id);
      cell.complain(fmt::format("substations.csv has no node '{}'", id), suggestion(id, ids));
    }
    return 0;
  }

  std::uint32_t nearest_node(GeoPoint at) const {
    return static_cast<std::uint32_t>(nodes_by_place_.to(at).value_or(0));
  }

  /// An authority that balancing_authorities.csv does not list is kept by its code, with a warning.
  std::uint32_t authority(const std::string& code) {
    const auto [at, fresh] = authorities_.emplace(code, static_cast<std::uint32_t>(out_.authorities.size()));
    if (fresh) {
      Authority added;
      added.code = code;
      out_.authorities.push_back(std::move(added));
      out_.warnings.push_back(
          fmt::format("balancing_authorities.csv does not list '{}', which has plants", code));
    }
    return at->second;
  }

  void count_authorities() {
    std::vector<Megawatts> installed(out_.authorities.size());
    std::vector<Megawatts> firm(out_.authorities.size());
    for (const GridPlant& plant : out_.plants) {
      if (plant.authority == kNowhere) continue;
      installed[plant.authority] += plant.capacity;
      firm[plant.authority] += plant.firm;
    }
    for (std::size_t a = 0; a < out_.authorities.size(); ++a) {
      Authority& authority = out_.authorities[a];
      if (!authority.installed) authority.installed = installed[a];
      if (!authority.firm) authority.firm = firm[a];
    }
  }

  /// All that tells a line from another.
  static std::string words_of(const LineRow& row) {
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", row.from_id, row.to_id, row.kind,
                       row.voltage.value_or(Kilovolts()).count(), row.forward.count(), row.reverse.count(),
                       row.given_length.value_or(Kilometres(-1)).count(), row.name);
  }

  void read_lines() {
    std::unordered_map<std::string, int> seen;  // the line of the file
    read_table<LineRow>(text("lines.csv"), line_fields(), findings_, [&](LineRow row, const GridCell& cell) {
      if (row.from_id.empty() || row.to_id.empty()) return;  // a finding already
      row.from = node(row.from_id, row.from_cell);
      row.to = node(row.to_id, row.to_cell);
      if (row.from_id == row.to_id)
        return row.to_cell.complain(fmt::format("the line ends where it begins, in '{}'", row.to_id));
      if (row.kind.empty()) row.kind = "AC";
      row.reverse = row.given_reverse.value_or(row.forward);
      const auto [first, fresh] = seen.emplace(words_of(row), cell.line);
      if (!fresh)
        return cell.complain(
            fmt::format("the same line as in line {}", first->second),
            "lines beside each other: one row with the sum of their limits, or names of their own");
      row.length =
          row.given_length.value_or(Kilometres(distance_km(out_.nodes[row.from].at, out_.nodes[row.to].at)));
      out_.lines.push_back(static_cast<GridLine&&>(std::move(row)));
    });
    if (out_.lines.empty()) out_.warnings.emplace_back("lines.csv has no rows: no place has an interface");
  }

  const GridTexts& texts_;
  GridFindings findings_;
  Grid out_;
  Names nodes_;
  Names authorities_;
  NearestPlace nodes_by_place_;
};

template <class R>
void add_columns(std::vector<GridColumn>& out, const char* file, const std::vector<GridField<R>>& fields) {
  for (const auto& field : fields) out.push_back({file, field.name, field.required, field.sentence});
}

}  // namespace

std::vector<GridColumn> grid_columns() {
  std::vector<GridColumn> out;
  add_columns(out, "plants.csv", plant_fields());
  add_columns(out, "substations.csv", node_fields());
  add_columns(out, "lines.csv", line_fields());
  add_columns(out, "balancing_authorities.csv", authority_fields());
  add_columns(out, "states.csv", state_fields());
  add_columns(out, "cities.csv", city_fields());
  return out;
}

Grid parse_grid(const std::string& name, const GridTexts& texts) { return GridReader(name, texts).read(); }

Grid read_grid(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (!fs::is_directory(folder, code))
    fail_input(whole(folder), "is not a folder", "a grid is a folder of CSV files: docs/siting.md");
  GridTexts texts;
  for (const FileKind& file : kFiles) {
    const std::string path = (fs::path(folder) / file.name).string();
    // A link that leads nowhere is not the same as no file.
    if (!fs::exists(fs::symlink_status(path, code))) continue;
    if (fs::exists(path, code) && !fs::is_regular_file(path, code) && !fs::is_directory(path, code))
      fail_input(whole(path), "is a device or a pipe, not a file");
    if (fs::file_size(path, code) > kLargestFile_bytes && !code)
      fail_input(whole(path), "is larger than 256 MiB");
    texts[file.name] = std::make_shared<const SourceText>(SourceText{path, read_file(path)});
  }
  return parse_grid(folder, texts);
}

Grid shipped_grid() {
  GridTexts texts;
  for (const EmbeddedFile& file : grid_small_files()) {
    const std::string_view name = file.name.substr(file.name.rfind('/') + 1);
    texts[std::string(name)] =
        std::make_shared<const SourceText>(SourceText{std::string(file.name), std::string(file.text)});
  }
  Grid grid = parse_grid("grid-small", texts);
  grid.shipped = true;
  return grid;
}

}  // namespace trainyard
