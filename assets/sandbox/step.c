/*
 * step: executes an instruction RUN of a Dockerfile, as the first program of its container. The files
 * beside it say what: `variables` has variables of the environment, `arguments` the words of the
 * program, both with a zero byte after each, and `folder` the path to begin in. So neither variables
 * nor words become settings of the container, and with that of the image that is made of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/dev/hearth/"

static void say(const char *text) {
  ssize_t written = write(2, text, strlen(text));
  (void)written;
}

static void fail(const char *what) {
  int reason = errno;
  say(what);
  say(": ");
  say(strerror(reason));
  say("\n");
  _exit(reason == ENOENT ? 127 : 126);
}

/* The bytes of a file, with a zero byte after them. */
static char *read_file(const char *path, size_t *size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat found;
  if (fd < 0 || fstat(fd, &found) < 0) fail(path);
  char *bytes = malloc((size_t)found.st_size + 1);
  if (bytes == NULL) fail(path);
  for (*size = 0; *size < (size_t)found.st_size;) {
    ssize_t count = read(fd, bytes + *size, (size_t)found.st_size - *size);
    if (count <= 0) fail(path);
    *size += (size_t)count;
  }
  bytes[*size] = 0;
  close(fd);
  return bytes;
}

int main(void) {
  size_t size, count = 0;
  char *variables = read_file(FOLDER "variables", &size);
  for (char *at = variables; at < variables + size; at += strlen(at) + 1)
    if (putenv(at) != 0) fail("environment");
  char *arguments = read_file(FOLDER "arguments", &size);
  char **words = calloc(size + 1, sizeof(char *));
  if (words == NULL) fail("arguments");
  for (char *at = arguments; at < arguments + size; at += strlen(at) + 1) words[count++] = at;
  char *folder = read_file(FOLDER "folder", &size);
  if (chdir(folder) < 0) fail(folder);
  execvp(words[0], words);
  fail(words[0]);
}
