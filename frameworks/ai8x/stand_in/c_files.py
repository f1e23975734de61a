"""The C of a part, as the MAX78000's generator lays it out: which functions there are, in which order, of which statements."""

from registers import CONTROL
from data_memory import QUADRANT

AON = 0x50001000


def define(name, values, form="0x%08x", columns=8):
    text = f"#define {name} {{ \\\n"
    for first in range(0, len(values), columns):
        row = ", ".join(form % value for value in values[first:first + columns])
        text += f"  {row}{',' if first + columns < len(values) else ''} \\\n"
    return text + "}\n"


def function(head, body):
    return f"{head}\n{{\n{body}}}\n\n"


def write(address, value, comment=""):
    return f"  *((volatile uint32_t *) 0x{address:08x}) = 0x{value:08x};{' // ' + comment if comment else ''}\n"


def control(quadrant):
    return CONTROL + quadrant * QUADRANT


def cnn_header(part):
    timer = f"#define CNN_INFERENCE_TIMER MXC_TMR{part.timer}\n" if part.timer is not None else ""
    return f"""// cnn.h of {part.name}, by a stand-in for the MAX78000's generator
#ifndef __CNN_H__
#define __CNN_H__

#include <stdint.h>
typedef int32_t q31_t;
typedef int16_t q15_t;

#define CNN_FAIL 0
#define CNN_OK 1

#define CNN_NUM_OUTPUTS {part.outputs}
{timer}
#define CNN_START LED_On(0)
#define CNN_COMPLETE LED_Off(0)
#define SYS_START LED_On(0)
#define SYS_COMPLETE LED_Off(0)

void softmax_q17p14_q15(const q31_t * vec_in, const uint16_t dim_vec, q15_t * p_out);

extern volatile uint32_t cnn_time;

void memcpy32(uint32_t *dst, const uint32_t *src, int n);

int cnn_enable(uint32_t clock_source, uint32_t clock_divider);
int cnn_disable(void);
int cnn_init(void);
int cnn_configure(void);
int cnn_load_weights(void);
int cnn_load_bias(void);
int cnn_start(void);
int cnn_stop(void);
int cnn_continue(void);
int cnn_unload(uint32_t *out_buf);
int cnn_boost_enable(mxc_gpio_regs_t *port, uint32_t pin);
int cnn_boost_disable(mxc_gpio_regs_t *port, uint32_t pin);

#endif
"""


def interrupt(part):
    acknowledge = "".join(f"  *((volatile uint32_t *) 0x{control(q):08x}) &= ~((1<<12) | 1);\n" for q in part.quadrants)
    return function("void CNN_ISR(void)", f"""{acknowledge}
  CNN_COMPLETE;
#ifdef CNN_INFERENCE_TIMER
  cnn_time = MXC_TMR_SW_Stop(CNN_INFERENCE_TIMER);
#else
  cnn_time = 1;
#endif
""")


def power(part):
    used = sum(1 << q for q in part.quadrants)
    return function("int cnn_enable(uint32_t clock_source, uint32_t clock_divider)", f"""\
  MXC_GCFR->reg3 = 0xf; // Reset
  MXC_GCFR->reg1 = 0x{used:01x}; // Mask memory
  MXC_GCFR->reg0 = 0x{used:01x}; // Power
  MXC_GCFR->reg2 = 0x{~used & 0xf:01x}; // Iso
  MXC_GCFR->reg3 = 0x0; // Reset

  MXC_GCR->pclkdiv = (MXC_GCR->pclkdiv & ~(MXC_F_GCR_PCLKDIV_CNNCLKDIV | MXC_F_GCR_PCLKDIV_CNNCLKSEL))
                     | clock_divider | clock_source;
  MXC_SYS_ClockEnable(MXC_SYS_PERIPH_CLOCK_CNN); // Enable CNN clock

  MXC_NVIC_SetVector(CNN_IRQn, CNN_ISR); // Set CNN complete vector

  return CNN_OK;
""") + "".join(function(f"int cnn_boost_{what}(mxc_gpio_regs_t *port, uint32_t pin)", f"""\
  mxc_gpio_cfg_t gpio_out;
  gpio_out.port = port;
  gpio_out.mask = pin;
  gpio_out.pad = MXC_GPIO_PAD_NONE;
  gpio_out.func = MXC_GPIO_FUNC_OUT;
  MXC_GPIO_Config(&gpio_out);
  MXC_GPIO_Out{verb}(gpio_out.port, gpio_out.mask);

  return CNN_OK;
""") for what, verb in (("enable", "Set"), ("disable", "Clr"))) + function("int cnn_disable(void)", """\
  MXC_SYS_ClockDisable(MXC_SYS_PERIPH_CLOCK_CNN);

  MXC_GCFR->reg3 = 0xf; // Reset
  MXC_GCFR->reg2 |= 0xf; // Iso
  MXC_GCFR->reg0 = 0x0; // Power
  MXC_GCFR->reg1 = 0x0; // Mask memory
  MXC_GCFR->reg3 = 0x0; // Reset

  return CNN_OK;
""")


