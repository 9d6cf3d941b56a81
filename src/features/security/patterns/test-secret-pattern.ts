import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { ownerInput, type OwnerGrants } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { fullNameOf, repoByPath, requireRepo, type RepoRow } from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { writesPatterns } from './access.ts'
import { patternRecord, requirePattern } from './pattern-record.ts'
import { runPatternTest } from './pattern-test-job.ts'
import { PatternId, SecretPattern, type PatternTest } from './schema.ts'
import { setPatternTest } from './store.ts'

/** The repository that is read. Throws 422 for one that the workspace does not have. */
function testedRepo(db: Db, { repo, workspace }: OwnerGrants, named?: string): RepoRow {
  if (repo !== null) return requireRepo(db, repo.id)
  const row =
    named === undefined || workspace === null
      ? null
      : repoByPath(db, `${workspace.slug}/${named.split('/').at(-1) ?? ''}`)
  if (row === null || row.deleted_at !== null || row.workspace_id !== workspace?.id)
    throw invalid('repository', 'repository must name a repository of the workspace')
  return row
}

export const testSecretPattern = operation({
  name: 'test_secret_pattern',
  summary:
    'Look for a format of secrets in all commits of a repository without opening alerts, in the background. The answer is the pattern; its test says how many matches there are, with places and previews.',
  keywords: ['dry run of a secret pattern', 'try a pattern', 'how many matches'],
  route: [
    'POST /workspaces/{workspace}/secret-scanning/patterns/{id}/tests',
    'POST /repos/{owner}/{name}/secret-scanning/patterns/{id}/tests',
  ],
  toolset: 'security',
  access: writesPatterns,
  input: Type.Object({
    ...ownerInput,
    id: PatternId,
    repository: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'For a pattern of a workspace: the name of the repository to read.',
      }),
    ),
  }),
  output: SecretPattern,
  status: 202,

  handler: ({ hearth, repo, workspace, write }, { id, repository }) =>
    write((tx) => {
      const grants = { repo, workspace }
      const row = requirePattern(tx.db, grants, id)
      const tested = testedRepo(tx.db, grants, repository)
      if (row.test !== null && (JSON.parse(row.test) as PatternTest).state === 'queued')
        throw conflict('in_progress', 'a test of this pattern is under way')
      const test: PatternTest = {
        state: 'queued',
        repository: fullNameOf(tx.db, tested),
        commits: 0,
        matches: 0,
        complete: false,
        places: [],
        created_at: tx.now,
        finished_at: null,
      }
      setPatternTest(tx, id, JSON.stringify(test))
      tx.enqueue(runPatternTest, { pattern: id, repo_id: tested.id, created_at: tx.now })
      return patternRecord(hearth, requirePattern(tx.db, grants, id))
    }),
})
