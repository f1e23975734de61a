/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks an application's table before anything is read or written by it.
 */
#ifndef METAMORPH_MM_TABLE_H
#define METAMORPH_MM_TABLE_H

#include <stdbool.h>

#include "metamorph/mm_runtime.h"

/* Whether every task can be run and every transfer stays within SRAM pointers, homes and copies that the table
 * declares. */
bool mm_table_valid(const mm_app_t* app);

#endif