def loaders(part):
    biases = "".join(f"static const uint8_t bias_{q}[] = BIAS_{q};\n" for q in sorted(part.biases))
    if part.biases:
        load = "static void memcpy_8to32(uint32_t *dst, const uint8_t *src, int n)"
        copies = "".join(f"  memcpy_8to32((uint32_t *) 0x{0x50108000 + q * QUADRANT:08x}, bias_{q}, "
                         f"sizeof(uint8_t) * {len(values)});\n" for q, values in sorted(part.biases.items()))
        biases += "\n" + function(load, "  while (n-- > 0) {\n    *dst++ = *src++;\n  }\n")
    else:
        copies = "  // Not used in this network\n"
    return "static const uint32_t kernels[] = KERNELS;\n\n" + function("int cnn_load_weights(void)", """\
  uint32_t len;
  volatile uint32_t *addr;
  const uint32_t *ptr = kernels;

  while ((addr = (volatile uint32_t *) *ptr++) != 0) {
    *((volatile uint8_t *) ((uint32_t) addr | 1)) = 0x01; // Set address
    len = *ptr++;
    while (len-- > 0)
      *addr++ = *ptr++;
  }

  return CNN_OK;
""") + biases + function("int cnn_load_bias(void)", copies + "\n  return CNN_OK;\n")


def machine(part):
    first, others = part.quadrants[0], part.quadrants[1:]
    init = write(AON, 0, "AON control")
    for q in part.quadrants:
        init += "\n" + write(control(q), 0x00100008, "Stop SM") + write(control(q) + 4, 0x0000040e, "SRAM control")
        init += write(control(q) + 8, part.layers - 1, "Layer count")
    configure = ""
    for index, writes in enumerate(part.layer_writes):
        configure += f"  // Layer {index}\n" + "".join(write(*word) for word in writes) + "\n"
    start = "  cnn_time = 0;\n\n" + "".join(
        write(control(q), 0x00100808 | (q in others) | first << 9, f"Enable quadrant {q}") for q in part.quadrants)
    start += """
#ifdef CNN_INFERENCE_TIMER
  MXC_TMR_SW_Start(CNN_INFERENCE_TIMER);
#endif

  CNN_START; // Allow capture of processing time
""" + write(control(first), 0x00100009, f"Master enable quadrant {first}")
    end = "\n  return CNN_OK;\n"
    return (function("int cnn_init(void)", init + end) + loaders(part) +
            function("int cnn_configure(void)", configure + end[1:]) + function("int cnn_start(void)", start + end))


def unload(part):
    """`part.unloads`: (address, shift) of each output, in order; shift None: a whole word."""
    if part.is_wide:
        body, at = "  volatile uint32_t *addr;\n", None
        for address, _ in part.unloads:
            body += f"  addr = (volatile uint32_t *) 0x{address:08x};\n" if address != at else ""
            body += "  *out_buf++ = *addr++;\n"
            at = address + 4
        return function("int cnn_unload(uint32_t *out_buf)", body + "\n  return CNN_OK;\n")
    body, at = "  uint8_t *out_buf = (uint8_t *) out_buf32;\n  uint32_t val;\n  volatile uint32_t *addr;\n", None
    for address, byte in part.unloads:
        if address != at:
            body += f"  addr = (volatile uint32_t *) 0x{address:08x};\n  val = *addr++;\n"
        at = address
        body += f"  *out_buf++ = {'val' if not byte else f'(val >> {8 * byte})'} & 0xff;\n"
    return function("int cnn_unload(uint32_t *out_buf32)", body + "\n  return CNN_OK;\n")


def cnn_source(part):
    control_of_first = f"0x{control(part.quadrants[0]):08x}"
    return f"""// {part.name}
// By a stand-in for the MAX78000's generator.

#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <stdio.h>
#include "mxc.h"
#include "gcfr_regs.h"
#include "cnn.h"
#include "weights.h"

""" + interrupt(part) + function("int cnn_continue(void)", f"""\
  cnn_time = 0;

  *((volatile uint32_t *) {control_of_first}) |= 1; // Re-enable quadrant {part.quadrants[0]}

  return CNN_OK;
""") + function("int cnn_stop(void)", f"""\
  *((volatile uint32_t *) {control_of_first}) &= ~1; // Disable quadrant {part.quadrants[0]}

  return CNN_OK;
""") + function("void memcpy32(uint32_t *dst, const uint32_t *src, int n)",
                "  while (n-- > 0) {\n    *dst++ = *src++;\n  }\n") + machine(part) + unload(part) + power(part)


