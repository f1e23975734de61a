/* The oracle: digits_int8 as it was generated, never interrupted. Reads inputs, one
 * inference after another, from standard input; writes outputs to standard output.
 *
 * Woven by Metamorph 0.1.0 from digits_int8.tflite (SHA-256 1a0cce4105e93646884b5640f39ac1b79b9fce17fe86212dbebba8fb59a169c8)
 * with --tasks 3,3 --nvm bus. Regenerate with:
 *   metamorph weave digits_int8.tflite -o DIR --tasks 3,3 --nvm bus
 */
#include <stdint.h>
#include <stdio.h>

void digits_int8_invoke(const int8_t *input, int8_t *output, int8_t *arena);

static _Alignas(16) uint8_t buffer_0[64]; /* input */
static _Alignas(16) uint8_t buffer_1[10]; /* output */
static _Alignas(16) uint8_t buffer_2[2304]; /* arena */

int main(void)
{
    while (fread(buffer_0, sizeof buffer_0, 1, stdin) == 1) {
        digits_int8_invoke((const int8_t *)(void *)buffer_0, (int8_t *)(void *)buffer_1, (int8_t *)(void *)buffer_2);
        if (fwrite(buffer_1, sizeof buffer_1, 1, stdout) != 1) {
            return 1;
        }
    }
    return fflush(stdout) != 0;
}
