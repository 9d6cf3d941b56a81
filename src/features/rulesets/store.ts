/** The table `rulesets`. */
import type { Db } from '#core/db.ts'
import { memo } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { StoredBypass } from './bypass.ts'
import type { Rule } from './rule-parameters.ts'
import type { Conditions, Enforcement, Target } from './schema.ts'

/** A stored ruleset. Teams, people and tokens are ids. */
export type RulesetRow = {
  id: string
  /** Set for a ruleset of a workspace. */
  workspace_id: string | null
  /** Set for a ruleset of a repository. */
  repo_id: string | null
  name: string
  enforcement: Enforcement
  target: Target
  conditions: Conditions
  bypass_actors: readonly StoredBypass[]
  rules: readonly Rule[]
  created_by: string | null
  created_at: Timestamp
  updated_by: string | null
  updated_at: Timestamp
}

type StoredRuleset = Omit<RulesetRow, 'conditions' | 'bypass_actors' | 'rules'> & {
  conditions: string
  bypass_actors: string
  rules: string
}

const parse = (row: StoredRuleset): RulesetRow => ({
  ...row,
  conditions: JSON.parse(row.conditions),
  bypass_actors: JSON.parse(row.bypass_actors),
  rules: JSON.parse(row.rules),
})

/** The owner of a ruleset. */
export type OwnerColumns =
  | { readonly workspace_id: string; readonly repo_id: null }
  | { readonly workspace_id: null; readonly repo_id: string }

export const findRuleset = (db: Db, id: string): RulesetRow | null => {
  const row = db.one<StoredRuleset>('SELECT * FROM rulesets WHERE id = ?', id)
  return row && parse(row)
}

export const findRulesetByName = (
  db: Db,
  owner: OwnerColumns,
  name: string,
): { id: string } | null =>
  owner.repo_id === null
    ? db.one<{ id: string }>(
        'SELECT id FROM rulesets WHERE workspace_id = ? AND lower(name) = lower(?)',
        owner.workspace_id,
        name,
      )
    : db.one<{ id: string }>(
        'SELECT id FROM rulesets WHERE repo_id = ? AND lower(name) = lower(?)',
        owner.repo_id,
        name,
      )

/** Newest first. */
export const listRulesetRows = (
  db: Db,
  owner: OwnerColumns,
  window: { limit: number; offset: number },
): RulesetRow[] =>
  (owner.repo_id === null
    ? db.all<StoredRuleset>(
        'SELECT * FROM rulesets WHERE workspace_id = ? ORDER BY id DESC LIMIT ? OFFSET ?',
        owner.workspace_id,
        window.limit,
        window.offset,
      )
    : db.all<StoredRuleset>(
        'SELECT * FROM rulesets WHERE repo_id = ? ORDER BY id DESC LIMIT ? OFFSET ?',
        owner.repo_id,
        window.limit,
        window.offset,
      )
  ).map(parse)

export const countRulesets = (db: Db, owner: OwnerColumns): number =>
  (owner.repo_id === null
    ? db.one<{ count: number }>(
        'SELECT count(*) AS count FROM rulesets WHERE workspace_id = ?',
        owner.workspace_id,
      )
    : db.one<{ count: number }>(
        'SELECT count(*) AS count FROM rulesets WHERE repo_id = ?',
        owner.repo_id,
      )
  )?.count ?? 0

/**
 * Rulesets that may apply to a repository, without disabled ones: those of the workspace first,
 * then the oldest.
 */
export const listApplicable = (
  db: Db,
  workspace_id: string,
  repo_id: string,
): readonly RulesetRow[] =>
  memo(db, 'applicable rulesets', `${workspace_id} ${repo_id}`, () =>
    db
      .all<StoredRuleset>(
        `SELECT * FROM (SELECT * FROM rulesets WHERE workspace_id = ?1 UNION ALL SELECT *
         FROM rulesets WHERE repo_id = ?2)
       WHERE enforcement <> 'disabled' ORDER BY workspace_id IS NULL, id`,
        workspace_id,
        repo_id,
      )
      .map(parse),
  )

export function insertRuleset(tx: Tx, row: RulesetRow): void {
  tx.db.run(
    `INSERT INTO rulesets (id, workspace_id, repo_id, name, enforcement, target, conditions,
       bypass_actors, rules, created_by, created_at, updated_by, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace_id,
    row.repo_id,
    row.name,
    row.enforcement,
    row.target,
    JSON.stringify(row.conditions),
    JSON.stringify(row.bypass_actors),
    JSON.stringify(row.rules),
    row.created_by,
    row.created_at,
    row.updated_by,
    row.updated_at,
  )
}

export function setRuleset(tx: Tx, row: RulesetRow): void {
  tx.db.run(
    `UPDATE rulesets
      SET name = ?, enforcement = ?, target = ?, conditions = ?, bypass_actors = ?, rules = ?,
      updated_by = ?, updated_at = ? WHERE id = ?`,
    row.name,
    row.enforcement,
    row.target,
    JSON.stringify(row.conditions),
    JSON.stringify(row.bypass_actors),
    JSON.stringify(row.rules),
    row.updated_by,
    row.updated_at,
    row.id,
  )
}

export const removeRuleset = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM rulesets WHERE id = ?', id)
