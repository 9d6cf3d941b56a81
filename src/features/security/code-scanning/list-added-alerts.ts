/** The alerts that a pull request adds, at the lines of its present head, for its page of changes. */
import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, OneOf, RecordNumber, RepoPath, Type, type Static } from '#core/schema.ts'
import { carryPlaces, requirePull } from '#features/pulls/index.ts'
import { SEVERITIES } from '../schema.ts'
import { pullRefs } from './refs.ts'
import { listAddedAlertRows, listRules } from './store-alerts.ts'

const MAX_ALERTS = 200

const AddedAlert = Type.Object({
  id: Id('csa'),
  severity: OneOf(SEVERITIES),
  tool: Type.String(),
  rule: Type.String({ description: 'What the rule says of itself, else its id.' }),
  message: Type.String(),
  path: Type.String(),
  line: Type.Integer(),
})
export type AddedAlert = Static<typeof AddedAlert>

export const listAddedAlerts = operation({
  name: 'list_added_alerts',
  summary: 'The open alerts of scanners on lines that a pull request adds, the most severe first.',
  route: null,
  toolset: 'security',
  access: readsRepoAs('write', { scope: 'security:read', securityManager: true }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: Type.Array(AddedAlert),
  // Whoever controls the scanned files or the scanner writes these texts.
  untrusted: (alerts) => alerts.flatMap((_, at) => [`/${at}/message`, `/${at}/rule`]),

  handler: async ({ hearth, db, repo }, { number }) => {
    const pull = requirePull(db, repo.id, number)
    const rows = listAddedAlertRows(db, repo.id, pullRefs(number), MAX_ALERTS)
    const rules = new Map(
      listRules(db, repo.id, rows).map((rule) => [`${rule.tool}\n${rule.rule_id}`, rule]),
    )
    const places = rows.map(({ id, path, start_line, commit_sha }) => ({
      key: id,
      commit: commit_sha,
      path,
      line: start_line,
    }))
    const carried = await carryPlaces(hearth, repo.store, pull.head_sha, places)
    return rows.flatMap(({ id, severity, tool, rule_id, message }) => {
      const place = carried.get(id)
      const rule = rules.get(`${tool}\n${rule_id}`)
      return place
        ? [{ id, severity, tool, rule: rule?.description ?? rule_id, message, ...place }]
        : []
    })
  },
})
