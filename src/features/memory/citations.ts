/** Files that memories are about, and whether they are still as they were. */
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { headCommit } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { trimSlashes } from '#lib/trim-slashes.ts'
import type { Citation } from './schema.ts'
import type { CitedPath, MemoryRow } from './store.ts'

type Home = Pick<RepoGrant, 'id' | 'store' | 'parent_id'>

export const citedPaths = ({ paths }: Pick<MemoryRow, 'paths'>): CitedPath[] =>
  JSON.parse(paths) as CitedPath[]

/** Finds the objects at paths of the default branch; null where there is none. */
async function findObjects(
  hearth: Hearth,
  repo: Home,
  paths: Iterable<string>,
): Promise<Map<string, string | null>> {
  const head = headCommit(hearth, repo)
  const found = new Map<string, string | null>()
  for (const path of new Set(paths))
    found.set(
      path,
      head === null ? null : ((await hearth.git.findEntry(repo.store, head, path))?.oid ?? null),
    )
  return found
}

/** Resolves the paths of a new memory. Throws 422 for a path that the default branch lacks. */
export async function readCitations(
  hearth: Hearth,
  repo: Home,
  given: readonly string[],
): Promise<CitedPath[]> {
  const paths = [...new Set(given.map(trimSlashes))]
  const isPossible = (path: string) =>
    !path.includes('\0') &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  const wrong = paths.find((path) => !isPossible(path))
  const objects = await findObjects(hearth, repo, wrong === undefined ? paths : [])
  return paths.map((path, at) => {
    const oid = objects.get(path)
    if (!oid) throw invalid(`paths[${at}]`, `the default branch has no file ${path}`)
    return { path, oid }
  })
}

/** The files of some memories of one repository, with their state now. */
export async function citationsOf(
  hearth: Hearth,
  repo: Home,
  rows: readonly MemoryRow[],
): Promise<Map<string, Citation[]>> {
  const cited = rows.map((row) => [row.id, citedPaths(row)] as const)
  const objects = await findObjects(
    hearth,
    repo,
    cited.flatMap(([, paths]) => paths.map(({ path }) => path)),
  )
  return new Map(
    cited.map(([id, paths]) => [
      id,
      paths.map(({ path, oid }) => {
        const now = objects.get(path) ?? null
        return { path, state: now === null ? 'gone' : now === oid ? 'current' : 'changed' } as const
      }),
    ]),
  )
}
