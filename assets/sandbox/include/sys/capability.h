/*
 * The part of libcap's header that bubblewrap uses. The system calls are in the C library. Names of
 * capabilities are looked up only for `--cap-add` and `--cap-drop` of one capability, which Hearth
 * never asks for; `ALL` needs no name.
 */
#pragma once
#include <errno.h>
#include <linux/capability.h>

typedef int cap_value_t;

int capget (cap_user_header_t header, cap_user_data_t data);
int capset (cap_user_header_t header, const cap_user_data_t data);

static inline int
cap_from_name (const char *name, cap_value_t *value)
{
  (void) name;
  (void) value;
  errno = EINVAL;
  return -1;
}
