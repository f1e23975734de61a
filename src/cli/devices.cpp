#include "cli/subcommand.h"
#include "cli/values.h"

namespace metamorph::cli {
namespace {

class Devices : public Subcommand {
public:
    Devices(CLI::App& root, const std::vector<std::string>& names)
        : Subcommand(
              root, "devices", "List the devices that firmware is woven for, or describe one of them",
              {{"metamorph devices", "one line a device that comes with Metamorph"},
               {"metamorph devices cortex-m4-spi",
                "its memories, clock, currents and compilers; every figure with its source"},
               {"metamorph devices rv32imc-mapped --json | jq -r .figures",
                "every figure for a program to read; a description of your own may be given, too: ./board.toml"}}) {
        add_optional_file("DEVICE",
                          "a name of the list, or a description of your own (a .toml file); default: list all", names);
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "list names alone");
    }

    Result<int> execute(const Commands& commands) const override {
        DevicesOptions options;
        static_cast<CommonOptions&>(options) = common();
        options.device = text("DEVICE");
        if (options.device) {
            MM_CHECK(check_device("DEVICE", *options.device));
        }
        return commands.devices(options);
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_devices(CLI::App& root, const std::vector<std::string>& names) {
    return std::make_unique<Devices>(root, names);
}

}  // namespace metamorph::cli
