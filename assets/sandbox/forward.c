/*
 * forward PORT SOCKET: listens on a port of the loopback device and hands each connection to a unix
 * socket. It runs inside of the sandbox of a job, whose network has nothing else that leads to the
 * forge. It returns once it listens, and goes on in the background until the sandbox ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_PAIRS 128
#define BUFFER_BYTES 16384

/* One direction: what was read from `from` and is not written to `to` yet. */
struct direction {
  int from, to;
  size_t start, end;
  int at_end, is_shut;
  char buffer[BUFFER_BYTES];
};

struct pair {
  int is_open;
  struct direction directions[2];
};

static struct pair pairs[MAX_PAIRS];

static int listen_on(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons(port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (fd < 0) return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) return -1;
  return listen(fd, 64) == 0 ? fd : -1;
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
      fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
    return fd;
  close(fd);
  return -1;
}

static struct pair *free_pair(void) {
  for (int i = 0; i < MAX_PAIRS; i++)
    if (!pairs[i].is_open) return &pairs[i];
  return NULL;
}

static void open_pair(int listener, const char *path) {
  int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
  if (client < 0) return;
  struct pair *pair = free_pair();
  int server = pair == NULL ? -1 : connect_to(path);
  if (server < 0) {
    close(client);
    return;
  }
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  pair->is_open = 1;
  for (int i = 0; i < 2; i++) {
    struct direction *direction = &pair->directions[i];
    direction->from = i == 0 ? client : server;
    direction->to = i == 0 ? server : client;
    direction->start = direction->end = 0;
    direction->at_end = direction->is_shut = 0;
  }
}

static void close_pair(struct pair *pair) {
  close(pair->directions[0].from);
  close(pair->directions[1].from);
  pair->is_open = 0;
}

/* Whether a call that failed may be tried again. */
static int may_retry(void) { return errno == EAGAIN || errno == EINTR; }

/* Returns -1 when the connection is broken. */
static int move(struct direction *one) {
  if (one->start == one->end && !one->at_end) {
    ssize_t n = read(one->from, one->buffer, BUFFER_BYTES);
    if (n < 0 && !may_retry()) return -1;
    if (n == 0) one->at_end = 1;
    one->start = 0;
    one->end = n > 0 ? (size_t)n : 0;
  }
  if (one->start < one->end) {
    ssize_t n = write(one->to, one->buffer + one->start, one->end - one->start);
    if (n < 0 && !may_retry()) return -1;
    if (n > 0) one->start += (size_t)n;
  }
  if (one->at_end && one->start == one->end && !one->is_shut) {
    one->is_shut = 1;
    shutdown(one->to, SHUT_WR);
  }
  return 0;
}

/* What a descriptor waits for: to be read in its own direction, written in the other. */
static short events_of(const struct direction *own, const struct direction *other) {
  return (short)((own->start == own->end && !own->at_end ? POLLIN : 0) |
                 (other->start < other->end ? POLLOUT : 0));
}

static void serve(int listener, const char *path) {
  static struct pollfd waits[1 + 2 * MAX_PAIRS];
  for (;;) {
    waits[0] = (struct pollfd){.fd = free_pair() == NULL ? -1 : listener, .events = POLLIN};
    for (int i = 0; i < MAX_PAIRS; i++)
      for (int j = 0; j < 2; j++) {
        struct direction *all = pairs[i].directions;
        short events = pairs[i].is_open ? events_of(&all[j], &all[1 - j]) : 0;
        /* Without events a closed descriptor would still wake it, again and again. */
        int fd = events == 0 ? -1 : all[j].from;
        waits[1 + 2 * i + j] = (struct pollfd){.fd = fd, .events = events};
      }
    if (poll(waits, 1 + 2 * MAX_PAIRS, -1) < 0) continue;
    for (int i = 0; i < MAX_PAIRS; i++) {
      struct direction *all = pairs[i].directions;
      if (!pairs[i].is_open || !(waits[1 + 2 * i].revents | waits[2 + 2 * i].revents)) continue;
      if (move(&all[0]) != 0 || move(&all[1]) != 0 || (all[0].is_shut && all[1].is_shut))
        close_pair(&pairs[i]);
    }
    if (waits[0].revents & POLLIN) open_pair(listener, path);
  }
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  int listener = listen_on(atoi(arguments[1]));
  if (listener < 0) return 1;
  pid_t child = fork();
  if (child != 0) return child < 0;
  setsid();
  for (int i = 0; i < 3; i++) {
    close(i);
    open("/dev/null", O_RDWR);
  }
  for (int i = 3; i < 64; i++)
    if (i != listener) close(i);
  signal(SIGPIPE, SIG_IGN);
  serve(listener, arguments[2]);
}
