// A function that only fetches and is not inlined: its calls have to stay.
#include "base/prefetch.h"

struct Row {
  const int* places;
  int count;
};

[[gnu::noinline]] static void fetch_all(const Row& row) {
  for (int i = 0; i < row.count; ++i) trainyard::prefetch_line(row.places + 16 * i);
}

int visit(const Row* rows, int count);
int visit(const Row* rows, int count) {
  int sum = 0;
  for (int i = 0; i + 1 < count; ++i) {
    fetch_all(rows[i + 1]);
    sum += *rows[i].places;
  }
  return sum;
}
