import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { Analyses, ToolInput } from './schema.ts'
import { fullRef } from './refs.ts'
import { analysisRecord, listAnalysisRows } from './store-analyses.ts'

export const listCodeScanningAnalyses = operation({
  name: 'list_code_scanning_analyses',
  summary:
    'List what scanners reported of commits, newest first: tool, commit, how many results, and how many alerts they opened and fixed (Write, or a security manager).',
  keywords: ['code scanning history', 'scanner runs', 'sarif analyses'],
  route: 'GET /repos/{owner}/{name}/code-scanning/analyses',
  toolset: 'security',
  access: readsRepoAs('write', { scope: 'security:read', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    ref: Type.Optional(
      Type.String({ maxLength: 1_000, description: 'Only of this branch or full ref.' }),
    ),
    tool: ToolInput,
    category: Type.Optional(Type.String({ maxLength: 100, description: 'Only of this category.' })),
    ...byPage(),
  }),
  output: Analyses,
  list: 'page',

  handler: ({ db, repo }, { ref, tool = null, category = null, ...paging }) => {
    const window = windowOf(paging)
    const filter = {
      repo_id: repo.id,
      ref: ref === undefined ? null : fullRef(ref),
      tool,
      category,
    }
    return pageOf(listAnalysisRows(db, filter, window).map(analysisRecord), window)
  },
})