def classification(part):
    buffer = "ml_data[CNN_NUM_OUTPUTS]" if part.is_wide else "ml_data32[(CNN_NUM_OUTPUTS + 3) / 4]"
    text = f"static int32_t {buffer};\n"
    if not part.has_softmax:
        return text + "\n"
    return "// Classification layer:\n" + text + "static q15_t ml_softmax[CNN_NUM_OUTPUTS];\n\n" + function(
        "void softmax_layer(void)", "  cnn_unload((uint32_t *) ml_data);\n"
        "  softmax_q17p14_q15((const q31_t *) ml_data, CNN_NUM_OUTPUTS, ml_softmax);\n")


def main_source(part):
    inputs = "".join(f"static const uint32_t input_{p}[] = SAMPLE_INPUT_{p};\n" for p, _, _ in part.inputs)
    loads = "".join(f"  memcpy32((uint32_t *) 0x{address:08x}, input_{p}, {len(words)});\n" for p, address, words in part.inputs)
    return f"""// {part.name}
// By a stand-in for the MAX78000's generator.

#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <stdio.h>
#include "mxc.h"
#include "cnn.h"
#include "sampledata.h"
#include "sampleoutput.h"

volatile uint32_t cnn_time; // Stopwatch

""" + function("void fail(void)", '  printf("\\n*** FAIL ***\\n\\n");\n  while (1);\n') + inputs + "\n" + function(
        "void load_input(void)", loads) + "static const uint32_t sample_output[] = SAMPLE_OUTPUT;\n" + function(
            "int check_output(void)", """\
  int i;
  uint32_t mask, len;
  volatile uint32_t *addr;
  const uint32_t *ptr = sample_output;

  while ((addr = (volatile uint32_t *) *ptr++) != 0) {
    mask = *ptr++;
    len = *ptr++;
    for (i = 0; i < len; i++)
      if ((*addr++ & mask) != *ptr++) {
        printf("Data mismatch (%d/%d) at address 0x%08x: Expected 0x%08x, read 0x%08x.\\n",
               i + 1, len, addr - 1, *(ptr - 1), *(addr - 1) & mask);
        return CNN_FAIL;
      }
  }

  return CNN_OK;
""") + classification(part) + function("int main(void)", f"""\
  MXC_ICC_Enable(MXC_ICC0); // Enable cache
  MXC_SYS_Clock_Select(MXC_SYS_CLOCK_IPO);
  SystemCoreClockUpdate();

  cnn_enable(MXC_S_GCR_PCLKDIV_CNNCLKSEL_PCLK, MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV1);

  cnn_init(); // Bring state machine into consistent state
  cnn_load_weights(); // Load kernels
  cnn_load_bias();
  cnn_configure(); // Configure state machine
  load_input(); // Load data input
  cnn_start(); // Start CNN processing

  while (cnn_time == 0)
    MXC_LP_EnterSleepMode(); // Wait for CNN

  if (check_output() != CNN_OK) fail();
  {'softmax_layer();' if part.has_softmax else f'cnn_unload((uint32_t *) ml_data{"" if part.is_wide else "32"});'}

  printf("\\n*** PASS ***\\n\\n");

  cnn_disable(); // Shut down CNN clock, disable peripheral

  return 0;
""")


SOFTMAX = """\
// Base-2 softmax of fixed-point numbers, by a stand-in for the MAX78000's generator.
#include "mxc.h"
#include "cnn.h"

void softmax_q17p14_q15(const q31_t * vec_in, const uint16_t dim_vec, q15_t * p_out)
{
  q31_t base = vec_in[0];
  uint32_t sum = 0;
  uint16_t i;

  for (i = 1; i < dim_vec; i++)
    if (vec_in[i] > base)
      base = vec_in[i];
  for (i = 0; i < dim_vec; i++) {
    uint32_t below = ((uint32_t) base - (uint32_t) vec_in[i]) >> 14;
    sum += below < 16 ? 0x10000u >> below : 0;
  }
  for (i = 0; i < dim_vec; i++) {
    uint32_t below = ((uint32_t) base - (uint32_t) vec_in[i]) >> 14;
    p_out[i] = (q15_t) (((below < 16 ? 0x10000u >> below : 0) * 0x7fffu) / sum);
  }
}
"""
