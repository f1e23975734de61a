/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Drives the lives of mm_host_life.c through every power cut.
 *
 * No driver process ever calls mm_run: each stays as the program was at start-up, and every life is forked from one, so
 * .data and .bss of a recovery are what the C start-up code leaves after a reset. First the reference life is recorded.
 * Then each worker, on an NVM file of its own, lets a second life run and stop at each of its units; a copy of it dies
 * there by SIGKILL; the worker keeps NVM and what the outside world knows (mm_world_t), forks a recovery on what the
 * death left, again with a second cut inside, puts NVM back and lets the life go on. So a cut costs a few forks and one
 * task run again, not a life from the start.
 *
 * Rejected: killing the one life at each unit and living it anew (each cut costs half an inference); longjmp instead of
 * processes (volatile memory would survive).
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "mm_host_cut.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mm_host.h"
#include "mm_host_cut_state.h"

mm_reference_t* mm_reference;
mm_unit_t* mm_reference_log;
uint8_t* mm_reference_nvm;
int64_t* mm_reference_handed;
uint64_t* mm_reference_bytes;
uint8_t* mm_expected;
bool mm_expected_given;

static struct {
    const mm_host_cut_options_t* options;
    uint8_t* planned;  /* a byte a cut; cut K: K units written; units + 1 of them */
    uint8_t* due;      /* likewise; of this round */
    uint64_t deadline; /* no cut begins then */
    uint8_t* kept_nvm; /* this worker's, at the current cut */
    uint8_t* proven;   /* a byte a commit, of all workers; in a worker: its own */
    mm_worker_t* worker;
} mm_cut;

void* mm_share(uint64_t bytes) {
    void* at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        perror("memory");
        exit(MM_HOST_EXIT_FATAL);
    }
    return at;
}

static uint64_t mm_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool mm_is_over(void) {
    return mm_cut.deadline != UINT64_MAX && mm_now_ns() >= mm_cut.deadline;
}

/* ---- The reference life ---- */

static bool mm_prepare_reference(void) {
    const uint32_t outputs = mm_host_inferences * mm_host_total_output_bytes();
    mm_reference = mm_share(sizeof *mm_reference);
    mm_reference->world = (mm_world_t){-1, -1, -1};
    mm_reference->will_be_cut = mm_cut.options->cuts_max != 0;
    mm_reference->commits_max = (int64_t)mm_host_app.app->task_count * mm_host_inferences + 1;
    const uint64_t commits = mm_reference->will_be_cut ? (uint64_t)mm_reference->commits_max : 1;
    mm_reference_log = mm_share(MM_UNITS_MAX * sizeof *mm_reference_log);
    mm_reference_nvm = mm_share(commits * mm_host_nvm_bytes);
    mm_reference_handed = mm_share(commits * sizeof *mm_reference_handed);
    mm_reference_bytes = mm_share(2u * mm_host_inferences * sizeof *mm_reference_bytes);
    mm_expected = mm_share(outputs + 1u);
    mm_expected_given = mm_cut.options->expect != NULL;
    if (!mm_expected_given) {
        return true;
    }
    size_t bytes = 0;
    const uint8_t* expected = mm_host_map_file(mm_cut.options->expect, &bytes);
    if (expected == NULL || bytes < outputs) {
        fprintf(stderr, "%s: %zu bytes are too few for the outputs of %u inferences\n", mm_cut.options->expect, bytes,
                mm_host_inferences);
        return false;
    }
    memcpy(mm_expected, expected, outputs);
    return true;
}

/* How a process that ran a life ended; into its verdict, unless it wrote one itself. False: not survived. */
static bool mm_judge_end(int status, mm_outcome_t* outcome) {
    mm_verdict_t* verdict = &outcome->verdict;
    if (verdict->kind != NULL) {
        return false;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == MM_HOST_EXIT_DONE && (outcome->finished || outcome->joined)) {
        return true;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        verdict->kind = "hang";
        snprintf(verdict->detail, sizeof verdict->detail, "not ended after %u s", mm_cut.options->timeout_seconds);
    } else {
        verdict->kind = "crash";
        snprintf(verdict->detail, sizeof verdict->detail, WIFSIGNALED(status) ? "died by signal %d" : "exit status %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return false;
}

static pid_t mm_fork(void) {
    const pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(MM_HOST_EXIT_FATAL);
    }
    return child;
}

static int mm_await(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child) {
        perror("waitpid");
        exit(MM_HOST_EXIT_FATAL);
    }
    return status;
}

