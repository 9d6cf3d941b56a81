/** Patterns as records, their look-up, and the audit log. */
import { isTypeId } from '#core/ids.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { ownerOf, type Owner, type OwnerGrants } from '#core/owner.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { fullName, requireRepo } from '#features/repos/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { conflict, invalid, notFound } from '#lib/errors.ts'
import { oneLine } from '#lib/one-line.ts'
import { typeOfPattern } from './pattern-rules.ts'
import type { PatternTest, SecretPattern } from './schema.ts'
import { findPattern, isPatternNameTaken, type PatternRow } from './store.ts'

const workspaceOf = (db: Db, row: Pick<PatternRow, 'workspace_id' | 'repo_id'>): string =>
  row.workspace_id ?? requireRepo(db, row.repo_id ?? '').workspace_id

export function patternRecord(hearth: Hearth, row: PatternRow): SecretPattern {
  const { db } = hearth
  return {
    id: row.id,
    workspace: workspaceById(db, workspaceOf(db, row))?.slug ?? 'ghost',
    repository: row.repo_id === null ? null : fullName(db, row.repo_id),
    name: row.name,
    type: typeOfPattern(row),
    pattern: row.pattern,
    enabled: row.enabled === 1,
    push_protection: row.push_protection === 1,
    test: row.test === null ? null : (JSON.parse(row.test) as PatternTest),
    created_by: actorOf(hearth, row.created_by),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** Throws 404 for one of another owner. */
export function requirePattern(db: Db, grants: OwnerGrants, id: string): PatternRow {
  const owner = ownerOf(grants)
  const row = isTypeId(id, 'spt') ? findPattern(db, id) : null
  if (!row || row.workspace_id !== owner.workspace_id || row.repo_id !== owner.repo_id)
    throw notFound(`the secret pattern ${id.slice(0, 60)}`)
  return row
}

/** Throws 422 for an empty name, and 409 for one that another pattern has. */
export function requireName(db: Db, owner: Owner, given: string, except: string): string {
  const name = oneLine(given, 100)
  if (name === '') throw invalid('name', 'name is required')
  if (isPatternNameTaken(db, owner, name, except))
    throw conflict('already_exists', `there is a pattern ${name} already`, { field: 'name' })
  return name
}

export function auditPattern(
  tx: Tx,
  action: 'created' | 'updated' | 'deleted',
  row: PatternRow,
  data: Record<string, unknown>,
): void {
  const repo = row.repo_id === null ? null : requireRepo(tx.db, row.repo_id)
  tx.audit({
    action: `security.pattern_${action}`,
    target: { kind: 'secret_pattern', id: row.id, name: row.name },
    workspace_id: workspaceOf(tx.db, row),
    ...(repo && { repo_id: repo.id }),
    data,
  })
}

export const auditedFields = ({ name, pattern, enabled, push_protection }: PatternRow) => ({
  name,
  pattern,
  enabled: enabled === 1,
  push_protection: push_protection === 1,
})
