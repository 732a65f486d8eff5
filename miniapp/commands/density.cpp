#include "commands/commands.hpp"
namespace parity::commands {
Action add_density(CLI::App& app) {
  app.add_subcommand("density", "x");
  return [] { return 0; };
}
}  // namespace parity::commands
