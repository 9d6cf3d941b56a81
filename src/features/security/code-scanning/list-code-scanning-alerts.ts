import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { OneOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { SEVERITIES } from '../schema.ts'
import { codeAlertRecords, withoutHelp } from './alert-record.ts'
import { fullRef, pullRefs } from './refs.ts'
import { CODE_ALERT_STATES, CodeAlerts, ToolInput } from './schema.ts'
import { listCodeAlertRows } from './store-alerts.ts'

export const listCodeScanningAlerts = operation({
  name: 'list_code_scanning_alerts',
  summary:
    'List the faults that scanners found in the code, the most severe first: of the default branch unless ref or pull is given (Write, or a security manager). state open, dismissed or fixed.',
  keywords: ['code scanning', 'security alerts', 'static analysis findings', 'vulnerable code'],
  route: 'GET /repos/{owner}/{name}/code-scanning/alerts',
  toolset: 'security',
  access: readsRepoAs('write', { scope: 'security:read', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    state: Type.Optional(OneOf(CODE_ALERT_STATES)),
    severity: Type.Optional(OneOf(SEVERITIES)),
    tool: ToolInput,
    ref: Type.Optional(Type.String({ maxLength: 1_000, description: 'A branch or full ref.' })),
    pull: Type.Optional(RecordNumber),
    ...byPage(),
  }),
  output: CodeAlerts,
  list: 'page',
  // Whoever controls the scanned files or the scanner writes these texts.
  untrusted: ({ items }) => items.map((_, index) => `/items/${index}/message`),

  handler: ({ hearth, db, repo }, { state, severity, tool, ref, pull, ...paging }) => {
    if (ref !== undefined && pull !== undefined) throw invalid('pull', 'give ref or pull, not both')
    const refs = pull !== undefined ? pullRefs(pull) : ref !== undefined ? [fullRef(ref)] : []
    const window = windowOf(paging)
    const rows = listCodeAlertRows(
      db,
      {
        repo_id: repo.id,
        state: state ?? null,
        severity: severity ?? null,
        tool: tool ?? null,
        refs,
      },
      window,
    )
    const records = codeAlertRecords(hearth, repo, rows, refs.length > 0 ? refs : undefined)
    return pageOf(records.map(withoutHelp), window)
  },
})
