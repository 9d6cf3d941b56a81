import { readsRepo } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { GitError, type Oid } from '#git'
import { headCommit } from '../refs/resolve-commit.ts'
import { LanguageShare } from '../schema.ts'
import { historyCache } from '../store/history-cache.ts'

type Measured = readonly { readonly language: string; readonly bytes: number }[]

/** The bytes by language of a commit, cached on disk. None for a tree with too many files. */
export async function findLanguages(hearth: Hearth, store: string, commit: Oid): Promise<Measured> {
  const known = historyCache(hearth).find('languages', store, '', commit) as Measured | null
  if (known) return known
  const measured = await hearth.git.measureLanguages(store, commit).catch((error: unknown) => {
    if (error instanceof GitError && error.code === 'too_large') return []
    throw error
  })
  historyCache(hearth).replace('languages', store, '', commit, measured)
  return measured
}

export const listLanguages = operation({
  name: 'list_languages',
  summary:
    'The programming languages of the default branch of a repository that you can see, by bytes, without vendored and generated files and documentation. linguist attributes are obeyed.',
  keywords: ['programming languages of a project', 'language breakdown', 'linguist', 'insights'],
  route: 'GET /v1/repos/{owner}/{name}/languages',
  toolset: 'code',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: ListOf(LanguageShare),

  handler: async ({ hearth, repo }) => {
    const head = headCommit(hearth, repo)
    const measured = head === null ? [] : await findLanguages(hearth, repo.store, head)
    const total = measured.reduce((sum, { bytes }) => sum + bytes, 0)
    return {
      items: measured.map(({ language, bytes }) => ({
        language,
        bytes,
        percent: Math.round((bytes / total) * 1000) / 10,
      })),
      next: null,
    }
  },
})
