/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The runtime is included as text, so that a power cut can throw its state away, and so that a test can put an edited
 * copy in its place (-I).
 *
 * A write is split into aligned units of 1 to 16 bytes; hardware reads, changes and writes back a whole unit. A unit
 * tears into any mix of its old and new bytes (all mixes up to 4 bytes, samples above), or into noise. Writes reach
 * memory in program order: what a missing barrier does cannot be seen here.
 * The application: a double-buffered state with an initial value, a value that crosses, a task without data, an output.
 */
#include "mm_runtime.c"

#include "model.h"
#include "model_values.h"

#include <setjmp.h>
#include <stdio.h>

enum { HOME_VALUE = 128, HOME_STATE = 144, STRIDE = 16, INFERENCES_MAX = 6, TEARS_SAMPLED = 12 };

typedef struct model_world {
    uint32_t handed;   /* inferences whose output came */
    int64_t committed; /* latest commit that had completed, counted from the life's first; -1: none */
} model_world_t;

static uint8_t nvm[MODEL_NVM_BYTES];
static uint8_t state[STATE], value[VALUE];

static struct {
    jmp_buf power;
    unsigned unit_bytes;
    int64_t units, cut_at; /* cut_at -1: never */
    unsigned tear;
    uint32_t inferences, first_sequence;
    model_world_t world;
    bool first_boot, in_vain, answer, check;
    uint32_t boot_number;
    model_attempts_t attempts;
    model_defect_t defect;
    const char* wrong;
    int fatal;
} model;

static void note_wrong(const char* what) {
    if (model.check && model.wrong == NULL) {
        model.wrong = what;
    }
}

/* ---- Port ---- */

mm_status_t mm_port_open(uint32_t bytes) {
    return bytes <= MODEL_NVM_BYTES && model.defect != MODEL_PORT_CANNOT_OPEN ? MM_STATUS_OK : MM_STATUS_NVM_ERROR;
}

mm_status_t mm_port_nvm_read(uint32_t address, void* to, uint32_t bytes) {
    memcpy(to, nvm + address, bytes);
    return model.defect == MODEL_READ_FAILS ? MM_STATUS_NVM_ERROR : MM_STATUS_OK;
}

static unsigned count_tears(unsigned unit_bytes) { /* before, torn, noise */
    return unit_bytes <= 4 ? 1u << unit_bytes : 2u + TEARS_SAMPLED;
}

static void tear_unit(uint32_t at, const uint8_t* fresh) {
    const unsigned last = count_tears(model.unit_bytes) - 1u;
    const uint64_t noise = mix((uint64_t)model.units * 64u + model.tear), more = mix(noise);
    const uint64_t mask = model.unit_bytes <= 4 ? model.tear : noise;
    for (unsigned i = 0; i < model.unit_bytes && model.tear != 0; i++) {
        if (model.tear == last) {
            nvm[at + i] = (uint8_t)((i < 8 ? noise : more) >> (i % 8 * 8));
        } else if ((mask >> i & 1u) != 0) {
            nvm[at + i] = fresh[i];
        }
    }
}

mm_status_t mm_port_nvm_write(uint32_t address, const void* from, uint32_t bytes) {
    const uint8_t* source = from;
    const uint32_t end = address + bytes;
    for (uint32_t at = address - address % model.unit_bytes; at < end; at += model.unit_bytes) {
        uint8_t fresh[16];
        memcpy(fresh, nvm + at, model.unit_bytes);
        for (uint32_t i = 0; i < model.unit_bytes; i++) {
            if (at + i >= address && at + i < end) {
                fresh[i] = source[at + i - address];
            }
        }
        if (model.units++ == model.cut_at) {
            tear_unit(at, fresh);
            longjmp(model.power, 1);
        }
        memcpy(nvm + at, fresh, model.unit_bytes);
    }
    return model.defect == MODEL_WRITE_FAILS ? MM_STATUS_NVM_ERROR : MM_STATUS_OK;
}

