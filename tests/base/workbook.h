// Workbooks (.xlsx) written part by part, for the tests of what reads them.
#pragma once

#include <gtest/gtest.h>
#include <minizip/zip.h>

#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Name in the archive and content.
using WorkbookPart = std::pair<std::string, std::string>;

inline void write_parts(const std::string& path, const std::vector<WorkbookPart>& parts) {
  const zipFile zip = zipOpen(path.c_str(), APPEND_STATUS_CREATE);
  ASSERT_TRUE(zip);
  for (const auto& [name, text] : parts) {
    ASSERT_EQ(zipOpenNewFileInZip(zip, name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED, 6),
              ZIP_OK);
    ASSERT_EQ(zipWriteInFileInZip(zip, text.data(), static_cast<unsigned>(text.size())), ZIP_OK);
    zipCloseFileInZip(zip);
  }
  zipClose(zip, nullptr);
}

}  // namespace trainyard
