"""libgit2 with libssh2, through pygit2: `<action> <directory> <address> <key> [ref]`."""
import sys

import pygit2

action, directory, url, key, *rest = sys.argv[1:]


class Callbacks(pygit2.RemoteCallbacks):
    def credentials(self, url, username_from_url, allowed_types):
        return pygit2.Keypair("git", f"{key}.pub", key, "")

    def certificate_check(self, certificate, valid, host):
        return True

    def push_update_reference(self, refname, message):
        if message is not None:
            raise SystemExit(f"{refname}: {message}")


if action == "version":
    print(pygit2.LIBGIT2_VERSION)
elif action == "clone":
    pygit2.clone_repository(url, directory, bare=True, callbacks=Callbacks())
elif action == "fetch":
    pygit2.Repository(directory).remotes["origin"].fetch(["+refs/heads/*:refs/heads/*"], callbacks=Callbacks())
else:
    pygit2.Repository(directory).remotes["origin"].push([f"{rest[0]}:{rest[0]}"], callbacks=Callbacks())
