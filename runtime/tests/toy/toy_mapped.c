/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The woven toy for mapped NVM: layers are out of place, so they work on NVM directly; only the state, which its task
 * both reads and writes, has an SRAM copy and two homes.
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

MM_NVM_PLACEMENT uint8_t mm_nvm[MM_NVM_ARRAY_BYTES(NVM_BYTES)];

static int8_t state[TOY_STATE] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};

static mm_task_id_t take_input(void) {
    return mm_port_take_input(mm_inference(), 0, mm_nvm + HOME_IN, TOY_IN) ? TOY_TASK_SPLIT : MM_TASK_IDLE;
}

static mm_task_id_t split(void) {
    toy_split((const int8_t*)(mm_nvm + HOME_IN), (int8_t*)(mm_nvm + HOME_RESIDUAL), (int8_t*)(mm_nvm + HOME_A), state);
    return TOY_TASK_MIX;
}

static mm_task_id_t mix(void) {
    toy_mix((const int8_t*)(mm_nvm + HOME_A), (const int8_t*)(mm_nvm + HOME_RESIDUAL),
            (int16_t*)(void*)(mm_nvm + HOME_B));
    return TOY_TASK_REDUCE;
}

static mm_task_id_t reduce(void) {
    toy_reduce((const int16_t*)(const void*)(mm_nvm + HOME_B), (const int8_t*)(mm_nvm + HOME_RESIDUAL),
               (const int8_t*)(mm_nvm + HOME_IN), (int32_t*)(void*)(mm_nvm + HOME_OUT));
    return TOY_TASK_HAND_OVER;
}

static mm_task_id_t hand_over(void) {
    mm_port_hand_over(mm_inference(), 0, mm_nvm + HOME_OUT, TOY_OUT * sizeof(int32_t));
    return MM_TASK_DONE;
}

static const mm_transfer_t split_fetch[] = {{HOME_STATE, state, sizeof state, MM_FETCH_ALWAYS, 0, STATE_STRIDE}};
static const mm_transfer_t split_commit[] = {{HOME_STATE, state, sizeof state, 0, 0, STATE_STRIDE}};
static const mm_transfer_t initial[] = {{HOME_STATE, state, sizeof state, 0, 0, STATE_STRIDE}};

static const mm_task_t tasks[TOY_TASK_COUNT] = {
    [TOY_TASK_TAKE_INPUT] = {take_input, 0, 0, 0, 0, 0},
    [TOY_TASK_SPLIT] = {split, split_fetch, split_commit, 1, 1, 1u << 0},
    [TOY_TASK_MIX] = {mix, 0, 0, 0, 0, 0},
    [TOY_TASK_REDUCE] = {reduce, 0, 0, 0, 0, 0},
    [TOY_TASK_HAND_OVER] = {hand_over, 0, 0, 0, 0, 0},
};

const mm_app_t toy_app = {0x746F795F6D617031u, NVM_BYTES, MM_NVM_LAYOUT, TOY_TASK_COUNT, tasks, initial, 1};
