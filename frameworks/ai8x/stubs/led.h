/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A stub for the vendor's led.h: mxc.h has all of it. */
#include "mxc.h"
