/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The runtime is included as text, so that a power cycle can throw its state away, and so that a test can put an edited
 * copy in its place (-I).
 *
 * The application: a double-buffered state with an initial value, a value that crosses and whose home the next
 * inference uses again, a task without data, an output.
 *
 * Beside what a life does (outputs, resumed commits), each image that a cut leaves is looked at: where a seal is not
 * MM_SEAL_NONE the body is whole, the one before or the one after. A checksum has not to tell half a record from a
 * whole one, ever.
 */
#include "mm_runtime.c"

#include "model_life.h"
#include "model_values.h"

#include <setjmp.h>
#include <stdlib.h>

enum { HOME_VALUE = 128, HOME_STATE = 144, STRIDE = 16, RECORD = sizeof(mm_record_t) };

static uint8_t state[STATE], value[VALUE];

typedef struct slot_bodies { /* whole ones that the slot may hold under a seal */
    bool has_before, has_after;
    uint8_t before[RECORD], after[RECORD];
} slot_bodies_t;

static struct {
    jmp_buf power;
    life_setting_t setting;
    model_world_t world;
    model_cuts_t* cuts;
    slot_bodies_t bodies[MM_SLOT_COUNT];
    bool is_restored, in_vain, answer, has_waited;
    uint32_t boot_number;
    model_attempts_t attempts;
    model_defect_t defect;
    const char* wrong;
    int fatal;
} model;

static void note_wrong(const char* what) {
    if (model.wrong == NULL) {
        model.wrong = what;
    }
}

static void need_peripherals(void) {
    if (!model.is_restored) {
        note_wrong("peripherals were not restored first");
    }
}

/* ---- Port ---- */

mm_status_t mm_port_open(uint32_t bytes) {
    return bytes <= MODEL_NVM_BYTES && model.defect != MODEL_PORT_CANNOT_OPEN ? MM_STATUS_OK : MM_STATUS_NVM_ERROR;
}

mm_status_t mm_port_nvm_read(uint32_t address, void* to, uint32_t bytes) {
    memory_read(address, to, bytes);
    return model.defect == MODEL_READ_FAILS ? MM_STATUS_NVM_ERROR : MM_STATUS_OK;
}

mm_status_t mm_port_nvm_write(uint32_t address, const void* from, uint32_t bytes) {
    for (uint32_t slot = 0; slot < MM_SLOT_COUNT; slot++) {
        slot_bodies_t* bodies = &model.bodies[slot];
        if (address == mm_slot_at(slot) + MM_SLOT_BODY_AT) {
            bodies->has_before = bodies->has_before || bodies->has_after;
            memcpy(bodies->before, bodies->has_after ? bodies->after : bodies->before, RECORD);
            memcpy(bodies->after, from, RECORD);
            bodies->has_after = true;
        }
    }
    memory_write(address, from, bytes);
    return model.defect == MODEL_WRITE_FAILS ? MM_STATUS_NVM_ERROR : MM_STATUS_OK;
}

mm_status_t mm_port_nvm_barrier(void) {
    memory_barrier();
    return model.defect == MODEL_BARRIER_FAILS ? MM_STATUS_NVM_ERROR : MM_STATUS_OK;
}

void mm_port_restore_peripherals(void) {
    if (model.is_restored) {
        note_wrong("peripherals were restored twice in one boot");
    }
    model.is_restored = true;
}

bool mm_port_take_input(uint32_t sequence, unsigned index, void* to, uint32_t bytes) {
    (void)index;
    (void)to;
    (void)bytes;
    need_peripherals();
    const bool waits = sequence == 1u && !model.has_waited; /* for input, once; then the same boot goes on */
    model.has_waited = model.has_waited || waits;
    return !waits && sequence < model.setting.inferences;
}

void mm_port_hand_over(uint32_t sequence, unsigned index, const void* from, uint32_t bytes) {
    uint8_t out[VALUE];
    (void)index;
    need_peripherals();
    if (sequence >= model.setting.inferences) {
        note_wrong("an output is of an inference that was never begun");
        return;
    }
    expected_output(sequence, out);
    if (memcmp(out, from, bytes) != 0) {
        note_wrong("an output is wrong");
    } else if (sequence != model.world.handed && sequence + 1u != model.world.handed) {
        note_wrong("an output is out of order");
    }
    model.world.handed = sequence + 1u;
}