static bool mm_record_reference(void) {
    const pid_t child = mm_fork();
    if (child == 0) {
        mm_live_reference();
    }
    return mm_judge_end(mm_await(child), &mm_reference->outcome);
}

/* ---- One cut ---- */

static void mm_note_wrong(mm_worker_t* worker, int64_t unit, int64_t second, const mm_verdict_t* verdict) {
    worker->wrong_count++;
    if (worker->wrongs < MM_WRONG_MAX) {
        worker->wrong[worker->wrongs++] = (mm_wrong_t){unit, second, *verdict};
    }
}

/* One boot on NVM as it is. `cut_at`: the process must die there. False: it ended otherwise. */
static bool mm_recover(uint64_t cut_at) {
    mm_outcome_t* outcome = &mm_cut.worker->outcome;
    memset(outcome, 0, sizeof *outcome);
    outcome->units_matched = UINT64_MAX;
    outcome->resumed = -1;
    const pid_t child = mm_fork();
    if (child == 0) {
        mm_live_recovery(mm_cut.worker, mm_cut.proven, cut_at, mm_cut.options->timeout_seconds);
    }
    const int status = mm_await(child);
    mm_cut.worker->reboots++;
    mm_cut.worker->tasks_again += outcome->tasks_again;
    if (cut_at != UINT64_MAX && outcome->verdict.kind == NULL) {
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? true : mm_judge_end(status, outcome);
    }
    const bool survived = mm_judge_end(status, outcome);
    if (outcome->joined) {
        mm_cut.worker->joined++;
    } else if (survived && outcome->resumed >= 0) {
        mm_cut.proven[outcome->resumed] = 1;
    }
    return survived;
}

static void mm_restore(const mm_world_t* world) {
    mm_host_copy_raw(mm_host_nvm, mm_cut.kept_nvm, mm_host_nvm_bytes);
    mm_cut.worker->world = *world;
}

static void mm_cut_again(uint64_t unit, uint64_t second, const mm_world_t* world) {
    mm_restore(world);
    if (!mm_recover(second) || !mm_recover(UINT64_MAX)) {
        mm_note_wrong(mm_cut.worker, (int64_t)unit, (int64_t)second, &mm_cut.worker->outcome.verdict);
    }
    mm_cut.worker->seconds_done++;
}

/* Second cuts lie evenly in the units that the recovery writes until it is back on the reference's path. Where they
 * begin differs from cut to cut by the golden ratio, so that few of them a cut still spread over all positions. */
static void mm_cut_once(uint64_t unit) {
    mm_worker_t* worker = mm_cut.worker;
    const mm_world_t world = worker->world;
    mm_host_copy_raw(mm_cut.kept_nvm, mm_host_nvm, mm_host_nvm_bytes);
    const bool survived = mm_recover(UINT64_MAX);
    const mm_outcome_t first = worker->outcome;
    if (!survived) {
        mm_note_wrong(worker, (int64_t)unit, -1, &first.verdict);
    } else if (mm_cut.options->replay) {
        const int64_t second = mm_cut.options->replay_second;
        worker->misses_second = second >= 0 && (uint64_t)second >= first.units;
        worker->recovery_units = first.units;
        if (second >= 0 && !worker->misses_second) {
            mm_cut_again(unit, (uint64_t)second, &world);
        }
    } else {
        const uint64_t units = first.units_matched < first.units ? first.units_matched : first.units;
        const uint64_t most = mm_cut.options->seconds_max;
        const uint64_t seconds = units < most ? units : most;
        const double turn = (double)worker->cuts_done * 0.6180339887498949;
        const double phase = seconds == units ? 0 : turn - (double)(uint64_t)turn;
        for (uint64_t i = 0; i < seconds && !mm_is_over(); i++) {
            const uint64_t at = (uint64_t)(((double)i + phase) * (double)units / (double)seconds);
            mm_cut_again(unit, seconds == units ? i : at % units, &world);
        }
    }
    mm_restore(&world);
    worker->cuts_done++;
}

