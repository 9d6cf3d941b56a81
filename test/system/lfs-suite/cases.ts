/** Which of git-lfs' shell cases are about a server, and which of them need its own one. Each was read. */

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

/** Why a case cannot pass here, and the command of the case at which it stops for that reason. */
export type Explained = { readonly reason: string; readonly at: RegExp }

/** The case expects the client to fail, and it does not. */
const EXPECTED_TO_FAIL = /'\[' 0 -eq 0 '\]'\n\+ echo '(fatal: )?expected .*to fail'\n\+ exit 1$/

const badRef = (at = EXPECTED_TO_FAIL): Explained => ({
  reason:
    'its server refuses all refs but one by the name of the repository; here each branch takes files and locks',
  at,
})
const fault = (what: string, at: RegExp): Explained => ({
  reason: `its server ${what}, which is about the client`,
  at,
})
const OWN_ADDRESS = 'it looks for addresses below /storage/ of its own server'
/** A request that the API of git-lfs does not have. */
const deletes = {
  reason: 'its server deletes a file on request',
  // The shell tells the two commands of a pipe in any order.
  at: /-X DELETE[^\n]*\n(?:\+ tee http\.log\n)?\+ grep '200 OK' http\.log$/,
}

/** By `file: name`. A case that stops at another command than here has failed. */
export const EXPLAINED: Readonly<Record<string, Explained>> = {
  't-push: push with bad ref': badRef(),
  't-push: push (retry with expired actions)': fault(
    'answers with an action that has expired',
    /grep 'enqueue retry #1 after [^\n]*action "upload" expires at' push\.log$/,
  ),
  't-push: push (with invalid object size)': fault(
    'answers with a size below zero',
    /grep 'invalid size \(got: -1\)' push\.log$/,
  ),
  't-push: push with invalid pushInsteadof': { reason: OWN_ADDRESS, at: /'\[' 0 = 2 '\]'$/ },
  't-lock: lock with bad ref': badRef(/echo 'fatal: expected [^\n]*to fail'\n\+ exit 1$/),
  't-lock: create lock with server using client cert': {
    reason: 'the lock is made at a port with TLS of its own server, and looked for here',
    at: /lock_create_client_cert[^]*grep [0-9a-f]{40} http\.json\n\+ cat http\.json\n\+ exit 1$/,
  },
  't-lock: locking a previously locked file': {
    reason: 'the refusal has other words here',
    at: /grep 'lock already created' \/dev\/fd\/\d+$/,
  },
  't-locks: list a single lock with bad ref': badRef(),
  't-fetch: fetch --json': {
    reason: OWN_ADDRESS,
    at: /diff -u expected\.json fetch-dry-run\.json$/,
  },
  't-fetch: fetch --json with remote and branches': {
    reason: OWN_ADDRESS,
    at: /diff -u expected-b-a\.json fetch-dry-run\.json\n\+ exit 1$/,
  },
  't-fetch: fetch with missing object': deletes,
  't-pull: pull with invalid insteadof': { reason: OWN_ADDRESS, at: /'\[' 0 = 2 '\]'$/ },
  't-pull: pull: with missing object': deletes,
  't-pull: pull with partial clone and sparse checkout and index': {
    reason:
      'its server ignores the filter; where it is told to obey, the case fails there too (git 2.39)',
    at: /grep 'Downloading LFS objects' pull\.log$/,
  },
  't-pre-push: pre-push with bad ref': badRef(),
  't-pre-push: pre-push locks verify 403 with bad ref': badRef(
    /grep 'failed to push some refs' push\.log$/,
  ),
  't-pre-push: pre-push unfetched deleted remote branch & server GC': deletes,
  't-pre-push: pre-push locks verify 5xx with verification enabled': fault(
    'answers with status 500',
    /grep '"origin" does not support the Git LFS locking API' push\.log$/,
  ),
  't-pre-push: pre-push locks verify 5xx with verification unset': fault(
    'answers with status 500',
    /grep '"origin" does not support the Git LFS locking API' push\.log$/,
  ),
  't-pre-push: pre-push locks verify 501 with verification enabled': fault(
    'answers with status 501, after which the client stops to ask for locks',
    /'\[' false = true '\]'$/,
  ),
  't-pre-push: pre-push locks verify 501 with verification unset': fault(
    'answers with status 501, after which the client stops to ask for locks',
    /'\[' false = '' '\]'$/,
  ),
  't-pre-push: pre-push locks verify 403 with verification enabled': fault(
    'answers with status 403',
    /grep 'error: Authentication error' push\.log$/,
  ),
  't-pre-push: pre-push locks verify 403 with verification unset': fault(
    'answers with status 403',
    /grep 'warning: Authentication error' push\.log$/,
  ),
  't-batch-transfer: batch transfers fail with an unknown hash algorithm': fault(
    'answers with an unknown hash algorithm',
    /grep 'unsupported hash algorithm' push\.log$/,
  ),
  't-unlock: unlocking a lock by path with bad ref': badRef(),
  't-unlock: unlocking a lock by id with bad ref': badRef(),
}
