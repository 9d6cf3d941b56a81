import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { Analysis } from './schema.ts'
import { analysisRecord, findAnalysis } from './store-analyses.ts'

export const getCodeScanningAnalysis = operation({
  name: 'get_code_scanning_analysis',
  summary: 'Get one analysis of a scanner (Write, or a security manager).',
  keywords: ['scanner run', 'sarif analysis'],
  route: 'GET /repos/{owner}/{name}/code-scanning/analyses/{id}',
  toolset: 'security',
  access: readsRepoAs('write', { scope: 'security:read', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of an analysis.' }),
  }),
  output: Analysis,

  handler: ({ db, repo }, { id }) => {
    const row = findAnalysis(db, id)
    if (row?.repo_id !== repo.id || row.is_complete === 0) throw notFound(`the analysis ${id}`)
    return analysisRecord(row)
  },
})
