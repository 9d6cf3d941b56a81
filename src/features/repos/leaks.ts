/**
 * Finds access tokens of this forge that commits add. What is looked at are added lines: a token that was there before is no
 * news of this push. Where no lines are known (large and binary files, a first commit) whole files are read.
 */
import type { Commit, FileDiff, Git, Oid } from '#git'
import { findSecrets } from '#features/accounts/index.ts'

export type Leak = { readonly commit: Oid; readonly path: string; readonly line: number; readonly secret: string }

/** Commits to look through: those that `tips` reach and `hide` do not. */
export type Range = { readonly tips: readonly Oid[]; readonly hide: readonly Oid[] }

/** Of a file that is read whole; a token further on in a larger one is not found. */
const MOST_BYTES = 8 * 1024 * 1024
/** Lines are compared for so many files of a commit; of the others whole files are. */
const MOST_COMPARED = 300

type Found = Omit<Leak, 'commit'>

/** Bytes as text, each one character: a token is plain ASCII whatever the rest is. */
const asText = (data: Uint8Array): string => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')

const lineAt = (text: string, index: number): number => {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++
  return line
}

const textOf = async (git: Git, store: string, oid: Oid | null): Promise<string> => {
  const blob = oid === null ? null : await git.blob(store, oid, MOST_BYTES)
  return blob ? asText(blob.data) : ''
}

/** What a whole file holds that its version before did not. */
async function inFile(git: Git, store: string, path: string, oid: Oid, before: Oid | null): Promise<Found[]> {
  const text = await textOf(git, store, oid)
  const secrets = findSecrets(text)
  if (secrets.length === 0) return []
  const known = new Set(findSecrets(await textOf(git, store, before)).map(({ secret }) => secret))
  return secrets.filter(({ secret }) => !known.has(secret)).map(({ secret, index }) => ({ path, line: lineAt(text, index), secret }))
}

const inLines = ({ path, hunks }: FileDiff): Found[] =>
  (hunks ?? []).flatMap(({ lines }) =>
    lines.flatMap((line) => (line.kind === 'add' && line.new !== null ? findSecrets(line.text).map(({ secret }) => ({ path, line: line.new ?? 1, secret })) : [])),
  )

async function addedTo(git: Git, store: string, parent: Oid, commit: Oid): Promise<Found[]> {
  const { files } = await git.diff(store, parent, commit, { hunks: true, context: 0, limit: MOST_COMPARED })
  const found: Found[] = []
  for (const file of files) {
    if (file.hunks !== null) found.push(...inLines(file))
    else if (file.new_oid !== null && file.mode !== '160000') found.push(...(await inFile(git, store, file.path, file.new_oid, file.old_oid)))
  }
  return found
}

async function addedByFirst(git: Git, store: string, commit: Oid): Promise<Found[]> {
  const entries = (await git.tree(store, commit, '', { recursive: true })) ?? []
  const found: Found[] = []
  for (const { type, path, oid } of entries) if (type === 'file' || type === 'symlink') found.push(...(await inFile(git, store, path, oid, null)))
  return found
}

/** What one commit adds. A merge adds what none of its parents has. */
export async function leaksOf(git: Git, store: string, { oid, parents }: Pick<Commit, 'oid' | 'parents'>): Promise<Leak[]> {
  const [first, ...others] = parents
  let found = first === undefined ? await addedByFirst(git, store, oid) : await addedTo(git, store, first, oid)
  for (const parent of others) {
    if (found.length === 0) break
    const also = new Set((await addedTo(git, store, parent, oid)).map(({ path, secret }) => `${path}\0${secret}`))
    found = found.filter(({ path, secret }) => also.has(`${path}\0${secret}`))
  }
  return found.map((leak) => ({ ...leak, commit: oid }))
}

const AT_ONCE = 100

/** Goes through a range, the newest commit first, at most `most` of them. */
export async function* leaksIn(git: Git, store: string, range: Range, most = Number.POSITIVE_INFINITY): AsyncGenerator<Leak> {
  for (let skip = 0; skip < most; skip += AT_ONCE) {
    const commits = await git.log(store, { ...range, skip, limit: Math.min(AT_ONCE, most - skip) })
    for (const commit of commits) yield* await leaksOf(git, store, commit)
    if (commits.length < AT_ONCE) return
  }
}
