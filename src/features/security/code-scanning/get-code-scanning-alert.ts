import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { codeAlertRecords, requireCodeAlert } from './alert-record.ts'
import { CodeAlert, CodeAlertId } from './schema.ts'
import { listInstances } from './store-alerts.ts'

/** An alert may be on many branches. */
const MAX_INSTANCES = 100

export const getCodeScanningAlert = operation({
  name: 'get_code_scanning_alert',
  summary:
    'Get a fault that a scanner found, with the help of its rule and the refs that have it (Write, or a security manager).',
  keywords: ['code scanning alert', 'about a finding', 'where is the vulnerable line'],
  route: 'GET /repos/{owner}/{name}/code-scanning/alerts/{id}',
  toolset: 'security',
  access: readsRepoAs('write', { scope: 'security:read', securityManager: true }),
  input: Type.Object({ repo: RepoPath, id: CodeAlertId }),
  output: CodeAlert,
  untrusted: () => ['/message', '/rule/description', '/rule/help'],

  handler: ({ hearth, db, repo }, { id }) => {
    const row = requireCodeAlert(db, repo, id)
    const [record] = codeAlertRecords(hearth, repo, [row])
    if (!record) throw new TypeError('an alert has no record')
    return {
      ...record,
      instances: listInstances(db, row.id, MAX_INSTANCES).map((instance) => ({
        ref: instance.ref,
        category: instance.category,
        path: instance.path,
        start_line: instance.start_line,
        end_line: instance.end_line,
        commit_sha: instance.commit_sha,
        state: instance.state,
      })),
    }
  },
})
