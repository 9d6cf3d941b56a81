import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { SarifUpload } from './schema.ts'
import { findUpload, listAnalysesOfUpload } from './store-analyses.ts'

export const getSarif = operation({
  name: 'get_sarif',
  summary:
    'See what became of an upload of a scanner: pending, complete or failed, its analyses, and what could not be read (Write).',
  keywords: ['sarif processing status', 'upload of a scanner'],
  route: 'GET /repos/{owner}/{name}/code-scanning/sarifs/{id}',
  toolset: 'security',
  access: readsRepoAs('write', { scope: 'security:read' }),
  input: Type.Object({
    repo: RepoPath,
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of an upload.' }),
  }),
  output: SarifUpload,

  handler: ({ db, repo }, { id }) => {
    const row = findUpload(db, id)
    if (row?.repo_id !== repo.id) throw notFound(`the upload ${id}`)
    return {
      id: row.id,
      processing_status: row.state,
      analyses: listAnalysesOfUpload(db, row.id).map((analysis) => analysis.id),
      errors: JSON.parse(row.errors) as string[],
    }
  },
})
