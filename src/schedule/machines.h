// Which devices of each HB domain are free.
#pragma once

#include <cstdint>
#include <vector>

namespace trainyard::schedule {

/// Devices of one HB domain.
struct Part {
  std::int32_t domain = 0;
  std::int32_t devices = 0;
};

/// All of a job's devices.
using Placement = std::vector<Part>;

class Machines {
 public:
  Machines(std::int64_t domains, std::int64_t domain_devices);

  /// Whether so many devices can be had at once: whole domains, and a part of one more or of one alone.
  bool fits(std::int64_t devices) const;
  void take(const Placement& placement);
  void give_back(const Placement& placement);
  /// A domain that nobody uses leaves, or comes back.
  void withdraw(std::int32_t domain);
  void restore(std::int32_t domain);

  std::int32_t domains() const { return static_cast<std::int32_t>(free_.size()); }
  std::int32_t domain_devices() const { return domain_devices_; }
  /// Of a domain in service; 0 of others.
  std::int32_t free_of(std::int32_t domain) const { return free_[static_cast<std::size_t>(domain)]; }
  bool in_service(std::int32_t domain) const { return in_service_[static_cast<std::size_t>(domain)] != 0; }
  bool partly_used(std::int32_t domain) const {
    return free_of(domain) > 0 && free_of(domain) < domain_devices_;
  }
  std::int64_t whole_free() const { return with_free_.back(); }
  std::int64_t free_devices() const { return free_devices_; }
  /// Free devices in domains that others use.
  std::int64_t fragmented_devices() const { return free_devices_ - whole_free() * domain_devices_; }

 private:
  void set_free(std::int32_t domain, std::int32_t devices);

  std::int32_t domain_devices_;
  std::vector<std::int32_t> free_;
  std::vector<std::uint8_t> in_service_;
  std::vector<std::int64_t> with_free_;  // domains in service with so many free devices
  std::int64_t free_devices_ = 0;
};

}  // namespace trainyard::schedule
