/*
 * hold: waits until it is killed. It is the only program of the container whose network the other
 * containers of Docker use, so that rules of the network are there before any program of a job.
 */
#include <unistd.h>

int main(void) {
  for (;;) pause();
}
