#include "schedule/machines.h"

#include "base/errors.h"

namespace trainyard::schedule {

Machines::Machines(std::int64_t domains, std::int64_t domain_devices)
    : domain_devices_(static_cast<std::int32_t>(domain_devices)),
      free_(static_cast<std::size_t>(domains), domain_devices_),
      in_service_(static_cast<std::size_t>(domains), 1),
      with_free_(static_cast<std::size_t>(domain_devices) + 1, 0),
      free_devices_(domains * domain_devices) {
  with_free_.back() = domains;
}

bool Machines::fits(std::int64_t devices) const {
  const std::int64_t whole = devices / domain_devices_;
  const std::int64_t rest = devices % domain_devices_;
  if (whole_free() < whole) return false;
  if (rest == 0 || whole_free() > whole) return true;
  for (std::int64_t free = rest; free < domain_devices_; ++free)
    if (with_free_[static_cast<std::size_t>(free)] > 0) return true;
  return false;
}

void Machines::set_free(std::int32_t domain, std::int32_t devices) {
  std::int32_t& free = free_[static_cast<std::size_t>(domain)];
  --with_free_[static_cast<std::size_t>(free)];
  free_devices_ += devices - free;
  free = devices;
  ++with_free_[static_cast<std::size_t>(free)];
}

void Machines::take(const Placement& placement) {
  for (const Part& part : placement) {
    TY_ASSERT(in_service(part.domain) && free_of(part.domain) >= part.devices, "a job takes devices");
    set_free(part.domain, free_of(part.domain) - part.devices);
  }
}

void Machines::give_back(const Placement& placement) {
  for (const Part& part : placement) set_free(part.domain, free_of(part.domain) + part.devices);
}

void Machines::withdraw(std::int32_t domain) {
  TY_ASSERT(in_service(domain) && free_of(domain) == domain_devices_, "a domain leaves");
  set_free(domain, 0);
  --with_free_.front();
  in_service_[static_cast<std::size_t>(domain)] = 0;
}

void Machines::restore(std::int32_t domain) {
  TY_ASSERT(!in_service(domain), "a domain comes back");
  in_service_[static_cast<std::size_t>(domain)] = 1;
  ++with_free_.front();
  set_free(domain, domain_devices_);
}

}  // namespace trainyard::schedule
