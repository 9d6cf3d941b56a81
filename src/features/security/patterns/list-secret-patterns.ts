import { operation } from '#core/operation.ts'
import { ownerInput, ownerOf } from '#core/owner.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { readsPatterns } from './access.ts'
import { patternRecord } from './pattern-record.ts'
import { SecretPatterns } from './schema.ts'
import { listPatternRows } from './store.ts'

export const listSecretPatterns = operation({
  name: 'list_secret_patterns',
  summary:
    'List the formats of secrets that a repository (Admin or a security manager) or a workspace (Owner) added to those of the forge, by name, each with its last test.',
  keywords: ['custom secret patterns', 'own formats of keys', 'custom secret scanning'],
  route: [
    'GET /workspaces/{workspace}/secret-scanning/patterns',
    'GET /repos/{owner}/{name}/secret-scanning/patterns',
  ],
  toolset: 'security',
  access: readsPatterns,
  input: Type.Object({ ...ownerInput, ...byPage() }),
  output: SecretPatterns,
  list: 'page',

  handler: ({ hearth, db, repo, workspace }, paging) => {
    const window = windowOf(paging)
    const rows = listPatternRows(db, ownerOf({ repo, workspace }), window)
    return pageOf(
      rows.map((row) => patternRecord(hearth, row)),
      window,
    )
  },
})
