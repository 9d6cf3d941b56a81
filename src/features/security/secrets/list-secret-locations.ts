import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Id, RepoPath, Type } from '#core/schema.ts'
import { requireAlert } from './alert-records.ts'
import { SecretLocations } from './schema.ts'
import { listLocationRows } from './store.ts'

export const listSecretLocations = operation({
  name: 'list_secret_locations',
  summary:
    'List where the secret of an alert was found, oldest first: path, line and commit, or the address of the text that holds it. Needs admin or a security manager.',
  keywords: ['where is the leaked key', 'commits with a secret'],
  route: 'GET /repos/{owner}/{name}/secret-scanning/alerts/{id}/locations',
  toolset: 'security',
  access: readsRepoAs('admin', { scope: 'security:read', securityManager: true }),
  input: Type.Object({ repo: RepoPath, id: Id('sec'), ...byPage() }),
  output: SecretLocations,
  list: 'page',

  handler: ({ hearth, db, repo }, { id, ...paging }) => {
    const alert = requireAlert(hearth, repo, id)
    const window = windowOf(paging)
    const rows = listLocationRows(db, alert.id, {
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(
      rows.map(({ path, line, commit, source, found_at }) => ({
        path: commit === '' ? `/${repo.full_name}/${path}` : path,
        line,
        commit: commit === '' ? null : commit,
        source,
        found_at,
      })),
      window,
    )
  },
})
