/** Records of rules, and what operations on packages and on workspaces share. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { nextTurn } from '#lib/waiting.ts'
import type { PackageRow } from '../store.ts'
import { findExpired, type Expired, type Rule } from './expired.ts'
import {
  DEFAULT_KEEP_NEWEST,
  DEFAULT_OLDER_THAN_DAYS,
  DEFAULT_SNAPSHOTS_KEPT,
  type Retention,
  type RetentionPreview,
  type RetentionRule,
} from './schema.ts'
import {
  findRule,
  listPackagesOfRule,
  putRule,
  removeRule,
  type RuleRow,
  type RuleScope,
} from './store.ts'

export type RuleInput = {
  keep_newest?: number
  keep_matching?: string | null
  older_than_days?: number
  untagged_only?: boolean
  snapshots_kept?: number
}

const ruleRecord = (row: RuleRow | null): RetentionRule | null =>
  row && {
    keep_newest: row.keep_newest,
    keep_matching: row.keep_matching,
    older_than_days: row.older_than_days,
    untagged_only: row.untagged_only === 1,
    snapshots_kept: row.snapshots_kept,
    updated_at: row.updated_at,
  }

const ofWorkspace = ({ workspace_id }: RuleScope): RuleScope => ({ workspace_id, package_id: null })

export const retentionRecord = (db: Db, scope: RuleScope): Retention => ({
  rule: ruleRecord(findRule(db, scope)),
  inherited: scope.package_id === null ? null : ruleRecord(findRule(db, ofWorkspace(scope))),
})

const ruleOf = (input: RuleInput): Rule => ({
  keep_newest: input.keep_newest ?? DEFAULT_KEEP_NEWEST,
  keep_matching: input.keep_matching?.trim() || null,
  older_than_days: input.older_than_days ?? DEFAULT_OLDER_THAN_DAYS,
  untagged_only: input.untagged_only === true ? 1 : 0,
  snapshots_kept: input.snapshots_kept ?? DEFAULT_SNAPSHOTS_KEPT,
})

/** The values of a rule for the audit log. */
const ruleValues = (row: Rule | null) =>
  row && {
    keep_newest: row.keep_newest,
    keep_matching: row.keep_matching,
    older_than_days: row.older_than_days,
    untagged_only: row.untagged_only === 1,
    snapshots_kept: row.snapshots_kept,
  }

function auditRule(
  tx: Tx,
  scope: RuleScope,
  name: string,
  before: Rule | null,
  after: Rule | null,
) {
  tx.audit({
    action: 'package.retention_changed',
    target: {
      kind: scope.package_id === null ? 'workspace' : 'package',
      id: scope.package_id ?? scope.workspace_id,
      name,
    },
    workspace_id: scope.workspace_id,
    data: { before: ruleValues(before), after: ruleValues(after) },
  })
}

export function saveRule(
  tx: Tx,
  scope: RuleScope,
  { name, by }: { name: string; by: string },
  input: RuleInput,
): Retention {
  const before = findRule(tx.db, scope)
  const after = ruleOf(input)
  putRule(tx, { ...scope, ...after, updated_by: by })
  if (JSON.stringify(ruleValues(before)) !== JSON.stringify(ruleValues(after)))
    auditRule(tx, scope, name, before, after)
  return retentionRecord(tx.db, scope)
}

export function dropRule(tx: Tx, scope: RuleScope, name: string): void {
  const before = findRule(tx.db, scope)
  if (before === null) return
  removeRule(tx, scope)
  auditRule(tx, scope, name, before, null)
}

const MAX_PREVIEWED = 200
const PACKAGES_PER_SLICE = 20

/** The given rule when the caller gives one, else the one that holds now. */
const ruleToPreview = (db: Db, scope: RuleScope, input: RuleInput): Rule | null =>
  Object.values(input).some((value) => value !== undefined)
    ? ruleOf(input)
    : (findRule(db, scope) ?? findRule(db, ofWorkspace(scope)))

/** What a rule would delete now. Packages are read in slices, so that other requests go between. */
export async function previewRule(
  hearth: Hearth,
  scope: RuleScope,
  input: RuleInput,
): Promise<RetentionPreview> {
  const found: RetentionPreview = {
    versions: [],
    version_count: 0,
    snapshot_file_count: 0,
    size_in_bytes: 0,
  }
  const rule = ruleToPreview(hearth.db, scope, input)
  if (rule === null) return found
  for (let after = '', isLast = false; !isLast; ) {
    const rows = listPackagesOfRule(hearth.db, scope, after, PACKAGES_PER_SLICE)
    for (const row of rows)
      addExpired(found, row, findExpired(hearth.db, row, rule, hearth.clock.now()))
    after = rows.at(-1)?.id ?? ''
    isLast = rows.length < PACKAGES_PER_SLICE
    await nextTurn()
  }
  return found
}

function addExpired(found: RetentionPreview, row: PackageRow, { versions, files }: Expired): void {
  found.version_count += versions.length
  found.snapshot_file_count += files.length
  for (const { size_in_bytes } of [...versions, ...files]) found.size_in_bytes += size_in_bytes
  for (const version of versions.slice(0, MAX_PREVIEWED - found.versions.length))
    found.versions.push({
      id: version.id as `pkv_${string}`,
      version: version.version,
      package_type: row.type,
      package_name: row.name,
      size_in_bytes: version.size_in_bytes,
      created_at: version.created_at,
    })
}
