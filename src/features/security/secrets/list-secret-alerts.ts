import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { alertRecord, requireAlertHome } from './alert-records.ts'
import { SECRET_STATES, SecretAlerts } from './schema.ts'
import { listAlertRows } from './store.ts'

export const listSecretAlerts = operation({
  name: 'list_secret_alerts',
  summary:
    'List the secrets that were found in a repository, newest first: keys, tokens and passwords that people should revoke. Needs admin or a security manager. The text of a secret is never shown.',
  keywords: ['leaked keys', 'leaked passwords', 'secret scanning alerts', 'credentials in code'],
  route: 'GET /repos/{owner}/{name}/secret-scanning/alerts',
  toolset: 'security',
  access: readsRepoAs('admin', { scope: 'security:read', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    state: Type.Optional(OneOf(SECRET_STATES)),
    type: Type.Optional(Type.String({ maxLength: 100, description: 'A format of secrets.' })),
    ...byPage(),
  }),
  output: SecretAlerts,
  list: 'page',

  handler: ({ hearth, db, repo }, { state, type, ...paging }) => {
    requireAlertHome(repo)
    const window = windowOf(paging)
    const rows = listAlertRows(
      db,
      { repo_id: repo.id, state, type },
      { limit: window.limit + 1, offset: window.offset },
    )
    return pageOf(
      rows.map((row) => alertRecord(hearth, repo.full_name, row)),
      window,
    )
  },
})
