/* Plays random turns of a game of Bluestone, then searches the position before the first turn.
 *
 *     random_game [SEED [PLAYOUTS]]
 *
 * docs/engine-in-other-programs.md says how to build it.
 */

#include "bluestone.h"

#include <stdio.h>
#include <stdlib.h>

enum { MEGABYTES = 16, MOST_STEPS = 402 };

static const struct bluestone_board *const board = &bluestone_pent_6;
static const char *const *const names = bluestone_pent_6_steps;

/* The numbers of an array, and its shape: ARRAY(int8_t, 2, 76) has 2 rows of 76 numbers. */
#define ARRAY(type, ...) {zeros(sizeof(type), SHAPE(__VA_ARGS__)), {__VA_ARGS__}}
#define SHAPE(...) (const int64_t[]){__VA_ARGS__, -1}

static void *zeros(size_t size, const int64_t *shape) {
  size_t count = 1;
  for (; *shape >= 0; shape++) {
    count *= (size_t)*shape;
  }
  void *numbers = calloc(count, size);
  if (numbers == NULL) {
    fputs("there is not enough memory\n", stderr);
    exit(1);
  }
  return numbers;
}

/* xorshift, as in the engine; the state must not be zero. */
static int64_t random_below(uint64_t *state, int64_t bound) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (int64_t)((*state >> 32) * (uint64_t)bound >> 32);
}

static void play_random_turns(uint64_t random) {
  static int16_t codes[MOST_STEPS];
  struct bluestone_state state = {0};
  struct bluestone_start_call start = {board, &state, 0};
  bluestone_start(&start);
  while (!state.over) {
    struct bluestone_legal_steps_call legal = {board, &state, {codes, {MOST_STEPS}}, 0};
    bluestone_legal_steps(&legal);
    int64_t code = codes[random_below(&random, legal.result)];
    int64_t is_second = state.step;
    struct bluestone_try_step_call step = {board, &state, code, 0};
    bluestone_try_step(&step); /* its result says whether the step was legal */
    if (code == BLUESTONE_PASS) {
      fputs("pass", stdout);
    } else if (code != BLUESTONE_STOP) {
      printf("%s%s", is_second ? "," : "", names[code]);
    }
    fputs(state.step && !state.over ? "" : "\n", stdout);
  }
  struct bluestone_outcome_call outcome = {board, &state, 0};
  bluestone_outcome(&outcome);
  printf(outcome.result ? "player %d wins\n" : "draw\n", (int)outcome.result);
}

/* Arrays for a tree of so many megabytes, with the shares of engine/search/tree.py. */
static struct bluestone_tree new_tree(double megabytes) {
  int64_t steps = board->n_steps;
  double nodes_per_block = 4 + (double)steps / 20, tables_per_block = 0.6;
  double block = (double)steps * 7 + nodes_per_block * 24 + tables_per_block * 16 * (double)steps;
  double blocks = megabytes * (1 << 20) / block;
  int64_t nodes = (int64_t)(blocks * nodes_per_block);
  int64_t edges = (int64_t)(blocks * (double)steps);
  int64_t tables = (int64_t)(blocks * tables_per_block);
  struct bluestone_tree tree = {
      .first_edge = ARRAY(int32_t, nodes),
      .edge_count = ARRAY(int16_t, nodes),
      .mover = ARRAY(int8_t, nodes),
      .visits = ARRAY(int32_t, nodes),
      .points = ARRAY(int64_t, nodes),
      .table = ARRAY(int32_t, nodes),
      .solved = ARRAY(int8_t, nodes),
      .child = ARRAY(int32_t, edges),
      .step = ARRAY(int16_t, edges),
      .prior = ARRAY(int8_t, edges),
      .amaf_visits = ARRAY(int32_t, tables, 2, steps),
      .amaf_points = ARRAY(int32_t, tables, 2, steps),
      .used = ARRAY(int64_t, 3),
  };
  struct bluestone_clear_call clear = {tree, 0};
  any_clear(&clear);
  return tree;
}

static void search(uint64_t random, int64_t playouts) {
  struct bluestone_state root = {0}, state = {0};
  struct bluestone_start_call start = {board, &root, 0};
  bluestone_start(&start);
  int64_t steps = board->n_steps;
  struct bluestone_simulate_call call = {
      .board = board,
      .root = &root,
      .state = &state, /* working memory */
      .tree = new_tree(MEGABYTES),
      .work = {.path = ARRAY(int32_t, BLUESTONE_LONGEST_PATH),
               .path_steps = ARRAY(int16_t, BLUESTONE_LONGEST_PATH),
               .movers = ARRAY(int8_t, BLUESTONE_LONGEST_PATH),
               .steps = ARRAY(int16_t, steps + 2),
               .owner = ARRAY(int8_t, steps),
               .standing = ARRAY(int32_t, 2, steps),
               .credit = ARRAY(int32_t, 2, steps),
               .rng = {&random, {1}},
               .thoughts = {.expected = ARRAY(float, 1)},
               .halt = ARRAY(int64_t, 1)},
      .tuning = bluestone_tuning_playouts, /* without a network, whose arrays are empty */
      .left = {&playouts, {1}},
  };
  call.work.halt.numbers[0] = INT64_MAX; /* nanoseconds of CLOCK_MONOTONIC at which it stops */
  bluestone_simulate(&call);
  const struct bluestone_tree *tree = &call.tree;
  int32_t first = tree->first_edge.numbers[BLUESTONE_ROOT];
  int32_t best = first;
  for (int32_t edge = first; edge < first + tree->edge_count.numbers[BLUESTONE_ROOT]; edge++) {
    int32_t child = tree->child.numbers[edge];
    int32_t most = tree->child.numbers[best];
    if (child >= 0 && (most < 0 || tree->visits.numbers[child] > tree->visits.numbers[most])) {
      best = edge;
    }
  }
  printf("%d of %d playouts begin with %s\n", tree->visits.numbers[tree->child.numbers[best]],
         tree->visits.numbers[BLUESTONE_ROOT], names[tree->step.numbers[best]]);
}

int main(int count, char **arguments) {
  uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
  play_random_turns(seed ? seed : 1);
  search(seed ? seed : 1, count > 2 ? atoll(arguments[2]) : 2000);
  return 0;
}
