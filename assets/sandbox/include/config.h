/* What bubblewrap's own build would write. */
#define PACKAGE_STRING "bubblewrap 0.11.0"
