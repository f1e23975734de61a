/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A stub for the vendor's mxc_delay.h: mxc.h has all of it. */
#include "mxc.h"
