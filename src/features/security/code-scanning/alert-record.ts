/** Alerts as clients see them. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { branchRef } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import type { CodeAlert } from './schema.ts'
import {
  findCodeAlert,
  listRules,
  listShownInstances,
  type CodeAlertRow,
  type InstanceRow,
  type RuleRow,
} from './store-alerts.ts'

type Place = { readonly id: string; readonly full_name: string; readonly default_branch: string }

/** Throws 404 for an alert of another repository. */
export function requireCodeAlert(db: Db, repo: Pick<Place, 'id'>, id: string): CodeAlertRow {
  const row = findCodeAlert(db, id)
  if (row?.repo_id !== repo.id) throw notFound(`the alert ${id}`)
  return row
}

const ruleOf = (rule_id: string, rule: RuleRow | undefined): CodeAlert['rule'] => ({
  id: rule_id,
  name: rule?.name ?? null,
  description: rule?.description ?? null,
  help: rule?.help ?? null,
  tags: rule ? (JSON.parse(rule.tags) as string[]) : [],
})

const recordOf = (
  hearth: Hearth,
  repo: Place,
  row: CodeAlertRow,
  { rule, shown }: { rule: RuleRow | undefined; shown: InstanceRow | undefined },
): CodeAlert => ({
  id: row.id,
  number: row.number,
  state: row.state,
  rule: ruleOf(row.rule_id, rule),
  severity: row.severity,
  tool: row.tool,
  tool_version: shown?.tool_version ?? null,
  message: row.message,
  path: shown?.path ?? row.path,
  start_line: shown?.start_line ?? null,
  end_line: shown?.end_line ?? null,
  ref: shown?.ref ?? null,
  commit_sha: shown?.commit_sha ?? null,
  first_seen_at: row.first_seen_at,
  fixed_at: row.fixed_at,
  dismissed_by: actorOf(hearth, row.dismissed_by),
  dismissed_at: row.dismissed_at,
  dismissed_reason: row.dismissed_reason,
  dismissed_note: row.dismissed_note,
  instances: [],
  html_url: `${hearth.settings.site_url}/${repo.full_name}/security/code-scanning/${row.id}`,
})

/**
 * Records without instances, with the place on one of `refs` if there is one. For several alerts
 * without the help of their rules.
 */
export function codeAlertRecords(
  hearth: Hearth,
  repo: Place,
  rows: readonly CodeAlertRow[],
  refs: readonly string[] = [branchRef(repo.default_branch)],
): CodeAlert[] {
  const rules = new Map(
    listRules(hearth.db, repo.id, rows).map((rule) => [`${rule.tool}\n${rule.rule_id}`, rule]),
  )
  const ids = rows.map(({ id }) => id)
  const shown = new Map(
    listShownInstances(hearth.db, ids, refs).map((instance) => [instance.alert_id, instance]),
  )
  return rows.map((row) =>
    recordOf(hearth, repo, row, {
      rule: rules.get(`${row.tool}\n${row.rule_id}`),
      shown: shown.get(row.id),
    }),
  )
}

/** Lists leave long texts out. */
export const withoutHelp = (record: CodeAlert): CodeAlert => ({
  ...record,
  rule: { ...record.rule, help: null },
})
