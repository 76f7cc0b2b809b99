// import-grid: public power-grid data into a grid folder.
#include "cli/commands.h"
#include "report/text/grid_import.h"

namespace trainyard {

std::string run_grid_import(const GridImportOptions& options) {
  const GridImport grid = import_grid(options.originals);
  write_grid_folder(options.folder, grid, options.replace);
  return grid_import_text(options.folder, grid);
}

}  // namespace trainyard
