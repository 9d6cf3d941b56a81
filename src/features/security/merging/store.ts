/** Open alerts as rules for merges ask for them, over the tables of the other folders. */
import type { Db } from '#core/db.ts'
import type { Severity } from '../schema.ts'
import type { PullRow } from '#features/pulls/index.ts'

export type PullAlertRow = {
  readonly pull_id: string
  readonly id: string
  readonly severity: Severity | null
}

/** The pull requests of a query as JSON. */
export const pullsAsJson = (pulls: readonly PullRow[]): string =>
  JSON.stringify(pulls.map(({ id, number, head_sha }) => ({ id, number, head_sha })))

/**
 * Nobody vouches for their own work, so what an agent dismissed is still open for rules. `a` is a
 * row of alerts.
 */
const IS_STANDING = `(a.state = 'open' OR (a.state = 'dismissed' AND a.dismissed_by LIKE 'agt\\_%' ESCAPE '\\'))`

const REFS = `('refs/pull/' || (p.value ->> 'number') || '/head',
  'refs/pull/' || (p.value ->> 'number') || '/merge')`

/** Alerts on lines that pull requests add, up to a severity. */
export const listAddedCodeAlerts = (
  db: Db,
  query: { repo_id: string; pulls: string; rank: number; limit: number },
): PullAlertRow[] =>
  db.all(
    `SELECT p.value ->> 'id' AS pull_id, a.id, a.severity FROM json_each(?2) p
     JOIN code_instances i ON i.repo_id = ?1 AND i.ref IN ${REFS} AND i.state = 'open'
     JOIN code_alerts a ON a.id = i.alert_id
     WHERE i.is_new = 1 AND ${IS_STANDING} AND a.severity_rank <= ?3
     GROUP BY p.value ->> 'id', a.id ORDER BY a.severity_rank, a.seq LIMIT ?4`,
    query.repo_id,
    query.pulls,
    query.rank,
    query.limit,
  )

/**
 * Alerts of the default branch that pull requests leave: no scanner that somebody vouches for
 * looked at the head without finding them.
 */
export const listLeftCodeAlerts = (
  db: Db,
  query: { repo_id: string; pulls: string; rank: number; limit: number },
): PullAlertRow[] =>
  db.all(
    `SELECT p.value ->> 'id' AS pull_id, a.id, a.severity FROM json_each(?2) p
     JOIN code_alerts a ON a.repo_id = ?1 AND a.is_landed = 1 AND a.severity_rank <= ?3
     WHERE ${IS_STANDING}
       AND (NOT EXISTS (SELECT 1 FROM analyses n JOIN sarif_uploads u ON u.id = n.upload_id
           WHERE n.repo_id = ?1 AND n.git_ref IN ${REFS} AND n.tool = a.tool
             AND n.head_sha = p.value ->> 'head_sha' AND n.is_complete = 1 AND u.is_vouched = 1)
         OR EXISTS (SELECT 1 FROM code_instances i WHERE i.alert_id = a.id AND i.ref IN ${REFS}
             AND i.state = 'open'))
     ORDER BY a.severity_rank, a.seq LIMIT ?4`,
    query.repo_id,
    query.pulls,
    query.rank,
    query.limit,
  )

/** The scanners whose analysis of the head of each pull request somebody vouches for. */
export const listToolsOfHeads = (
  db: Db,
  query: { repo_id: string; pulls: string },
): { pull_id: string; tool: string }[] =>
  db.all(
    `SELECT DISTINCT p.value ->> 'id' AS pull_id, n.tool FROM json_each(?2) p
     JOIN analyses n ON n.repo_id = ?1 AND n.head_sha = p.value ->> 'head_sha'
       AND n.pull IS NOT NULL
     JOIN sarif_uploads u ON u.id = n.upload_id
     WHERE n.pull = p.value ->> 'number' AND n.is_complete = 1 AND u.is_vouched = 1
       AND NOT EXISTS (SELECT 1 FROM analyses later WHERE later.repo_id = n.repo_id
         AND later.git_ref = n.git_ref AND later.tool = n.tool AND later.category = n.category
         AND later.is_complete = 1 AND later.seq > n.seq)`,
    query.repo_id,
    query.pulls,
  )

/** Of the pull requests whose present head was compared with advisories, what that opened. */
export const listReviewsOfHeads = (
  db: Db,
  query: { repo_id: string; pulls: string },
): { pull_id: string; advisories: string }[] =>
  db.all(
    `SELECT p.value ->> 'id' AS pull_id, r.advisories FROM json_each(?2) p
     JOIN dependency_reviews r ON r.repo_id = ?1 AND r.number = p.value ->> 'number'
     WHERE r.head_sha = p.value ->> 'head_sha'`,
    query.repo_id,
    query.pulls,
  )

/** Alerts of dependencies of the default branch up to a severity. */
export const listStandingDependencies = (
  db: Db,
  query: { repo_id: string; rank: number; limit: number },
): {
  id: string
  severity: Severity | null
  advisory_id: string
  package: string
  manifest: string
}[] =>
  db.all(
    `SELECT a.id, a.severity, a.advisory_id, a.package, a.manifest FROM dependency_alerts a
     WHERE a.repo_id = ?1 AND a.severity_rank <= ?2 AND ${IS_STANDING}
     ORDER BY a.severity_rank, a.seq LIMIT ?3`,
    query.repo_id,
    query.rank,
    query.limit,
  )

export const listOpenSecrets = (db: Db, repo_id: string, limit: number): { id: string }[] =>
  db.all(
    `SELECT id FROM secret_alerts WHERE repo_id = ? AND state = 'open' ORDER BY id LIMIT ?`,
    repo_id,
    limit,
  )
