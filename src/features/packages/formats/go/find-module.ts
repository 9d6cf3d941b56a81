/** Finds the commit and the folder of a module's version in a repository. */
import type { Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { commitTime, refsOf, resolveCommit } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import {
  commitOfPseudoVersion,
  goVersionKey,
  isGoPrerelease,
  isVersionOf,
  pseudoVersion,
  tagPrefixOf,
  type ModulePath,
} from './module-path.ts'

type Family = { readonly id: string; readonly store: string }

const TAGS = 'refs/tags/'
const MAX_GO_MOD_BYTES = 1024 ** 2
/** So many tags are looked at for the last version before a commit. */
const MAX_BASES = 50

/** Versions that tags name, the lowest first. */
export function listTaggedVersions(hearth: Hearth, repo: Family, path: ModulePath): string[] {
  const keys = new Map<string, string>()
  for (const { name } of refsOf(hearth, repo.id).refs) {
    if (!name.startsWith(TAGS)) continue
    const tag = name.slice(TAGS.length)
    for (const folder of path.folders) {
      const prefix = tagPrefixOf(folder)
      const version = tag.startsWith(prefix) ? tag.slice(prefix.length) : ''
      if (isVersionOf(path, version)) keys.set(version, goVersionKey(version))
    }
  }
  return [...keys].sort(([, a], [, b]) => (a < b ? -1 : 1)).map(([version]) => version)
}

/** The commit that a tag of the module names; null without one. */
async function findTagged(
  hearth: Hearth,
  repo: Family,
  path: ModulePath,
  version: string,
): Promise<Oid | null> {
  const names = path.folders.map((folder) => `${TAGS}${tagPrefixOf(folder)}${version}`)
  const ref = refsOf(hearth, repo.id).refs.find(({ name }) => names.includes(name))
  return ref ? await hearth.git.peelToCommit(repo.store, ref.peeled ?? ref.oid) : null
}

/** The path that a go.mod declares; null for none. */
export function declaredModule(text: string): string | null {
  for (const line of text.split('\n')) {
    const [text = ''] = line.split('//')
    const words = text.trim().split(/\s+/)
    if (words[0] === 'module') return (words[1] ?? '').replace(/^["`]|["`]$/g, '')
  }
  return null
}

export type FoundModule = {
  readonly version: string
  readonly time: Date
  readonly commit: Oid
  readonly folder: string
  readonly mod: string
}

/** The go.mod that declares the path, in one of the folders that it may be in. Throws 404. */
async function findGoMod(
  hearth: Hearth,
  { store }: Family,
  path: ModulePath,
  commit: Oid,
): Promise<{ folder: string; mod: string }> {
  for (const folder of path.folders) {
    const entry = await hearth.git.findEntry(store, commit, `${tagPrefixOf(folder)}go.mod`)
    if (entry?.type !== 'file') continue
    const blob = await hearth.git.readBlob(store, entry.oid, MAX_GO_MOD_BYTES)
    const mod = new TextDecoder().decode(blob?.data)
    if (declaredModule(mod) === path.module) return { folder, mod }
  }
  throw notFound(`a go.mod that declares ${path.module}`)
}

async function timeOf(hearth: Hearth, { store }: Family, commit: Oid): Promise<Date> {
  const found = await hearth.git.readCommit(store, commit)
  return new Date(commitTime(found?.committer.time ?? 0))
}

/** The highest version before a commit, for the version of a commit without a tag. */
async function findBase(
  hearth: Hearth,
  repo: Family,
  path: ModulePath,
  commit: Oid,
): Promise<string | null> {
  const versions = listTaggedVersions(hearth, repo, path).toReversed().slice(0, MAX_BASES)
  for (const version of versions) {
    const tagged = await findTagged(hearth, repo, path, version)
    if (tagged && (await hearth.git.isReachable(repo.store, tagged, [commit]))) return version
  }
  return null
}

/** A version, or what stands for one: a branch, a tag or the beginning of a commit id. */
export async function findModule(
  hearth: Hearth,
  repo: Family,
  path: ModulePath,
  asked: string,
): Promise<FoundModule> {
  const tagged = isVersionOf(path, asked) ? await findTagged(hearth, repo, path, asked) : null
  const pseudo = commitOfPseudoVersion(asked)
  if (tagged === null && pseudo === null && /^v\d/.test(asked))
    throw notFound(`the version ${asked.slice(0, 100)} of ${path.module}`)
  const commit = tagged ?? (await resolveCommit(hearth, repo, pseudo ?? asked))
  const time = await timeOf(hearth, repo, commit)
  const version =
    tagged !== null
      ? asked
      : pseudoVersion(path, await findBase(hearth, repo, path, commit), time, commit)
  if (pseudo !== null && !version.endsWith(asked.slice(-27)))
    throw notFound(`the version ${asked.slice(0, 100)} of ${path.module}`)
  const found = await findGoMod(hearth, repo, path, commit)
  // The client may have a version whose base it found itself; time and commit decide.
  return { version: pseudo === null ? version : asked, time, commit, ...found }
}

/** The version that `@latest` means: the highest release, else prerelease, else the branch HEAD. */
export function latestOf(hearth: Hearth, repo: Family, path: ModulePath): string {
  const versions = listTaggedVersions(hearth, repo, path)
  return versions.findLast((version) => !isGoPrerelease(version)) ?? versions.at(-1) ?? 'HEAD'
}
