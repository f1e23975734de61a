/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The report of a cut run: one JSON object on stdout. Its schema: README.md.
 */
#include <stdio.h>

#include "mm_host_cut_state.h"

static const char* const mm_class_names[MM_UNIT_CLASSES] = {"data", "record", "attempt", "first_boot"};

static unsigned long long mm_sum_of(const mm_report_t* report, size_t member) {
    uint64_t sum = 0;
    for (unsigned job = 0; job < report->jobs; job++) {
        sum += *(const uint64_t*)(const void*)((const uint8_t*)&report->workers[job] + member);
    }
    return sum;
}
#define MM_SUM(report, member) mm_sum_of(report, offsetof(mm_worker_t, member))

uint64_t mm_count_wrong(const mm_report_t* report) {
    return MM_SUM(report, wrong_count);
}

static void mm_print_by_class(const uint64_t* values) {
    for (unsigned i = 0; i < MM_UNIT_CLASSES; i++) {
        printf("%s\"%s\": %llu", i == 0 ? "" : ", ", mm_class_names[i], (unsigned long long)values[i]);
    }
}

static void mm_print_bytes(void) {
    printf("  \"nvm_bytes_written\": {");
    mm_print_by_class(mm_reference->bytes_by_class);
    printf(",\n    \"per_inference\": [");
    for (uint32_t i = 0; i < mm_host_inferences; i++) {
        printf("%s{\"data\": %llu, \"record\": %llu}", i == 0 ? "" : ", ",
               (unsigned long long)mm_reference_bytes[2 * i], (unsigned long long)mm_reference_bytes[2 * i + 1]);
    }
    printf("]},\n");
}

static void mm_print_wrong(const mm_wrong_t* wrong) {
    const mm_verdict_t* verdict = &wrong->verdict;
    if (wrong->unit < 0) {
        printf("{\"id\": \"uninterrupted\", ");
    } else if (wrong->second < 0) {
        printf("{\"id\": \"cut:%lld\", \"unit\": %lld, ", (long long)wrong->unit, (long long)wrong->unit);
    } else {
        printf("{\"id\": \"cut:%lld+%lld\", \"unit\": %lld, \"second\": %lld, ", (long long)wrong->unit,
               (long long)wrong->second, (long long)wrong->unit, (long long)wrong->second);
    }
    if (wrong->unit >= 0 && (uint64_t)wrong->unit < mm_reference->units) {
        const mm_unit_t* unit = &mm_reference_log[wrong->unit];
        printf("\"address\": %u, \"class\": \"%s\", \"cut_task\": \"%s\", ", unit->address,
               mm_class_names[unit->unit_class], mm_host_app.task_names[unit->task]);
    }
    printf("\"task\": \"%s\", \"kind\": \"%s\", \"detail\": \"%s\"}", mm_host_app.task_names[verdict->task],
           verdict->kind, verdict->detail);
}

static void mm_print_wrongs(const mm_report_t* report) {
    unsigned printed = 0;
    printf("  \"wrong_count\": %llu,\n  \"wrong\": [", (unsigned long long)mm_count_wrong(report));
    for (uint32_t i = 0; i < MM_WRONG_MAX; i++) { /* in turn, so that no job's are left out */
        for (unsigned job = 0; job < report->jobs && printed < MM_WRONG_MAX; job++) {
            if (i < report->workers[job].wrongs) {
                printf("%s\n    ", printed++ == 0 ? "" : ",");
                mm_print_wrong(&report->workers[job].wrong[i]);
            }
        }
    }
    printf("]\n");
}

void mm_print_report(const mm_report_t* report) {
#ifdef MM_PORT_MAPPED
    const char* mode = "mapped";
#else
    const char* mode = "bus";
#endif
    printf("{\n  \"schema\": 1,\n  \"mode\": \"%s\",\n  \"inferences\": %u,\n  \"nvm_bytes\": %u,\n", mode,
           mm_host_inferences, mm_host_nvm_bytes);
    printf("  \"units_total\": %llu,\n  \"units\": {", (unsigned long long)mm_reference->units);
    mm_print_by_class(mm_reference->units_by_class);
    printf(
        "},\n  \"cuts_possible\": %llu,\n  \"cuts_planned\": %llu,\n  \"cuts_first\": %llu,\n  \"cuts_tried\": %llu,\n",
        (unsigned long long)mm_reference->units + 1, (unsigned long long)report->cuts_planned,
        (unsigned long long)report->first_planned, MM_SUM(report, cuts_done));
    printf("  \"second_cuts_tried\": %llu,\n  \"reboots\": %llu,\n  \"recoveries_ended_early\": %llu,\n",
           MM_SUM(report, seconds_done), MM_SUM(report, reboots), MM_SUM(report, joined));
    printf("  \"tasks_run_again\": %llu,\n  \"boots\": 1,\n  \"commits\": %lld,\n", MM_SUM(report, tasks_again),
           (long long)mm_reference->commits);
    mm_print_bytes();
    printf("  \"seconds\": %.3f,\n", report->seconds);
    mm_print_wrongs(report);
    printf("}\n");
}