bool mm_port_no_progress(mm_task_id_t task, uint32_t attempts) {
    (void)task;
    need_peripherals();
    if (model.attempts.times_asked++ == 0) {
        model.attempts.first_asked = model.boot_number;
        model.attempts.attempts = attempts;
    }
    return model.answer;
}

void mm_port_fatal(mm_status_t status, mm_task_id_t task) {
    (void)task;
    model.fatal = (int)status;
    longjmp(model.power, 2);
}

static void follow_boot(int64_t commit) {
    if (commit < model.world.committed) {
        note_wrong("resumed a commit behind one that had completed");
    }
    if (commit > model.world.committed + 1) {
        note_wrong("resumed a commit that was never begun");
    }
}

void mm_port_event(mm_event_t event, mm_task_id_t task) {
    (void)task;
    if (event == MM_EVENT_FIRST_BOOT && model.setting.may_start_anew) {
        model.world = (model_world_t){0, -1};
    }
    if (event == MM_EVENT_FIRST_BOOT && model.world.committed >= 0) {
        note_wrong("started anew although a commit had completed");
    }
    const int64_t commit = (int32_t)(mm_state.record.sequence - model.setting.first_sequence);
    if (event == MM_EVENT_BOOT) {
        follow_boot(commit);
    }
    if (event == MM_EVENT_BOOT || event == MM_EVENT_COMMIT_DONE) {
        model.world.committed = commit;
    }
    if (event == MM_EVENT_TASK_START) {
        need_peripherals();
    }
    if (event == MM_EVENT_TASK_START && model.in_vain) {
        longjmp(model.power, 1);
    }
}

/* ---- Application ---- */

static mm_task_id_t work(void) {
    if (!mm_port_take_input(mm_inference(), 0, NULL, 0)) {
        return MM_TASK_IDLE;
    }
    advance(state, value);
    return model.defect == MODEL_SUCCESSOR_OUT_OF_RANGE ? 2 : 1;
}

static mm_task_id_t hand_over(void) {
    mm_port_hand_over(mm_inference(), 0, value, VALUE);
    return MM_TASK_DONE;
}

static const mm_transfer_t work_fetch[] = {{HOME_STATE, state, STATE, MM_FETCH_ALWAYS, 0, STRIDE}};
static const mm_transfer_t work_commit[] = {{HOME_VALUE, value, VALUE, 0, MM_BUFFER_NONE, 0},
                                            {HOME_STATE, state, STATE, 0, 0, STRIDE}};
static const mm_transfer_t hand_over_fetch[] = {{HOME_VALUE, value, VALUE, 0, MM_BUFFER_NONE, 0}};
static const mm_transfer_t initial[] = {{HOME_STATE, state, STATE, 0, 0, STRIDE}};
static const mm_task_t tasks[] = {{work, work_fetch, work_commit, 1, 2, 1},
                                  {hand_over, hand_over_fetch, NULL, 1, 0, 0}};
static const mm_app_t this_app = {0x1234567890ABCDEFu, MODEL_NVM_BYTES, MM_NVM_LAYOUT, 2, tasks, initial, 1};
static const mm_app_t other_app = {0xFEDCBA0987654321u, MODEL_NVM_BYTES, MM_NVM_LAYOUT, 2, tasks, initial, 1};

/* ---- Lives ---- */

static bool holds(const memory_image_t* image, uint32_t slot, bool has, const uint8_t* body) {
    const uint32_t at = slot * MM_SLOT_BYTES + MM_SLOT_BODY_AT;
    for (uint32_t i = 0; i < RECORD; i++) {
        has = has && image->known[at + i] != 0 && image->bytes[at + i] == body[i];
    }
    return has;
}

