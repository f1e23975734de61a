/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A stub for the vendor's mxc.h: as much of it as the C of the MAX78000's generator names, so that this C compiles where
 * the vendor's software is not. On a board, put the vendor's headers in its place. ai8x_replay.c has the functions.
 */
#ifndef MXC_H
#define MXC_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    volatile uint32_t reg0, reg1, reg2, reg3;
} mxc_gcfr_regs_t;
typedef struct {
    volatile uint32_t clkctrl, pclkdiv, pclkdis0, ipll_ctrl;
} mxc_gcr_regs_t;
typedef struct {
    volatile uint32_t out;
} mxc_gpio_regs_t;
typedef struct {
    mxc_gpio_regs_t *port;
    uint32_t mask;
    int pad, func;
} mxc_gpio_cfg_t;

extern mxc_gcfr_regs_t mxc_stub_gcfr;
extern mxc_gcr_regs_t mxc_stub_gcr;
extern mxc_gpio_regs_t mxc_stub_gpio[3];

#define MXC_GCFR (&mxc_stub_gcfr)
#define MXC_BBFC (&mxc_stub_gcfr)
#define MXC_GCR (&mxc_stub_gcr)
#define MXC_GPIO0 (&mxc_stub_gpio[0])
#define MXC_GPIO1 (&mxc_stub_gpio[1])
#define MXC_GPIO2 (&mxc_stub_gpio[2])

#define MXC_F_GCR_PCLKDIV_CNNCLKDIV 0x1c000u
#define MXC_F_GCR_PCLKDIV_CNNCLKSEL 0x20000u
#define MXC_S_GCR_PCLKDIV_CNNCLKSEL_PCLK 0x0u
#define MXC_S_GCR_PCLKDIV_CNNCLKSEL_ISO 0x20000u
#define MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV1 0x10000u
#define MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV2 0x0u
#define MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV4 0x4000u
#define MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV8 0x8000u
#define MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV16 0xc000u

#define MXC_GPIO_PIN_0 (1u << 0)
#define MXC_GPIO_PIN_1 (1u << 1)
#define MXC_GPIO_PIN_2 (1u << 2)
#define MXC_GPIO_PIN_3 (1u << 3)
#define MXC_GPIO_PIN_4 (1u << 4)
#define MXC_GPIO_PIN_5 (1u << 5)
#define MXC_GPIO_PIN_6 (1u << 6)
#define MXC_GPIO_PIN_7 (1u << 7)
enum { MXC_GPIO_PAD_NONE, MXC_GPIO_FUNC_OUT };
enum { MXC_SYS_CLOCK_IPO };
enum { MXC_SYS_PERIPH_CLOCK_CNN };
enum { CNN_IRQn };
enum { MXC_ICC0 };
enum { MXC_TMR0, MXC_TMR1, MXC_TMR2, MXC_TMR3 };

#define SEC(n) ((n)*1000000ul)
#define MSEC(n) ((n)*1000ul)

void MXC_ICC_Enable(int cache);
void MXC_SYS_Clock_Select(int clock);
void MXC_SYS_ClockEnable(int clock);
void MXC_SYS_ClockDisable(int clock);
void SystemCoreClockUpdate(void);
void MXC_Delay(unsigned long microseconds);
void MXC_NVIC_SetVector(int interrupt, void (*handler)(void));
void MXC_LP_EnterSleepMode(void);
void MXC_LP_EnterLowPowerMode(void);
void MXC_TMR_SW_Start(int timer);
unsigned int MXC_TMR_SW_Stop(int timer);
int MXC_GPIO_Config(const mxc_gpio_cfg_t *configuration);
void MXC_GPIO_OutSet(mxc_gpio_regs_t *port, uint32_t mask);
void MXC_GPIO_OutClr(mxc_gpio_regs_t *port, uint32_t mask);
void LED_On(unsigned int led);
void LED_Off(unsigned int led);

#endif