/* ---- A worker: one life with stops ---- */

static void mm_attach_worker_nvm(unsigned job) {
    char path[4096];
    const bool alone = mm_cut.options->jobs == 1;
    snprintf(path, sizeof path, alone ? "%s" : "%s.job%u", mm_cut.options->nvm, job);
    const char* fill = mm_cut.options->nvm_fill != NULL ? mm_cut.options->nvm_fill : "zeros";
    if (!mm_host_attach_nvm(path, mm_host_app.app->nvm_bytes, fill)) {
        exit(MM_HOST_EXIT_USAGE);
    }
    if (!alone) {
        unlink(path); /* the mapping keeps it as long as the worker and its lives are there */
    }
}

static void mm_work(mm_worker_t* worker, unsigned job) {
    int stops[2], goes[2];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    mm_cut.worker = worker;
    mm_attach_worker_nvm(job);
    mm_cut.kept_nvm = mm_share(mm_host_nvm_bytes);
    mm_cut.proven += job * (uint64_t)mm_reference->commits;
    memset(&worker->outcome, 0, sizeof worker->outcome);
    worker->world = (mm_world_t){-1, -1, -1};
    if (pipe(stops) != 0 || pipe(goes) != 0) {
        perror("pipe");
        exit(MM_HOST_EXIT_FATAL);
    }
    const pid_t life = mm_fork();
    if (life == 0) {
        close(stops[0]);
        close(goes[1]);
        mm_live_with_stops(worker, mm_cut.due, job, mm_cut.options->jobs, stops[1], goes[0]);
    }
    close(stops[1]);
    close(goes[0]);
    uint64_t unit = 0;
    const uint8_t go_on = 1;
    while (read(stops[0], &unit, sizeof unit) == (ssize_t)sizeof unit) {
        if (mm_is_over()) {
            kill(life, SIGKILL);
            (void)mm_await(life);
            return;
        }
        mm_cut_once(unit);
        if (write(goes[1], &go_on, 1) != 1) {
            break;
        }
    }
    worker->outcome.finished = true; /* its exit status tells */
    if (!mm_judge_end(mm_await(life), &worker->outcome)) {
        mm_note_wrong(worker, -1, -1, &worker->outcome.verdict);
        worker->life_failed = true;
    }
}

static void mm_show_progress(const mm_worker_t* workers, unsigned jobs, uint64_t total) {
    uint64_t done = 0;
    for (unsigned job = 0; job < jobs; job++) {
        done += ((const volatile mm_worker_t*)&workers[job])->cuts_done;
    }
    fprintf(stderr, "progress %llu %llu\n", (unsigned long long)done, (unsigned long long)total);
}

static bool mm_work_all(mm_worker_t* workers) {
    const unsigned jobs = mm_cut.options->jobs;
    const uint64_t total = mm_count_planned(mm_cut.planned);
    const struct timespec tenth = {0, 100000000};
    bool fine = true;
    for (unsigned job = 0; job < jobs; job++) {
        if (mm_fork() == 0) {
            mm_work(&workers[job], job);
            _exit(MM_HOST_EXIT_DONE);
        }
    }
    for (unsigned left = jobs; left > 0;) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended > 0) {
            left--;
            fine = fine && WIFEXITED(status) && WEXITSTATUS(status) == MM_HOST_EXIT_DONE;
            continue;
        }
        nanosleep(&tenth, NULL);
        mm_show_progress(workers, jobs, total);
    }
    mm_show_progress(workers, jobs, total);
    return fine;
}

/* ---- Which cuts, and how many ---- */

/* Without a budget all at once. With one, in rounds, each spread evenly over what is left: those at records first, then
 * as many as the rounds before say that there is time for, doubled at most. So it is even whenever it stops. */
