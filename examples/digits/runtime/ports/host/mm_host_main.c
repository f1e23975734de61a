/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The program around a woven application on a host: one power cycle of it, or (--explore, --replay) all its power cuts.
 * Options, files and exit statuses: README.md.
 */
#define _GNU_SOURCE /* kill */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mm_host.h"
#include "mm_host_cut.h"

static struct {
    const char *nvm, *nvm_fill, *inputs, *outputs;
    bool explore;
    bool cuts;
    uint64_t cut_after;
    uint64_t units;
    int outputs_file;
    mm_host_cut_options_t cut;
} mm_main;

static _Noreturn void mm_usage(const char* why, const char* what) {
    fprintf(
        stderr,
        "%s%s%s\n"
        "one power cycle: APP --nvm FILE --inputs FILE --outputs FILE [--inferences N] [--cut-after UNITS]\n"
        "                     [--nvm-fill zeros|ones|noise:SEED|FILE]\n"
        "all power cuts:  APP --explore --nvm FILE --inputs FILE [--expect FILE] [--inferences N]\n"
        "                     [--cut every|none|N] [--cut-budget SECONDS] [--second K|every] [--jobs J]\n"
        "                     [--timeout SECONDS] [--nvm-fill zeros|ones|noise:SEED|FILE] [--replay cut:K|cut:K+M]\n",
        why, what[0] != '\0' ? ": " : "", what);
    exit(MM_HOST_EXIT_USAGE);
}

static uint64_t mm_number(const char* option, const char* text, uint64_t least) {
    char* end = NULL;
    errno = 0;
    const unsigned long long value = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
    if (end == NULL || *end != '\0' || errno != 0 || value < least) {
        mm_usage("not a number that can be", option);
    }
    return value;
}

/* Digits at `*text`, which is set behind them; -1 if there are none, or more than a unit's number can have. */
static int64_t mm_digits(const char** text) {
    char* end = NULL;
    errno = 0;
    const unsigned long long value = (*text)[0] >= '0' && (*text)[0] <= '9' ? strtoull(*text, &end, 10) : 0;
    if (end == NULL || errno != 0 || value > INT64_MAX) {
        return -1;
    }
    *text = end;
    return (int64_t)value;
}

static void mm_parse_replay(const char* text) {
    const char* rest = text + 4;
    bool is_id = strncmp(text, "cut:", 4) == 0;
    mm_main.cut.replay = true;
    mm_main.cut.replay_first = is_id ? mm_digits(&rest) : -1;
    mm_main.cut.replay_second = -1;
    is_id = mm_main.cut.replay_first >= 0;
    if (is_id && *rest == '+') {
        rest++;
        mm_main.cut.replay_second = mm_digits(&rest);
        is_id = mm_main.cut.replay_second >= 0;
    }
    if (!is_id || *rest != '\0') {
        mm_usage("not the id of a cut", text);
    }
}

static void mm_parse_cut(const char* text) {
    if (strcmp(text, "every") == 0) {
        mm_main.cut.cuts_max = UINT64_MAX;
    } else {
        mm_main.cut.cuts_max = strcmp(text, "none") == 0 ? 0 : mm_number("--cut", text, 1);
    }
}

static void mm_parse_option(const char* option, const char* value) {
    if (strcmp(option, "--nvm") == 0) {
        mm_main.nvm = value;
    } else if (strcmp(option, "--inputs") == 0) {
        mm_main.inputs = value;
    } else if (strcmp(option, "--outputs") == 0) {
        mm_main.outputs = value;
    } else if (strcmp(option, "--nvm-fill") == 0) {
        mm_main.nvm_fill = value;
    } else if (strcmp(option, "--inferences") == 0) {
        mm_host_inferences = (uint32_t)mm_number(option, value, 1);
    } else if (strcmp(option, "--cut-after") == 0) {
        mm_main.cuts = true;
        mm_main.cut_after = mm_number(option, value, 0);
    } else if (strcmp(option, "--expect") == 0) {
        mm_main.cut.expect = value;
    } else if (strcmp(option, "--cut") == 0) {
        mm_parse_cut(value);
    } else if (strcmp(option, "--cut-budget") == 0) {
        mm_main.cut.budget_seconds = mm_number(option, value, 1);
    } else if (strcmp(option, "--second") == 0) {
        mm_main.cut.seconds_max = strcmp(value, "every") == 0 ? UINT64_MAX : mm_number(option, value, 0);
    } else if (strcmp(option, "--jobs") == 0) {
        mm_main.cut.jobs = (unsigned)mm_number(option, value, 1);
    } else if (strcmp(option, "--timeout") == 0) {
        mm_main.cut.timeout_seconds = (unsigned)mm_number(option, value, 1);
    } else if (strcmp(option, "--replay") == 0) {
        mm_main.explore = true;
        mm_parse_replay(value);
    } else {
        mm_usage("unknown option", option);
    }
}

static void mm_parse_options(int count, char** options) {
    mm_main.cut.cuts_max = UINT64_MAX;
    mm_main.cut.seconds_max = 1;
    mm_main.cut.jobs = 1;
    mm_main.cut.timeout_seconds = 10;
    for (int i = 1; i < count; i++) {
        if (strcmp(options[i], "--explore") == 0) {
            mm_main.explore = true;
        } else if (i + 1 < count) {
            mm_parse_option(options[i], options[i + 1]);
            i++;
        } else {
            mm_usage("unknown option, or its value is missing", options[i]);
        }
    }
    if (mm_main.nvm == NULL || mm_main.inputs == NULL || (mm_main.outputs == NULL && !mm_main.explore)) {
        mm_usage("--nvm, --inputs and (without --explore) --outputs are needed", "");
    }
    if (mm_main.cut.replay && mm_main.cut.cuts_max == 0) {
        mm_usage("--cut none contradicts --replay", "");
    }
}