static bool is_sealed(const memory_image_t* image, uint32_t slot) {
    uint32_t seal = MM_SEAL_NONE;
    memcpy(&seal, image->bytes + slot * MM_SLOT_BYTES, sizeof seal);
    return seal != MM_SEAL_NONE;
}

static void look_at_cut(const memory_image_t* left, uint32_t point, uint32_t variant) {
    for (uint32_t slot = 0; slot < MM_SLOT_COUNT; slot++) {
        const slot_bodies_t* bodies = &model.bodies[slot];
        if (is_sealed(left, slot) && !holds(left, slot, bodies->has_before, bodies->before) &&
            !holds(left, slot, bodies->has_after, bodies->after)) {
            note_wrong("a body is half written and has a seal");
        }
    }
    model_cuts_t* cuts = model.cuts;
    if (cuts->count == cuts->capacity) {
        cuts->capacity = cuts->capacity == 0 ? 4096 : 2 * cuts->capacity;
        cuts->list = realloc(cuts->list, cuts->capacity * sizeof *cuts->list);
        if (cuts->list == NULL) {
            abort();
        }
    }
    cuts->list[cuts->count++] = (model_cut_t){{*left, model.world}, point, variant};
}

/* Volatile memory after a reset: as start-up code sets it, and noise where it does not. */
static void reset(const model_state_t* from) {
    memset(&mm_state, 0xA5, sizeof mm_state);
    mm_state.app = NULL;
    memcpy(state, first_state, STATE);
    memset(value, 0xA5, VALUE);
    model.is_restored = model.has_waited = false;
    model.wrong = NULL;
    model.fatal = 0;
    model.world = from->world;
    memset(model.bodies, 0, sizeof model.bodies);
    for (uint32_t slot = 0; slot < MM_SLOT_COUNT; slot++) {
        model.bodies[slot].has_after = is_sealed(&from->image, slot);
        memcpy(model.bodies[slot].after, from->image.bytes + slot * MM_SLOT_BYTES + MM_SLOT_BODY_AT, RECORD);
    }
}

static int run(const mm_app_t* app, const life_setting_t* setting, const model_state_t* from, model_cuts_t* cuts) {
    model.setting = *setting;
    model.cuts = cuts;
    reset(from);
    memory_power_on(&from->image, &setting->memory, cuts != NULL ? look_at_cut : NULL);
    switch (setjmp(model.power)) {
        case 0: {
            mm_status_t status = mm_run(app);
            status = status == MM_STATUS_IDLE && model.has_waited ? mm_run(app) : status;
            memory_power_off();
            return (int)status;
        }
        case 1:
            return -1;
        default:
            return 100 + model.fatal;
    }
}

int life_run(model_build_t build, const life_setting_t* setting, const model_state_t* from, model_cuts_t* cuts) {
    model.answer = true; /* a boot that gives up would need nothing of what the next one needs */
    const int status = run(build == MODEL_THIS_BUILD ? &this_app : &other_app, setting, from, cuts);
    if (status != MM_STATUS_IDLE || model.world.handed != setting->inferences) {
        note_wrong("it did not come to its end");
    }
    return status;
}

const char* life_wrong(void) {
    return model.wrong;
}

void life_end(model_state_t* end) {
    end->image = *memory_durable();
    end->world = model.world;
}

static void seal_slot(memory_image_t* image, uint32_t slot, uint32_t ahead) {
    mm_record_t record;
    uint8_t* at = image->bytes + slot * MM_SLOT_BYTES;
    memcpy(&record, at + MM_SLOT_BODY_AT, sizeof record);
    record.sequence += ahead;
    const uint32_t seal = mm_seal_of(&record);
    memcpy(at + MM_SLOT_BODY_AT, &record, sizeof record);
    memcpy(at, &seal, sizeof seal);
}