static bool mm_work_in_rounds(mm_worker_t* workers, uint64_t begin) {
    uint64_t most = mm_cut.options->budget_seconds != 0 ? 0 : UINT64_MAX;
    for (uint64_t round = 64;; round *= 2u) {
        if (mm_make_due(mm_cut.due, mm_cut.planned, most) == 0) {
            return true;
        }
        if (!mm_work_all(workers)) {
            return false;
        }
        const uint64_t now = mm_now_ns();
        uint64_t tried = 0;
        bool failed = false;
        for (unsigned job = 0; job < mm_cut.options->jobs; job++) {
            tried += workers[job].cuts_done;
            failed = failed || workers[job].life_failed;
        }
        if (failed || tried == 0 || now >= mm_cut.deadline) {
            return true;
        }
        const uint64_t affordable = (mm_cut.deadline - now) / ((now - begin) / tried + 1u);
        most = affordable < round ? affordable : round;
    }
}

static int mm_explore(mm_worker_t* workers, uint64_t begin) {
    const mm_host_cut_options_t* options = mm_cut.options;
    if (options->replay) {
        if ((uint64_t)options->replay_first > mm_reference->units) {
            fprintf(stderr, "there are only %llu write units\n", (unsigned long long)mm_reference->units);
            return MM_HOST_EXIT_USAGE;
        }
        mm_cut.planned[options->replay_first] = MM_CUT_PLANNED;
    } else {
        mm_choose_cuts(mm_cut.planned, options->cuts_max);
    }
    mm_cut.due = mm_share(mm_reference->units + 1);
    mm_cut.proven = mm_share(options->jobs * (uint64_t)mm_reference->commits);
    if (!mm_work_in_rounds(workers, begin)) {
        return MM_HOST_EXIT_FATAL;
    }
    for (unsigned job = 0; job < options->jobs; job++) {
        if (workers[job].misses_second) {
            fprintf(stderr, "the recovery from cut:%lld has only %llu write units\n", (long long)options->replay_first,
                    (unsigned long long)workers[job].recovery_units);
            return MM_HOST_EXIT_USAGE;
        }
    }
    return MM_HOST_EXIT_DONE;
}

int mm_host_explore_cuts(const mm_host_cut_options_t* options) {
    const uint64_t begin = mm_now_ns();
    const char* fill = options->nvm_fill != NULL ? options->nvm_fill : "zeros";
    mm_cut.options = options;
    mm_cut.deadline = options->budget_seconds != 0 ? begin + options->budget_seconds * 1000000000u : UINT64_MAX;
    mm_worker_t* workers = mm_share(options->jobs * sizeof *workers);
    if (!mm_host_attach_nvm(options->nvm, mm_host_app.app->nvm_bytes, fill) || !mm_prepare_reference()) {
        return MM_HOST_EXIT_USAGE;
    }
    int status = MM_HOST_EXIT_FAILED_CHECK;
    if (!mm_record_reference()) {
        mm_note_wrong(&workers[0], -1, -1, &mm_reference->outcome.verdict);
        if (strcmp(mm_reference->outcome.verdict.kind, "unseen store") == 0) {
            status = MM_HOST_EXIT_UNSEEN_STORE;
        }
        mm_cut.planned = mm_share(mm_reference->units + 1);
    } else if (!mm_reference->sees_stores) {
        fprintf(stderr,
                "cannot see NVM writes: the application was compiled without store callbacks "
                "(clang -fsanitize-coverage=func,trace-stores)\n");
        return MM_HOST_EXIT_NO_CALLBACKS;
    } else {
        mm_cut.planned = mm_share(mm_reference->units + 1);
        status = mm_reference->will_be_cut ? mm_explore(workers, begin) : MM_HOST_EXIT_DONE;
        if (status != MM_HOST_EXIT_DONE) {
            return status;
        }
    }
    const mm_report_t report = {workers, options->jobs, mm_count_planned(mm_cut.planned),
                                mm_count_first(mm_cut.planned), (double)(mm_now_ns() - begin) / 1e9};
    mm_print_report(&report);
    return status == MM_HOST_EXIT_DONE && mm_count_wrong(&report) > 0 ? MM_HOST_EXIT_FAILED_CHECK : status;
}
