/**
 * Tests of git that end otherwise against the engine than against `git http-backend`, each with its
 * reason.
 */
const NO_BORROWED =
  'the repository borrows objects of another one (alternates): a store of the engine is whole by itself'
const NO_REFLOG =
  "it looks into the server's reflog: the engine writes none, its host keeps records of pushes"
const NO_PACKFILE_URI =
  'packs are not offered at other addresses (packfile-uris, which git itself leaves off)'

export const EXPLAINED: Readonly<Record<string, string>> = {
  't5541 push --all to repo with alternates': NO_BORROWED,
  't5541 push --mirror to repo with alternates': NO_BORROWED,
  't5541 http push gives sane defaults to reflog': NO_REFLOG,
  't5541 http push respects GIT_COMMITTER_* in reflog': NO_REFLOG,
  't5541 push with post-receive to inspect certificate':
    'signed pushes (push-cert, which git itself leaves off) are not offered, and the engine runs no post-receive hook',
  't5551 transfer.hiderefs works over smart-http':
    "which refs are shown is the host's to say: the engine shows the snapshot it is handed, serve-bare hands it all",
  't5551 test allowanysha1inwant with unreachable':
    "what no ref reaches is never sent, whatever a repository's settings say: it may be another fork's",
  't5702 part of packfile response provided as URI': NO_PACKFILE_URI,
  't5702 fetching with valid packfile URI but invalid hash fails': NO_PACKFILE_URI,
  't5702 packfile-uri with transfer.fsckobjects': NO_PACKFILE_URI,
  't5702 packfile-uri with transfer.fsckobjects succeeds when .gitmodules is separate from tree':
    NO_PACKFILE_URI,
  't5702 packfile-uri path redacted in trace': NO_PACKFILE_URI,
  't5702 packfile-uri path not redacted in trace when GIT_TRACE_REDACT=0': NO_PACKFILE_URI,
}
