/**
 * Every column that holds the id of a git object, and what becomes of the object when no ref
 * reaches it any more. A test holds it against the schema: a new column says here that its objects
 * are kept (then its feature answers `keptCommits`), or why nobody opens them.
 */

const KNOWN_BY =
  'only says for which pair of commits something was found out; it is found out anew for another'
const BY_REFS = 'is told beside commits that refs reach; the commit itself is not opened through it'

/** Columns whose objects stay as long as their row does. */
export const KEPT_OBJECTS: readonly string[] = [
  'pulls.base_sha',
  'pulls.head_sha',
  'pulls.merge_commit_sha',
  'pull_heads.sha',
  'reviews.commit_sha',
  'review_drafts.commit_sha',
  'comments.commit_sha',
  'comments.applied_in',
  'releases.target',
  // As long as they wait or run.
  'check_runs.head_sha',
  'check_runs.base_sha',
  'check_runs.merge_sha',
  'queue_entries.candidate_sha',
]

/** Columns that keep nothing, each with its reason. */
export const LET_GO_OBJECTS: Readonly<Record<string, string>> = {
  'refs.oid': 'are the refs themselves',
  'refs.peeled': 'is reached from the tag beside it',
  'queue_entries.head_sha': 'is a head of its pull request',
  'queue_entries.base_sha': 'is reached from the candidate; without one it is only told',
  'queue_entries.candidate_tree': 'is reached from the candidate',
  'pull_stats.base_sha': KNOWN_BY,
  'pull_stats.head_sha': KNOWN_BY,
  'pull_stats.merge_base_sha': 'is reached from the head and from the base, which are kept',
  'pull_owners.base_sha': KNOWN_BY,
  'pull_owners.head_sha': KNOWN_BY,
  'rule_findings.base_sha': KNOWN_BY,
  'rule_findings.head_sha': KNOWN_BY,
  'head_pushers.head_sha': 'only says of which head somebody is the pusher',
  'session_entries.sha': 'is a head of its pull request, or was only said by an agent',
  'commit_statuses.sha': BY_REFS,
  'commit_pulls.oid': BY_REFS,
  'cross_references.target':
    'is a number, or a commit whose page shows where it was named while a ref reaches it',
  'rule_evaluations.sha': 'was often refused and never came; it is only told',
  'viewed_files.oid': 'is compared with what a file is now, and not read',
}
