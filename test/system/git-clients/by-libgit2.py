"""libgit2 as a client, through pygit2: `<action> <directory> <address> <user> <password> [ref]`; ends with 3 for what it cannot do."""
import sys

import pygit2

action, directory, url, user, password, *rest = sys.argv[1:]


class Callbacks(pygit2.RemoteCallbacks):
    def credentials(self, url, username_from_url, allowed_types):
        return pygit2.UserPass(user, password)

    def push_update_reference(self, refname, message):
        if message is not None:
            raise SystemExit(f"{refname}: {message}")


if action == "version":
    print(pygit2.LIBGIT2_VERSION)
elif action in ("clone", "shallow"):
    pygit2.clone_repository(url, directory, bare=True, callbacks=Callbacks(), depth=1 if action == "shallow" else 0)
elif action == "fetch":
    pygit2.Repository(directory).remotes["origin"].fetch(["+refs/heads/*:refs/remotes/origin/*"], callbacks=Callbacks())
elif action == "push":
    pygit2.Repository(directory).remotes["origin"].push([f"{rest[0]}:{rest[0]}"], callbacks=Callbacks())
else:
    sys.exit(3)