void life_make(model_image_t image, const model_memory_t* memory, life_setting_t* setting, model_state_t* begin) {
    memset(begin, 0, sizeof *begin);
    memset(begin->image.known, 1, MODEL_NVM_BYTES);
    for (uint32_t i = 0; i < MODEL_NVM_BYTES; i++) {
        begin->image.bytes[i] = image == MODEL_ONES ? 0xFF : image == MODEL_NOISE ? (uint8_t)memory_mix(i) : 0;
    }
    begin->world.committed = -1;
    *setting = (life_setting_t){*memory, 2, 1, false};
    if (image == MODEL_OTHER_APP || image == MODEL_WRAP) {
        model_state_t from = *begin;
        run(image == MODEL_WRAP ? &this_app : &other_app, setting, &from, NULL);
        begin->image = *memory_durable();
    }
    if (image == MODEL_WRAP) { /* commits 0 to 4 are there; the next is 0xFFFFFFFF, then come 0, 1, 2 */
        setting->inferences = 4;
        setting->first_sequence = 1u + 0xFFFFFFF9u;
        begin->world = (model_world_t){2, 4};
        seal_slot(&begin->image, 0, 0xFFFFFFF9u);
        seal_slot(&begin->image, 1, 0xFFFFFFF9u);
    }
}

/* ---- Progress ---- */

static model_attempts_t boot_often(unsigned boots, bool in_vain, uint32_t inferences, bool reorders) {
    model_state_t at;
    life_setting_t setting;
    unsigned ended = 0;
    memset(&model.attempts, 0, sizeof model.attempts);
    life_make(MODEL_ZEROS, &(model_memory_t){4, reorders, 0, 0}, &setting, &at);
    setting.inferences = inferences;
    model.in_vain = in_vain;
    for (unsigned i = 1; i <= boots; i++) {
        model.boot_number = i;
        ended += run(&this_app, &setting, &at, NULL) == MM_STATUS_NO_PROGRESS;
        life_end(&at);
    }
    model.in_vain = false;
    model.attempts.ended = ended;
    return model.attempts;
}

model_attempts_t model_boot_in_vain(unsigned boots, bool answer) {
    model.answer = answer;
    return boot_often(boots, true, 1, false);
}
model_attempts_t model_boot_in_vain_reordered(unsigned boots) {
    return boot_often(boots, true, 1, true);
}
model_attempts_t model_boot_idle(unsigned boots) {
    return boot_often(boots, false, 0, false);
}

/* ---- Defects ---- */

int model_run_with(model_defect_t defect) {
    mm_transfer_t fetch = work_fetch[0];
    mm_transfer_t commit[2] = {work_commit[0], work_commit[1]};
    mm_task_t table[2] = {{work, &fetch, commit, 1, 2, 1}, tasks[1]};
    mm_app_t app = this_app;
    app.tasks = table;
    switch (defect) {
        case MODEL_NO_TASKS:
            app.task_count = 0;
            break;
        case MODEL_WRONG_LAYOUT:
            app.layout = MM_NVM_LAYOUT + 1;
            break;
        case MODEL_HOME_IN_HEADER:
            commit[0].home = MM_NVM_HEADER_BYTES - 1;
            break;
        case MODEL_HOME_BEYOND_END:
            commit[0].home = MODEL_NVM_BYTES - VALUE + 1;
            break;
        case MODEL_COPY_BEYOND_END:
            fetch.home = MODEL_NVM_BYTES - STATE - STRIDE + 1;
            break;
        case MODEL_HOME_WRAPS:
            commit[0].home = 0xFFFFFFFCu;
            break;
        case MODEL_SINCE_NOT_EARLIER:
            fetch.since = 0;
            break;
        case MODEL_BUFFER_WITHOUT_FLIP:
            table[0].flips = 0;
            break;
        case MODEL_BUFFER_OUT_OF_RANGE:
            fetch.buffer = 32;
            break;
        case MODEL_COPIES_OVERLAP:
            commit[1].stride = STATE - 1;
            break;
        case MODEL_NO_SRAM:
            fetch.sram = NULL;
            break;
        default:
            break;
    }
    model_state_t from;
    life_setting_t setting;
    life_make(MODEL_ZEROS, &(model_memory_t){1, false, 0, 0}, &setting, &from);
    model.defect = defect;
    const int status = run(&app, &setting, &from, NULL);
    model.defect = MODEL_SOUND;
    return status;
}
