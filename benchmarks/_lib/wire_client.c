/* What wire_client.py does, in C: a program that commands and reads in every step.

       wire_client SOCKET SENSORS
*/

#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD = 8, QUIT_SIZE = 11 };

static const double TARGET = 0.3; /* rad */
static int simulation;
static char answer[65536];

/* Adds a number, little-endian, to a request. */
static char *put(char *at, uint64_t number, int size) {
  for (; size > 0; size--, number >>= 8)
    *at++ = (char)number;
  return at;
}

/* Sends a request of some blocks; returns the size of the answer, 0 at its end. */
static uint32_t told(char *request, char *end, int milliseconds) {
  put(put(request, (uint64_t)(end - request), 4), milliseconds, 4);
  send(simulation, request, (size_t)(end - request), 0);
  uint32_t size = 4, arrived = 0;
  while (arrived < size) {
    ssize_t more =
        recv(simulation, answer + arrived, sizeof answer - arrived, 0);
    if (more <= 0)
      return 0;
    arrived += (uint32_t)more;
    if (arrived >= 4)
      memcpy(&size, answer, 4);
  }
  return size;
}

/* Connects, once there is somebody. */
static void reach(const char *name) {
  for (;; usleep(1000)) {
    glob_t found;
    if (glob(name, 0, NULL, &found) == 0) {
      struct sockaddr_un place = {AF_UNIX, ""};
      strncpy(place.sun_path, found.gl_pathv[0], sizeof place.sun_path - 1);
      globfree(&found);
      simulation = socket(AF_UNIX, SOCK_STREAM, 0);
      if (!connect(simulation, (struct sockaddr *)&place, sizeof place))
        return;
      close(simulation);
    }
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **words) {
  if (count != 3)
    return 2;
  reach(words[1]);
  char request[4096], *end = request + 8;
  told(request, put(put(put(end, 0, 2), 3, 4), 0x23, 3), 0);
  for (int tag = 2; tag < 2 + atoi(words[2]); tag++)
    end = put(put(put(put(end, tag, 2), 3, 4), 1, 1), PERIOD, 2);
  told(request, end, PERIOD);

  uint64_t target;
  memcpy(&target, &TARGET, 8);
  end = put(put(put(put(request + 8, 1, 2), 10, 4), 1, 2), target, 8);
  double start = now();
  int steps = 0;
  for (;;) {
    uint32_t size = told(request, end, PERIOD);
    if (size == 0 || (size == QUIT_SIZE && answer[10] == 2))
      break;
    steps++;
  }
  printf("%.9f\n", (now() - start) / (steps > 0 ? steps : 1));
  send(simulation, "\0\0\0\0", 4, 0);
  return 0;
}
