/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The woven toy: five tasks, in the shape that the weaver generates.
 */
#ifndef TOY_TASKS_H
#define TOY_TASKS_H

#include "metamorph/mm_runtime.h"

enum { TOY_TASK_TAKE_INPUT, TOY_TASK_SPLIT, TOY_TASK_MIX, TOY_TASK_REDUCE, TOY_TASK_HAND_OVER, TOY_TASK_COUNT };

extern const mm_app_t toy_app;

#endif
