/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The woven toy for NVM behind a bus: every value that crosses a task boundary has an SRAM copy.
 */
#include "metamorph/mm_port.h"
#include "toy_layers.h"
#include "toy_tasks.h"

#define HOME_IN 128u
#define HOME_RESIDUAL 144u
#define HOME_A 176u
#define HOME_B 192u
#define HOME_OUT 240u
#define HOME_STATE 272u
#define STATE_STRIDE 16u
#define NVM_BYTES 304u

static int8_t in[TOY_IN], residual[TOY_RESIDUAL], a[TOY_A];
static int8_t state[TOY_STATE] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};
static int16_t b[TOY_B];
static int32_t out[TOY_OUT];

static mm_task_id_t take_input(void) {
    return mm_port_take_input(mm_inference(), 0, in, sizeof in) ? TOY_TASK_SPLIT : MM_TASK_IDLE;
}

static mm_task_id_t split(void) {
    toy_split(in, residual, a, state);
    return TOY_TASK_MIX;
}

static mm_task_id_t mix(void) {
    toy_mix(a, residual, b);
    return TOY_TASK_REDUCE;
}

static mm_task_id_t reduce(void) {
    toy_reduce(b, residual, in, out);
    return TOY_TASK_HAND_OVER;
}

static mm_task_id_t hand_over(void) {
    mm_port_hand_over(mm_inference(), 0, out, sizeof out);
    return MM_TASK_DONE;
}

static const mm_transfer_t take_input_commit[] = {{HOME_IN, in, sizeof in, 0, MM_BUFFER_NONE, 0}};
static const mm_transfer_t split_fetch[] = {{HOME_IN, in, sizeof in, 0, MM_BUFFER_NONE, 0},
                                            {HOME_STATE, state, sizeof state, MM_FETCH_ALWAYS, 0, STATE_STRIDE}};
static const mm_transfer_t split_commit[] = {{HOME_RESIDUAL, residual, sizeof residual, 0, MM_BUFFER_NONE, 0},
                                             {HOME_A, a, sizeof a, 0, MM_BUFFER_NONE, 0},
                                             {HOME_STATE, state, sizeof state, 0, 0, STATE_STRIDE}};
static const mm_transfer_t mix_fetch[] = {{HOME_A, a, sizeof a, 1, MM_BUFFER_NONE, 0},
                                          {HOME_RESIDUAL, residual, sizeof residual, 1, MM_BUFFER_NONE, 0}};
static const mm_transfer_t mix_commit[] = {{HOME_B, b, sizeof b, 0, MM_BUFFER_NONE, 0}};
static const mm_transfer_t reduce_fetch[] = {{HOME_B, b, sizeof b, 2, MM_BUFFER_NONE, 0},
                                             {HOME_RESIDUAL, residual, sizeof residual, 2, MM_BUFFER_NONE, 0},
                                             {HOME_IN, in, sizeof in, 1, MM_BUFFER_NONE, 0}};
static const mm_transfer_t reduce_commit[] = {{HOME_OUT, out, sizeof out, 0, MM_BUFFER_NONE, 0}};
static const mm_transfer_t hand_over_fetch[] = {{HOME_OUT, out, sizeof out, 3, MM_BUFFER_NONE, 0}};
static const mm_transfer_t initial[] = {{HOME_STATE, state, sizeof state, 0, 0, STATE_STRIDE}};

static const mm_task_t tasks[TOY_TASK_COUNT] = {
    [TOY_TASK_TAKE_INPUT] = {take_input, 0, take_input_commit, 0, 1, 0},
    [TOY_TASK_SPLIT] = {split, split_fetch, split_commit, 2, 3, 1u << 0},
    [TOY_TASK_MIX] = {mix, mix_fetch, mix_commit, 2, 1, 0},
    [TOY_TASK_REDUCE] = {reduce, reduce_fetch, reduce_commit, 3, 1, 0},
    [TOY_TASK_HAND_OVER] = {hand_over, hand_over_fetch, 0, 1, 0, 0},
};

const mm_app_t toy_app = {0x746F795F62757331u, NVM_BYTES, MM_NVM_LAYOUT, TOY_TASK_COUNT, tasks, initial, 1};
