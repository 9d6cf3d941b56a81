/** The tables `rule_evaluations`, `rule_findings`, `head_pushers` and `session_costs`. */
import type { Db } from '#core/db.ts'
import { memo, preload } from '#core/read-scope.ts'
import { workspaceTotals } from '#core/workspace-totals.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { Timestamp } from '#lib/time.ts'
import type { Result } from './schema.ts'

export type EvaluationRow = {
  id: string
  repo_id: string
  ruleset_id: string
  ruleset_name: string
  rule: string
  ref: string
  sha: Oid | null
  pull_number: number | null
  actor_id: string | null
  result: Result
  enforced: 0 | 1
  message: string | null
  time: Timestamp
}

export function insertEvaluation(tx: Tx, row: EvaluationRow): void {
  tx.db.run(
    `INSERT INTO rule_evaluations (id, repo_id, ruleset_id, ruleset_name, rule, ref, sha,
       pull_number, actor_id, result, enforced, message, time)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.ruleset_id,
    row.ruleset_name,
    row.rule,
    row.ref,
    row.sha,
    row.pull_number,
    row.actor_id,
    row.result,
    row.enforced,
    row.message,
    row.time,
  )
}

/** Newest first. */
export function listEvaluationRows(
  db: Db,
  filter: {
    repo_id: string
    ruleset?: string
    result?: Result
    before: string | null
    limit: number
  },
): EvaluationRow[] {
  const { repo_id, ruleset = null, result = null, before, limit } = filter
  const rest =
    'AND (?2 IS NULL OR result = ?2) AND (?3 IS NULL OR id < ?3) ORDER BY id DESC LIMIT ?4'
  return ruleset === null
    ? db.all<EvaluationRow>(
        `SELECT * FROM rule_evaluations WHERE repo_id = ?1 ${rest}`,
        repo_id,
        result,
        before,
        limit,
      )
    : db.all<EvaluationRow>(
        `SELECT * FROM rule_evaluations WHERE repo_id = ?1 AND ruleset_id = ?5 ${rest}`,
        repo_id,
        result,
        before,
        limit,
        ruleset,
      )
}

/** Removes evaluations from before a moment, at most `limit`, and returns their number. */
export const removeEvaluations = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    'DELETE FROM rule_evaluations WHERE id IN (SELECT id FROM rule_evaluations WHERE time < ? LIMIT ?)',
    before,
    limit,
  )

export const removeEvaluationsOf = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM rule_evaluations WHERE id IN (SELECT id FROM rule_evaluations WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )

type CommitPair = { readonly id: string; readonly base_sha: Oid; readonly head_sha: Oid | null }

/** Findings by the key of their rule; a key without a finding was not computed yet. */
export type Findings = ReadonlyMap<string, string | null>

type FindingRow = {
  readonly pull_id: string
  readonly base_sha: Oid
  readonly head_sha: Oid
  readonly key: string
  readonly finding: string | null
}

/** The findings of several pull requests for their present commits, by id. */
export function findingsOfAll(db: Db, pulls: readonly CommitPair[]): Map<string, Findings> {
  const rows = db.all<FindingRow>(
    `SELECT pull_id, base_sha, head_sha, key, finding FROM rule_findings
     WHERE pull_id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(pulls.map(({ id }) => id)),
  )
  const byPull = Map.groupBy(rows, ({ pull_id }) => pull_id)
  return new Map(
    pulls.map(({ id, base_sha, head_sha }) => [
      id,
      new Map(
        (byPull.get(id) ?? []).flatMap((row) =>
          row.base_sha === base_sha && row.head_sha === head_sha
            ? [[row.key, row.finding] as const]
            : [],
        ),
      ),
    ]),
  )
}

/** The same for one pull request. */
export const findingsOf = (db: Db, pull: CommitPair): Findings =>
  findingsOfAll(db, [pull]).get(pull.id) ?? new Map()

/** Removes the findings of one type of rule. Returns the ids of the pull requests. */
export const removeFindings = (tx: Tx, type: string): string[] => [
  ...new Set(
    tx.db
      .all<{ pull_id: string }>(
        `DELETE FROM rule_findings WHERE key > ?1 || ' ' AND key < ?1 || '!' RETURNING pull_id`,
        type,
      )
      .map(({ pull_id }) => pull_id),
  ),
]

/** Stores findings and removes those of other commits. */
export function setFindings(
  tx: Tx,
  pull: CommitPair,
  findings: ReadonlyMap<string, string | null>,
): void {
  tx.db.run(
    'DELETE FROM rule_findings WHERE pull_id = ? AND NOT (base_sha = ? AND head_sha = ?)',
    pull.id,
    pull.base_sha,
    pull.head_sha,
  )
  for (const [key, finding] of findings) {
    tx.db.run(
      `INSERT OR REPLACE INTO rule_findings (pull_id, key, base_sha, head_sha, finding)
        VALUES (?, ?, ?, ?, ?)`,
      pull.id,
      key,
      pull.base_sha,
      pull.head_sha,
      finding,
    )
  }
}

type Head = Pick<CommitPair, 'id' | 'head_sha'>