mm_status_t mm_port_nvm_barrier(void) {
    return model.defect == MODEL_BARRIER_FAILS ? MM_STATUS_NVM_ERROR : MM_STATUS_OK;
}

void mm_port_restore_peripherals(void) {}

bool mm_port_take_input(uint32_t sequence, unsigned index, void* to, uint32_t bytes) {
    (void)index;
    (void)to;
    (void)bytes;
    return sequence < model.inferences;
}

void mm_port_hand_over(uint32_t sequence, unsigned index, const void* from, uint32_t bytes) {
    uint8_t out[VALUE];
    (void)index;
    if (sequence >= model.inferences) {
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

void mm_port_event(mm_event_t event, mm_task_id_t task) {
    (void)task;
    const int64_t commit = (int32_t)(mm_state.record.sequence - model.first_sequence);
    if (event == MM_EVENT_FIRST_BOOT) {
        model.first_boot = true;
        if (model.world.committed >= 0) {
            note_wrong("started anew although a commit had completed");
        }
    }
    if (event == MM_EVENT_BOOT && commit < model.world.committed) {
        note_wrong("resumed a commit behind one that had completed");
    }
    if (event == MM_EVENT_BOOT && commit > model.world.committed + 1) {
        note_wrong("resumed a commit that was never begun");
    }
    if (event == MM_EVENT_BOOT || event == MM_EVENT_COMMIT_DONE) {
        model.world.committed = commit;
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

/* ---- Boots ---- */

/* Volatile memory after a reset: as start-up code sets it, and noise where it does not. */
static void lose_power(void) {
    memset(&mm_state, 0xA5, sizeof mm_state);
    mm_state.app = NULL;
    memcpy(state, first_state, STATE);
    memset(value, 0xA5, VALUE);
    model.units = 0;
    model.first_boot = false;
    model.fatal = 0;
}

/* One boot on nvm[]. -1: power was cut; 100 + status: mm_port_fatal; else the status of mm_run. */
static int boot(const mm_app_t* app) {
    lose_power();
    switch (setjmp(model.power)) {
        case 0:
            return (int)mm_run(app);
        case 1:
            return -1;
        default:
            return 100 + model.fatal;
    }
}

static void begin(unsigned unit_bytes, uint32_t inferences) {
    memset(&model, 0, sizeof model);
    model.unit_bytes = unit_bytes;
    model.inferences = inferences;
    model.cut_at = -1;
    model.first_sequence = 1;
    model.world.committed = -1;
}

static void seal_slot(uint32_t slot, uint32_t ahead) {
    mm_record_t record;
    memcpy(&record, nvm + slot * MM_SLOT_BYTES + MM_SLOT_BODY_AT, sizeof record);
    record.sequence += ahead;
    const uint32_t seal = mm_seal_of(&record, sizeof record);
    memcpy(nvm + slot * MM_SLOT_BYTES + MM_SLOT_BODY_AT, &record, sizeof record);
    memcpy(nvm + slot * MM_SLOT_BYTES, &seal, sizeof seal);
}

static void make_image(model_image_t image, unsigned unit_bytes) {
    for (uint32_t i = 0; i < MODEL_NVM_BYTES; i++) {
        nvm[i] = image == MODEL_ONES ? 0xFF : image == MODEL_NOISE ? (uint8_t)mix(i) : 0;
    }
    begin(unit_bytes, 2);
    if (image == MODEL_OTHER_APP) {
        boot(&other_app);
        begin(unit_bytes, 2);
    }
    if (image ==
        MODEL_WRAP) { /* commits 0 to 4 are there; the next gets sequence number 0xFFFFFFFF, then come 0, 1, 2 */
        boot(&this_app);
        begin(unit_bytes, 4);
        model.first_sequence = 1u + 0xFFFFFFF9u;
        model.world.handed = 2;
        model.world.committed = 4;
        seal_slot(0, 0xFFFFFFF9u);
        seal_slot(1, 0xFFFFFFF9u);
    }
    model.check = true;
}

static void explore(model_findings_t* findings, unsigned depth, const char* path) {
    uint8_t kept[MODEL_NVM_BYTES];
    const model_world_t world = model.world;
    memcpy(kept, nvm, sizeof kept);
    model.wrong = NULL;
    model.cut_at = -1;
    const int status = boot(&this_app);
    if (status != MM_STATUS_IDLE || model.world.handed != model.inferences) {
        note_wrong("it did not come to its end");
    }
    findings->lives++;
    if (model.wrong != NULL && findings->wrong++ == 0) {
        snprintf(findings->first, sizeof findings->first, "%s%s", path, model.wrong);
    }
    const int64_t units = model.units;
    for (int64_t cut = 0; cut < units && depth > 0; cut++) {
        for (unsigned tear = 0; tear < count_tears(model.unit_bytes); tear++) {
            char here[160];
            snprintf(here, sizeof here, "%scut %d tear %u: ", path, (int)cut, tear);
            memcpy(nvm, kept, sizeof kept);
            model.world = world;
            model.cut_at = cut;
            model.tear = tear;
            model.wrong = NULL;
            boot(&this_app);
            explore(findings, depth - 1, here);
        }
    }
}

model_findings_t model_explore(model_image_t image, unsigned unit_bytes, unsigned depth) {
    model_findings_t findings = {0, 0, 0, ""};
    make_image(image, unit_bytes);
    explore(&findings, depth, "");
    return findings;
}

model_findings_t model_explore_reflashing(unsigned unit_bytes) {
    model_findings_t findings = {0, 0, 0, ""};
    uint8_t kept[MODEL_NVM_BYTES];
    memset(nvm, 0, sizeof nvm);
    begin(unit_bytes, 2);
    boot(&this_app);
    const uint32_t newest = mm_state.record.sequence;
    memcpy(kept, nvm, sizeof kept);
    begin(unit_bytes, 2);
    boot(&other_app);
    const int64_t units = model.units;
    for (int64_t cut = 0; cut < units; cut++) {
        for (unsigned tear = 0; tear < count_tears(unit_bytes); tear++) {
            memcpy(nvm, kept, sizeof kept);
            begin(unit_bytes, 2);
            model.cut_at = cut;
            model.tear = tear;
            boot(&other_app);
            /* It goes on from the newest of its records or starts anew. The one before is no way on: its task may read
             * homes that the next task has overwritten since. */
            begin(unit_bytes, INFERENCES_MAX);
            model.check = true;
            model.wrong = NULL;
            if (mm_find_record(&this_app)) {
                model.world.committed = (int64_t)mm_state.record.sequence - 1;
                model.world.handed = mm_state.record.inference;
                findings.older += mm_state.record.sequence != newest;
            }
            char here[80];
            snprintf(here, sizeof here, "other build cut %d tear %u: ", (int)cut, tear);
            explore(&findings, 0, here);
        }
    }
    return findings;
}

/* ---- Progress ---- */

static model_attempts_t boot_often(unsigned boots, bool in_vain, uint32_t inferences, bool answer) {
    model_attempts_t attempts = {0, 0, 0, 0};
    memset(nvm, 0, sizeof nvm);
    begin(4, inferences);
    model.in_vain = in_vain;
    model.answer = answer;
    for (unsigned i = 1; i <= boots; i++) {
        model.boot_number = i;
        attempts.ended += boot(&this_app) == MM_STATUS_NO_PROGRESS;
    }
    model.attempts.ended = attempts.ended;
    return model.attempts;
}

model_attempts_t model_boot_in_vain(unsigned boots, bool answer) {
    return boot_often(boots, true, 1, answer);
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
    memset(nvm, 0, sizeof nvm);
    begin(1, 1);
    model.defect = defect;
    return boot(&app);
}
