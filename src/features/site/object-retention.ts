/**
 * Every column that contains the id of a git object, and whether that keeps the object when no ref
 * reaches it. A test compares the lists with the schema. A new column must be listed here: as
 * retained (then its feature extends `retainedCommits`) or with the reason why nothing reads the
 * object.
 */

const CACHE_KEY = 'is the key of a cached result, which is computed again for other commits'
const BESIDE_REFS = 'is shown beside commits that refs reach; nothing reads the commit through it'

/** Columns whose objects are retained as long as the row exists. */
export const RETAINED_OBJECT_COLUMNS: readonly string[] = [
  'pulls.base_sha',
  'pulls.head_sha',
  'pulls.merge_commit_sha',
  'pull_heads.sha',
  'reviews.commit_sha',
  'review_drafts.commit_sha',
  'comments.commit_sha',
  'comments.applied_in',
  'releases.target',
  'wikis.commit_sha',
  'mirror_refs.remote_oid',
  'mirror_refs.taken_over_oid',
  'mirror_kept_refs.oid',
  // Retained while the run or queue entry waits or is active.
  'check_runs.head_sha',
  'check_runs.base_sha',
  'check_runs.merge_sha',
  'queue_entries.candidate_sha',
  'workflow_runs.sha',
  'workflow_runs.head_sha',
  'workflow_runs.workflow_sha',
]

/** Columns that retain nothing, each with its reason. */
export const UNRETAINED_OBJECT_COLUMNS: Readonly<Record<string, string>> = {
  'refs.oid': 'are the refs themselves',
  'advisory_fork_refs.oid': 'are the refs of private forks themselves',
  'advisory_forks.base_branch': 'is a name',
  'advisory_forks.merged_sha': 'is in the default branch of the repository, and is only shown',
  'refs.peeled': 'is reachable from the tag in the same row',
  'lfs_objects.oid': 'is the SHA-256 of a file beside git, not of a git object',
  'queue_entries.head_sha': 'is a head of its pull request',
  'agent_reviews.head_sha': 'is a head of its pull request',
  'agent_runs.prompted_head': 'is compared with the head of its pull request, never read',
  'queue_entries.base_sha': 'is reachable from the candidate; without one it is only shown',
  'queue_entries.candidate_tree': 'is reachable from the candidate',
  'pull_stats.base_sha': CACHE_KEY,
  'pull_stats.head_sha': CACHE_KEY,
  'pull_stats.merge_base_sha': 'is reachable from the head and the base, which are retained',
  'pull_owners.base_sha': CACHE_KEY,
  'pull_owners.head_sha': CACHE_KEY,
  'rule_findings.base_sha': CACHE_KEY,
  'rule_findings.head_sha': CACHE_KEY,
  'head_pushers.head_sha': 'identifies the head of a pusher; nothing reads it',
  'session_entries.sha': 'is a head of its pull request, or was only reported by an agent',
  'commit_statuses.sha': BESIDE_REFS,
  'commit_pulls.oid': BESIDE_REFS,
  'cross_references.target':
    'is a number, or a commit whose page shows its mentions while a ref reaches it',
  'rule_evaluations.sha': 'was often refused and never stored; it is only shown',
  'mirror_refs.pushed_oid': 'is compared with the refs of the remote; nothing reads it',
  'mirror_waiting.sha': 'is named in questions to the remote; nothing reads the commit through it',
  'workflow_runs.workflow_blob': 'is in the tree of the commit in the same row',
  'workflows.blob': 'is in the tree of the default branch',
  'workflow_models.blob': CACHE_KEY,
  'workflow_candidates.sha': 'is the candidate of its queue entry, which retains it',
  'workflow_candidates.base_sha': 'is reachable from the candidate in the same row',
  'deployments.sha': 'is retained by its run; after that it is only shown',
  'package_files.sha1': 'is the digest of a file, not of a git object',
  'package_versions.sha': 'says what a version was made of; nothing reads the commit through it',
  'sarif_uploads.commit_sha':
    'is read by the job that follows the upload; after that it is only shown',
  'analyses.commit_sha': BESIDE_REFS,
  'analyses.head_sha': 'is a head of its pull request, or the commit in the same row',
  'dependency_scans.commit_sha': BESIDE_REFS,
  'dependency_alerts.fixed_by': BESIDE_REFS,
  'dependency_reviews.head_sha': 'is a head of its pull request',
  'dependency_reviews.base_sha': BESIDE_REFS,
  'code_instances.commit_sha': BESIDE_REFS,
  'code_instances.blob': 'is compared with the blobs of a change; nothing reads it',
  'secret_locations.commit':
    'is only shown; a secret in a commit that is gone is an alert all the same',
  'viewed_files.oid': 'is compared with the current blob id; nothing reads it',
}
