/**
 * Tests of git that end otherwise against the engine than against `git http-backend`, each with its
 * reason. `missing` is a feature that the engine does not have. `decision` is a behaviour that it
 * has on purpose. `host` is the work of the engine's host, which `serve-bare` does not do: which
 * refs and capabilities are shown, hooks, records of pushes.
 */
export type Explanation = { readonly kind: 'missing' | 'decision' | 'host'; readonly why: string }

const explanation = (kind: Explanation['kind'], why: string): Explanation => ({ kind, why })

const NO_ALTERNATES = explanation(
  'missing',
  'a repository that borrows objects of another one (alternates) is not read: a store is whole by itself',
)
const NO_REFLOG = explanation('host', 'it reads the reflog: the host keeps records of pushes')
const HOST_SHOWS_REFS = explanation(
  'host',
  'hideRefs of the configuration: the engine shows the snapshot that it is handed',
)
const NO_PACKFILE_URI = explanation(
  'missing',
  'packs are not offered at other addresses (packfile-uris); bundle-uri does what they are for',
)
const NO_SHA256 = explanation('missing', 'repositories with SHA-256 ids are not served')
const NO_HOOK = explanation('host', 'it reads what a hook wrote: the host gets options and updates')
const HOST_ADVERTISES = explanation(
  'host',
  'the configuration switches a capability off or on: the host decides which are offered',
)
const HOST_BUNDLES = explanation(
  'host',
  'bundle.* of the configuration: the host says which bundle there is, and serve-bare none',
)

export const EXPLAINED: Readonly<Record<string, Explanation>> = {
  't5541 push --all to repo with alternates': NO_ALTERNATES,
  't5541 push --mirror to repo with alternates': NO_ALTERNATES,
  't5541 http push gives sane defaults to reflog': NO_REFLOG,
  't5541 http push respects GIT_COMMITTER_* in reflog': NO_REFLOG,
  't5541 push with post-receive to inspect certificate': explanation(
    'host',
    'signed pushes (push-cert, which git itself leaves off) are offered by the host, and its hook reads them',
  ),
  't5545 push option denied properly by http server': HOST_ADVERTISES,
  't5545 push options work properly across http': NO_HOOK,
  't5545 push options keep quoted characters intact (http)': NO_HOOK,
  't5549 push without negotiation (for comparing object counts with the next test)':
    HOST_SHOWS_REFS,
  't5549 push with negotiation proceeds anyway even if negotiation fails': HOST_SHOWS_REFS,
  't5551 transfer.hiderefs works over smart-http': HOST_SHOWS_REFS,
  't5551 test allowanysha1inwant with unreachable': explanation(
    'decision',
    "what no ref reaches is never sent, whatever a repository's settings say: it may be another fork's",
  ),
  't5551 clone empty SHA-256 repository with protocol v2': NO_SHA256,
  't5551 clone empty SHA-256 repository with protocol v0': NO_SHA256,
  't5702 part of packfile response provided as URI': NO_PACKFILE_URI,
  't5702 packfile URI preserves an existing keep file': NO_PACKFILE_URI,
  't5702 fetching with valid packfile URI but invalid hash fails': NO_PACKFILE_URI,
  't5702 packfile-uri with transfer.fsckobjects': NO_PACKFILE_URI,
  't5702 packfile-uri with transfer.fsckobjects succeeds when .gitmodules is separate from tree':
    NO_PACKFILE_URI,
  't5700 clone with http:// using protocol v1 with empty SHA-256 repo': NO_SHA256,
  't5703 server is initially ahead - no ref in want': HOST_ADVERTISES,
  't5703 server is initially behind - no ref in want': HOST_ADVERTISES,
  't5732 connect with http:// using protocol v2: have bundle-uri': HOST_BUNDLES,
  't5732 clone with http:// using protocol v2: request bundle-uris': HOST_BUNDLES,
  't5732 test bundle-uri with http:// using protocol v2': HOST_BUNDLES,
  't5732 test bundle-uri with http:// using protocol v2 and extra data': HOST_BUNDLES,
  't5732 test bundle-uri with http:// using protocol v2 with list': HOST_BUNDLES,
  't5732 test bundle-uri with http:// using protocol v2 with empty value': HOST_BUNDLES,
  't5702 packfile-uri path redacted in trace': NO_PACKFILE_URI,
  't5702 packfile-uri path not redacted in trace when GIT_TRACE_REDACT=0': NO_PACKFILE_URI,
}
