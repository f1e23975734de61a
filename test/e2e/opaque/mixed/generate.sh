# generate.sh PREFIX KEEPS_STATE
cat > "$1_mix.h" <<END
#ifdef __cplusplus
extern "C"
#endif
void $1_mix(const signed char *in, signed char *out);
END
cat > "$1.c" <<END
#include "$1_mix.h"
static void twice(const signed char *in, signed char *out)
{
    for (int i = 0; i < 8; i++) {
        out[i] = (signed char)(2 * in[i]);
    }
}
void $1_run(const signed char in[static 8], signed char out[static 4])
{
    signed char between[8];
    twice(in, between);
    $1_mix(between, out);
}
END
cat > "$1_mix.cc" <<END
#include "$1_mix.h"
namespace {
struct Mixer {
    signed char sum;
    void add(signed char value) { sum = static_cast<signed char>(3 * sum + value); }
};
signed char inferences;
}
extern "C" void $1_mix(const signed char *in, signed char *out)
{
    inferences++;
    for (int i = 0; i < 4; i++) {
        Mixer mixer = {static_cast<signed char>($2 * inferences)};
        mixer.add(in[i]);
        mixer.add(in[i + 4]);
        out[i] = mixer.sum;
    }
}
END
cat > "$1_stand_in.c" <<END
#include "$1_mix.h"
void $1_mix(const signed char *in, signed char *out)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (signed char)(in[i] + in[i + 4]);
    }
}
END
