// What every command may be asked for.
#pragma once

namespace metamorph::cli {

struct CommonOptions {
    bool json = false;   // standard output is one JSON document (schema: docs/command-line.md), and nothing else
    bool quiet = false;  // no progress, no remarks: only the result
};

}  // namespace metamorph::cli