const headKey = ({ id, head_sha }: Head): string => `${id} ${head_sha}`

/** Who pushed the present head; undefined when it was not recorded. */
export const findPusher = (db: Db, pull: Head): string | null | undefined =>
  memo(db, 'head pusher', headKey(pull), () => listHeadPushers(db, [pull]).get(headKey(pull)))

/** Preloads the same for several pull requests. */
export const preloadHeadPushers = (db: Db, pulls: readonly Head[]): void =>
  preload<string | null | undefined>(
    db,
    'head pusher',
    pulls.map(headKey),
    () => listHeadPushers(db, pulls),
    () => undefined,
  )

const listHeadPushers = (db: Db, pulls: readonly Head[]): Map<string, string | null> =>
  new Map(
    db
      .all<{ pull_id: string; head_sha: Oid; actor_id: string | null }>(
        `SELECT pull_id, head_sha, actor_id FROM head_pushers
         WHERE pull_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(pulls.map(({ id }) => id)),
      )
      .map(({ pull_id: id, head_sha, actor_id }) => [headKey({ id, head_sha }), actor_id]),
  )

export const setPusher = (tx: Tx, pull_id: string, head_sha: Oid, actor_id: string | null): void =>
  void tx.db.run(
    `INSERT INTO head_pushers (pull_id, head_sha, actor_id) VALUES (?, ?, ?)
     ON CONFLICT (pull_id) DO UPDATE
       SET head_sha = excluded.head_sha, actor_id = coalesce(excluded.actor_id, actor_id)`,
    pull_id,
    head_sha,
    actor_id,
  )

export const addCost = (tx: Tx, repo_id: string, day: string, cost_usd: number): void =>
  void tx.db.run(
    `INSERT INTO session_costs (repo_id, day, cost_usd) VALUES (?, ?, ?)
      ON CONFLICT (repo_id, day) DO UPDATE SET cost_usd = cost_usd + excluded.cost_usd`,
    repo_id,
    day,
    cost_usd,
  )

/** Costs that sessions of a repository reported since a day, in US dollars. */
export const costSince = (db: Db, repo_id: string, day: string): number =>
  db.one<{ cost: number | null }>(
    'SELECT sum(cost_usd) AS cost FROM session_costs WHERE repo_id = ? AND day >= ?',
    repo_id,
    day,
  )?.cost ?? 0

/** Costs that sessions of workspaces reported since a day, in US dollars, where there are any. */
export const countCosts = (
  db: Db,
  workspace_ids: readonly string[],
  day: string,
): ReadonlyMap<string, number> =>
  workspaceTotals(
    db,
    `SELECT r.workspace_id, sum(c.cost_usd) AS total FROM json_each(?1) w
     CROSS JOIN repos r ON r.workspace_id = w.value AND r.parent_id IS NULL
     JOIN session_costs c ON c.repo_id = r.id AND c.day >= ?2 GROUP BY r.workspace_id`,
    workspace_ids,
    day,
  )

/** Of each repository of a workspace with reported costs. */
export const listCostsOfWorkspace = (
  db: Db,
  workspace_id: string,
  day: string,
): { repo_id: string; cost: number }[] =>
  db.all(
    `SELECT c.repo_id, sum(c.cost_usd) AS cost FROM repos r
       JOIN session_costs c ON c.repo_id = r.id AND c.day >= ?2
     WHERE r.workspace_id = ?1 AND r.parent_id IS NULL GROUP BY c.repo_id`,
    workspace_id,
    day,
  )

export const listRepoIds = (db: Db, workspace_id: string): string[] =>
  db
    .all<{ id: string }>(
      `SELECT id FROM repos WHERE workspace_id = ? AND parent_id IS NULL AND deleted_at IS NULL`,
      workspace_id,
    )
    .map(({ id }) => id)

/** The branches that active pull requests of a repository go into. */
export const listPullBases = (db: Db, repo_id: string): string[] =>
  db
    .all<{ base_ref: string }>(
      'SELECT DISTINCT base_ref FROM pulls WHERE repo_id = ? AND active = 1',
      repo_id,
    )
    .map(({ base_ref }) => base_ref)

/** The repositories of a workspace that have active pull requests. */
export const listReposWithPulls = (db: Db, workspace_id: string): string[] =>
  db
    .all<{ id: string }>(
      `SELECT r.id FROM repos r WHERE r.workspace_id = ? AND r.parent_id IS NULL
        AND r.deleted_at IS NULL AND EXISTS (SELECT 1 FROM pulls p WHERE p.repo_id = r.id
        AND p.active = 1)`,
      workspace_id,
    )
    .map(({ id }) => id)

/**
 * The number of active pull requests of an author in a repository; with `agents` also those of the
 * author's agents.
 */
export const countOpen = (
  db: Db,
  repo_id: string,
  author_id: string,
  options: { agents: boolean },
): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM pulls WHERE repo_id = ?1 AND active = 1 AND (author_id = ?2
      OR (?3 = 1 AND author_id IN (SELECT id FROM actors WHERE on_behalf_of = ?2)))`,
    repo_id,
    author_id,
    options.agents ? 1 : 0,
  )?.count ?? 0
