/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The searches over power cycles: nested to a depth, to closure, and across a reflashing.
 *
 * Closure. What a boot does depends on nothing but the bytes of memory that it reads before it writes them. A state is
 * an image with all other bytes unknown, and the world (outputs handed over, commit that had completed). Each state is
 * run once, undisturbed to its end, and checked; each image that a cut of that run could have left is booted and
 * brought to the same form; new ones are run, until there are none. Should a boot need a byte that was unknown, images
 * were taken for one that are not: from then on that byte is kept in every image, and all begins again. So the answer
 * holds for any number of cuts.
 */
#include "model_life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES_MAX = 1 << 20 };

static void note(model_findings_t* findings, const char* path) {
    findings->lives++;
    if (life_wrong() != NULL && findings->wrong++ == 0) {
        snprintf(findings->first, sizeof findings->first, "%s%s", path, life_wrong());
    }
}

/* ---- To a depth ---- */

static void explore(model_findings_t* findings, const life_setting_t* setting, const model_state_t* from,
                    unsigned depth, const char* path) {
    model_cuts_t cuts = {NULL, 0, 0};
    life_run(MODEL_THIS_BUILD, setting, from, depth > 0 ? &cuts : NULL);
    note(findings, path);
    for (uint32_t i = 0; i < cuts.count; i++) {
        const model_cut_t* cut = &cuts.list[i];
        char here[160];
        snprintf(here, sizeof here, "%scut %u variant %u: ", path, cut->point, cut->variant);
        explore(findings, setting, &cut->state, depth - 1, here);
    }
    free(cuts.list);
}

model_findings_t model_explore(model_image_t image, const model_memory_t* memory, unsigned depth) {
    model_findings_t findings = {0, 0, 0, ""};
    life_setting_t setting;
    model_state_t from;
    life_make(image, memory, &setting, &from);
    explore(&findings, &setting, &from, depth, "");
    return findings;
}

/* ---- Sets of states ---- */

typedef struct seen {
    model_state_t state;
    uint32_t parent, point, variant; /* how it came about */
} seen_t;

typedef struct set {
    seen_t* list;
    uint32_t* places; /* hash table: 1 + index into list */
    uint32_t count, capacity, mask;
} set_t;

static uint64_t hash(const model_state_t* state) {
    uint64_t words[sizeof *state / 8], sum = 0;
    memcpy(words, state, sizeof words);
    for (unsigned i = 0; i < sizeof words / 8; i++) {
        sum = (sum ^ words[i]) * 0x9E3779B97F4A7C15u;
        sum ^= sum >> 29;
    }
    return sum;
}

static void* allocate(void* old, size_t bytes) {
    void* fresh = realloc(old, bytes);
    if (fresh == NULL) {
        abort();
    }
    return fresh;
}

static void rehash(set_t* set) {
    set->mask = set->capacity * 4u - 1u;
    free(set->places);
    set->places = allocate(NULL, (size_t)(set->mask + 1u) * sizeof *set->places);
    memset(set->places, 0, (size_t)(set->mask + 1u) * sizeof *set->places);
    for (uint32_t i = 0; i < set->count; i++) {
        uint64_t at = hash(&set->list[i].state);
        while (set->places[at & set->mask] != 0) {
            at++;
        }
        set->places[at & set->mask] = i + 1u;
    }
}

/* False: it was there. */
static bool add(set_t* set, const seen_t* what) {
    if (set->count == set->capacity) {
        set->capacity = set->capacity == 0 ? 4096 : 2 * set->capacity;
        set->list = allocate(set->list, set->capacity * sizeof *set->list);
        rehash(set);
    }
    uint64_t at = hash(&what->state);
    for (; set->places[at & set->mask] != 0; at++) {
        if (memcmp(&set->list[set->places[at & set->mask] - 1u].state, &what->state, sizeof what->state) == 0) {
            return false;
        }
    }
    set->list[set->count++] = *what;
    set->places[at & set->mask] = set->count;
    return true;
}

static void drop(set_t* set) {
    free(set->list);
    free(set->places);
}

/* ---- To closure ---- */

static void tell_path(const set_t* set, uint32_t index, char* text, size_t bytes) {
    char longer[200];
    for (unsigned cuts = 0; index != 0 && cuts < 6; index = set->list[index].parent, cuts++) {
        snprintf(longer, sizeof longer, "cut %u variant %u, %.150s", set->list[index].point, set->list[index].variant,
                 text);
        snprintf(text, bytes, "%s", longer);
    }
}

