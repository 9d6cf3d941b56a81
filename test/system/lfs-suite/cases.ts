/** Which of git-lfs' shell cases are about a server, and which of them need its own one. */

export const CASES = [
  't-happy-path',
  't-push',
  't-lock',
  't-locks',
  't-unlock',
  't-zero-len-file',
  't-fetch',
  't-pull',
  't-clone',
  't-pre-push',
  't-batch-transfer',
  't-duplicate-oids',
  't-unusual-filenames',
  't-push-file-with-branch-name',
  't-commit-delete-push',
  't-cherry-pick-commits',
] as const

const BY_NAME = 'the server has to do something else for a repository of this name'
const OWNER = 'it looks for the name of the person at its own server'
const OWN_ADDRESS = 'it looks for an address of its own server'
const OWN_FILES = 'it deletes a file of its own server'
const OWN_LOCKS = 'its server gives locks of another person by the name of the file'
const BAD_REF = 'its server refuses refs by the name of the repository'

/** The reason of each case that cannot pass here, by `file: name`. */
export const EXPLAINED: Readonly<Record<string, string>> = {
  't-push: push with bad ref': BAD_REF,
  't-push: push (retry with expired actions)': BY_NAME,
  't-push: push (with invalid object size)': 'its server answers with a size below zero',
  't-push: push with invalid pushInsteadof': OWN_ADDRESS,
  't-lock: lock with bad ref': BAD_REF,
  't-lock: lock multiple files (JSON)': OWNER,
  't-lock: create lock with server using client cert': 'it goes to another port of its own server',
  't-lock: locking a previously locked file': 'it looks for the words of its own server',
  't-locks: list a single lock with bad ref': BAD_REF,
  't-locks: list a single lock': OWNER,
  't-locks: list a single lock (SSH; git-lfs-authenticate)': OWNER,
  't-locks: list a single lock (--json)': OWNER,
  't-fetch: fetch --json': OWN_ADDRESS,
  't-fetch: fetch --json with remote and branches': OWN_ADDRESS,
  't-fetch: fetch with missing object': OWN_FILES,
  't-pull: pull with invalid insteadof': OWN_ADDRESS,
  't-pull: pull: with missing object': OWN_FILES,
  't-pull: pull with partial clone and sparse checkout and index':
    'its server ignores the filter; where it is told to obey, the case fails there too (git 2.39)',
  't-pre-push: pre-push with bad ref': BAD_REF,
  't-pre-push: pre-push locks verify 403 with bad ref': BAD_REF,
  't-pre-push: pre-push unfetched deleted remote branch & server GC':
    'it collects garbage in a folder of its own server',
  't-pre-push: pre-push with their lock on lfs file': OWN_LOCKS,
  't-pre-push: pre-push with their lock on non-lfs lockable file': OWN_LOCKS,
  't-pre-push: pre-push locks verify 5xx with verification enabled': BY_NAME,
  't-pre-push: pre-push locks verify 5xx with verification unset': BY_NAME,
  't-pre-push: pre-push locks verify 501 with verification enabled': BY_NAME,
  't-pre-push: pre-push locks verify 501 with verification unset': BY_NAME,
  't-pre-push: pre-push locks verify 403 with verification enabled': BY_NAME,
  't-pre-push: pre-push locks verify 403 with verification unset': BY_NAME,
  't-batch-transfer: batch transfers fail with an unknown hash algorithm': BY_NAME,
  't-unlock: unlocking a lock by path with bad ref': BAD_REF,
  't-unlock: unlocking a lock by id with bad ref': BAD_REF,
}