static void mm_open_inputs(void) {
    size_t bytes = 0;
    const uint32_t each = mm_host_total_input_bytes();
    mm_host_inputs = mm_host_map_file(mm_main.inputs, &bytes);
    if (mm_host_inputs == NULL) {
        exit(MM_HOST_EXIT_USAGE);
    }
    if (mm_host_inferences == 0) {
        mm_host_inferences = each == 0 ? 1 : (uint32_t)(bytes / each);
    }
    if (bytes < (size_t)mm_host_inferences * each || mm_host_inferences == 0) {
        fprintf(stderr, "%s: %zu bytes are too few for %u inferences of %u bytes\n", mm_main.inputs, bytes,
                mm_host_inferences, each);
        exit(MM_HOST_EXIT_USAGE);
    }
}

static void mm_count_unit(uint32_t address, uint32_t bytes) {
    (void)address;
    (void)bytes;
    if (mm_main.cuts && mm_main.units == mm_main.cut_after) {
        if (!mm_host_sees_stores) {
            fprintf(stderr,
                    "cannot cut: the application was compiled without store callbacks "
                    "(clang -fsanitize-coverage=func,trace-stores)\n");
            _exit(MM_HOST_EXIT_NO_CALLBACKS);
        }
        kill(getpid(), SIGKILL);
    }
    mm_main.units++;
}

static void mm_check_event(mm_event_t event, mm_task_id_t task) {
    (void)event;
    const int64_t unseen = mm_host_sees_stores ? mm_host_check_stores() : -1;
    if (unseen >= 0) {
        fprintf(stderr, "store not seen at offset %lld, before an event of task %s\n", (long long)unseen,
                mm_host_app.task_names[task]);
        _exit(MM_HOST_EXIT_UNSEEN_STORE);
    }
}

/* Writes all of `bytes`; a disk or a signal may make it several times. */
static bool mm_append_all(const uint8_t* from, uint32_t bytes) {
    while (bytes > 0) {
        const ssize_t written = write(mm_main.outputs_file, from, bytes);
        if (written <= 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            from += written;
            bytes -= (uint32_t)written;
        }
    }
    return true;
}

/* The receiver: the outputs file. Its size says what it has; what comes again is compared and dropped. A process that
 * is killed while it writes may leave the beginning of an output: the rest is then appended. */
static void mm_receive_output(uint32_t sequence, unsigned index, const void* from, uint32_t bytes) {
    struct stat status;
    const off_t at = (off_t)((uint64_t)sequence * mm_host_total_output_bytes() + mm_host_output_at(index));
    uint8_t* had = malloc(bytes > 0 ? bytes : 1);
    bool right = had != NULL && fstat(mm_main.outputs_file, &status) == 0 && at <= status.st_size;
    if (right) {
        const uint64_t there = (uint64_t)(status.st_size - at);
        const uint32_t known = there < bytes ? (uint32_t)there : bytes;
        right = pread(mm_main.outputs_file, had, known, at) == (ssize_t)known && memcmp(had, from, known) == 0 &&
                mm_append_all((const uint8_t*)from + known, bytes - known);
    }
    free(had);
    if (!right) {
        fprintf(stderr, "%s: output %u of inference %u does not follow what is there\n", mm_main.outputs, index,
                sequence);
        _exit(MM_HOST_EXIT_FATAL);
    }
}

static int mm_run_power_cycle(void) {
    mm_main.outputs_file = open(mm_main.outputs, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (mm_main.outputs_file < 0) {
        perror(mm_main.outputs);
        return MM_HOST_EXIT_USAGE;
    }
    mm_host_hooks.unit = mm_count_unit;
    mm_host_hooks.event = mm_check_event;
    mm_host_hooks.hand_over = mm_receive_output;
    if (!mm_host_guard_stores()) {
        return MM_HOST_EXIT_FATAL;
    }
    switch (mm_run(mm_host_app.app)) {
        case MM_STATUS_IDLE:
            printf("%u inferences completed, %llu write units\n", mm_inference(), (unsigned long long)mm_main.units);
            return MM_HOST_EXIT_DONE;
        case MM_STATUS_NO_PROGRESS:
            return MM_HOST_EXIT_NO_PROGRESS;
        default:
            fprintf(stderr, "the application's table is wrong, or NVM is too small\n");
            return MM_HOST_EXIT_FATAL;
    }
}

int main(int count, char** options) {
    mm_parse_options(count, options);
    mm_open_inputs();
    if (mm_main.explore) {
        mm_main.cut.nvm = mm_main.nvm;
        mm_main.cut.nvm_fill = mm_main.nvm_fill;
        return mm_host_explore_cuts(&mm_main.cut);
    }
    if (!mm_host_attach_nvm(mm_main.nvm, mm_host_app.app->nvm_bytes, mm_main.nvm_fill)) {
        return MM_HOST_EXIT_USAGE;
    }
    return mm_run_power_cycle();
}