typedef struct closure {
    model_findings_t findings;
    life_setting_t setting;
    set_t images, states;
    uint8_t kept[MODEL_NVM_BYTES];
    bool has_grown; /* kept has */
} closure_t;

static void live(closure_t* closure, uint32_t index, const model_state_t* from, model_cuts_t* cuts) {
    char path[200] = "";
    life_run(MODEL_THIS_BUILD, &closure->setting, from, cuts);
    if (memory_unknown_was_read(closure->kept)) {
        closure->has_grown = true;
        return;
    }
    if (life_wrong() != NULL) {
        tell_path(&closure->images, index, path, sizeof path);
    }
    note(&closure->findings, path);
}

/* Runs image `index` of those that were seen, and if its state is new, adds what its cuts leave. */
static void visit(closure_t* closure, uint32_t index) {
    seen_t needed = {closure->images.list[index].state, 0, 0, 0};
    live(closure, index, &closure->images.list[index].state, NULL);
    memory_forget_unneeded(&needed.state.image, closure->kept);
    if (closure->has_grown || !add(&closure->states, &needed)) {
        return;
    }
    model_cuts_t cuts = {NULL, 0, 0};
    live(closure, index, &needed.state, &cuts);
    for (uint32_t i = 0; i < cuts.count; i++) {
        const seen_t next = {cuts.list[i].state, index, cuts.list[i].point, cuts.list[i].variant};
        add(&closure->images, &next);
    }
    free(cuts.list);
}

/* Until there is no new image, or something is wrong, or a byte more is to be kept. */
static void pass(closure_t* closure, const seen_t* first) {
    uint32_t next = 0;
    closure->images = closure->states = (set_t){NULL, NULL, 0, 0, 0};
    closure->has_grown = false;
    add(&closure->images, first);
    while (next < closure->images.count && closure->images.count < IMAGES_MAX && closure->findings.wrong == 0 &&
           !closure->has_grown) {
        visit(closure, next++);
    }
    if (next < closure->images.count && !closure->has_grown && closure->findings.wrong++ == 0) {
        snprintf(closure->findings.first, sizeof closure->findings.first, "it does not close");
    }
    closure->findings.states = closure->states.count;
    drop(&closure->images);
    drop(&closure->states);
}

model_findings_t model_close(model_image_t image, const model_memory_t* memory) {
    static closure_t closure;
    seen_t first = {0};
    memset(&closure, 0, sizeof closure);
    life_make(image, memory, &closure.setting, &first.state);
    do {
        pass(&closure, &first);
    } while (closure.has_grown && closure.findings.wrong == 0);
    return closure.findings;
}

/* ---- Reflashing ---- */

static void go_back(model_findings_t* findings, const life_setting_t* setting, const model_cut_t* stop, set_t* images) {
    model_cuts_t cuts = {NULL, 0, 0};
    life_setting_t others = *setting;
    model_state_t between = stop->state;
    others.may_start_anew = true;
    life_run(MODEL_OTHER_BUILD, &others, &between, &cuts);
    for (uint32_t i = 0; i < cuts.count; i++) {
        seen_t back = {cuts.list[i].state, 0, 0, 0};
        back.state.world = stop->state.world;
        if (add(images, &back)) {
            char path[120];
            snprintf(path, sizeof path, "cut %u variant %u, other build cut %u variant %u: ", stop->point,
                     stop->variant, cuts.list[i].point, cuts.list[i].variant);
            life_run(MODEL_THIS_BUILD, &others, &back.state, NULL);
            note(findings, path);
        }
    }
    free(cuts.list);
}

model_findings_t model_explore_reflashing(const model_memory_t* memory) {
    model_findings_t findings = {0, 0, 0, ""};
    life_setting_t setting;
    model_state_t from;
    model_cuts_t stops = {NULL, 0, 0};
    set_t images = {0};
    life_make(MODEL_ZEROS, memory, &setting, &from);
    life_run(MODEL_THIS_BUILD, &setting, &from, &stops);
    for (uint32_t i = 0; i < stops.count; i++) {
        if (stops.list[i].variant < 2) { /* before a unit, or a part of it; reordered: nothing, or all of a burst */
            go_back(&findings, &setting, &stops.list[i], &images);
        }
    }
    free(stops.list);
    drop(&images);
    return findings;
}
