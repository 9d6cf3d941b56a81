/**
 * Refs of a plain bare repository: loose refs take precedence over packed-refs
 * (gitrepository-layout, git-pack-refs).
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isOid } from '../object.ts'
import { GitError, type Oid, type RefUpdate } from '../ports.ts'
import { isRefName } from '../protocol/ref-name.ts'

const MAX_SYMREF_DEPTH = 5

export type BareRefs = {
  /** Full name of the ref that HEAD points at. */
  readonly head: string
  readonly refs: ReadonlyMap<string, Oid>
}

/**
 * Returns all refs that resolve to an object. Throws GitError `invalid` when the directory is no
 * repository.
 */
export function readBareRefs(directory: string): BareRefs {
  const head = readText(join(directory, 'HEAD'))
  if (head === null) throw new GitError('invalid', `${directory} is not a bare repository`)
  const refs = packedRefs(directory)
  const links = new Map<string, string>()
  for (const name of looseNames(directory, 'refs')) {
    const text = readText(join(directory, name))?.trim() ?? ''
    if (text.startsWith('ref: ')) links.set(name, text.slice(5))
    else if (isOid(text)) refs.set(name, text)
  }
  for (const [name, target] of links) {
    let at = target
    for (let i = 0; i < MAX_SYMREF_DEPTH && links.has(at); i++) at = links.get(at)!
    const oid = refs.get(at)
    if (oid !== undefined) refs.set(name, oid)
  }
  const symref = /^ref: (\S+)/.exec(head)
  return { head: symref ? symref[1]! : 'refs/heads/main', refs }
}

/**
 * Updates the refs that have the expected old value. Returns null for each success, else the
 * reason. With `atomic` all refs are updated or none. Every ref is locked before the first is
 * updated, so other programs never see a part of a refused transaction.
 */
export function updateBareRefs(
  directory: string,
  updates: readonly RefUpdate[],
  atomic: boolean,
): (string | null)[] {
  const locks = new Set<string>()
  try {
    const errors: (string | null)[] = updates.map((update) => lockRef(directory, update, locks))
    const { refs } = readBareRefs(directory)
    updates.forEach((update, i) => {
      if (errors[i] === null && (refs.get(update.name) ?? null) !== update.old)
        errors[i] = 'fetch first'
    })
    const conflicts = findNameConflicts(new Set(refs.keys()), updates)
    updates.forEach(({ name }, i) => {
      if (errors[i] === null && conflicts.has(name)) errors[i] = LOCKED
    })
    // As in git: a ref that cannot be locked fails the transaction and is reported as the other
    // refs are.
    if (atomic && errors.some((one) => one !== null))
      return errors.map((one) =>
        one === null || one === LOCKED ? 'atomic transaction failed' : one,
      )
    return updates.map((update, i) => errors[i] ?? moveRef(directory, update, locks))
  } finally {
    for (const path of locks) rmSync(path, { force: true })
  }
}

const LOCKED = 'failed to update ref'

/** The directories above a ref name, below `refs/`. */
function directoriesOf(name: string): string[] {
  const found: string[] = []
  for (let at = name.lastIndexOf('/'); at > 'refs/'.length; at = name.lastIndexOf('/', at - 1))
    found.push(name.slice(0, at))
  return found
}

/**
 * Returns the new names that would be a file and a directory at once, with existing refs or with
 * each other. Like git, one transaction cannot delete a ref and create one below it.
 */
function findNameConflicts(
  existing: ReadonlySet<string>,
  updates: readonly RefUpdate[],
): ReadonlySet<string> {
  const names = new Set([...existing, ...updates.map(({ name }) => name)])
  const directories = new Set([...names].flatMap(directoriesOf))
  const created = updates.filter(({ name, new: to }) => to !== null && !existing.has(name))
  return new Set(
    created
      .map(({ name }) => name)
      .filter((name) => directories.has(name) || directoriesOf(name).some((one) => names.has(one))),
  )
}

/** Removes a directory that holds nothing but empty directories. Deleted refs leave such. */
function removeEmptyDirectory(path: string): void {
  if (!existsSync(path) || !statSync(path).isDirectory()) return
  for (const entry of readdirSync(path)) removeEmptyDirectory(join(path, entry))
  rmdirSync(path)
}

/** Creates the lock file of a ref, as git does, and adds it to the locks. */
function lockRef(directory: string, { name }: RefUpdate, locks: Set<string>): string | null {
  if (!isRefName(name) || !name.startsWith('refs/')) return 'funny refname'
  const path = `${join(directory, name)}.lock`
  try {
    mkdirSync(dirname(path), { recursive: true })
    closeSync(openSync(path, 'wx'))
    locks.add(path)
    return null
  } catch {
    return LOCKED
  }
}

function moveRef(directory: string, update: RefUpdate, locks: Set<string>): string | null {
  const path = join(directory, update.name)
  try {
    if (update.new === null) {
      unpackRef(directory, update.name)
      rmSync(path, { force: true })
    } else {
      removeEmptyDirectory(path)
      writeSynced(`${path}.lock`, `${update.new}\n`)
      renameSync(`${path}.lock`, path)
      // The lock file was renamed. Another process may create one of the same name.
      locks.delete(`${path}.lock`)
    }
    return null
  } catch (error) {
    return error instanceof Error ? error.message : 'failed to update ref'
  }
}

function packedRefs(directory: string): Map<string, Oid> {
  const refs = new Map<string, Oid>()
  for (const line of (readText(join(directory, 'packed-refs')) ?? '').split('\n')) {
    const match = /^([0-9a-f]{40}) (\S+)$/.exec(line)
    if (match) refs.set(match[2]!, match[1]!)
  }
  return refs
}

/** Removes a ref and the peeled line after it from packed-refs. */
function unpackRef(directory: string, name: string): void {
  const path = join(directory, 'packed-refs')
  const text = readText(path)
  if (text === null || !text.includes(` ${name}\n`)) return
  const lines: string[] = []
  let dropped = false
  for (const line of text.split('\n')) {
    if (line.startsWith('^') && dropped) continue
    dropped = line.slice(41) === name
    if (!dropped) lines.push(line)
  }
  writeSynced(`${path}.new`, lines.join('\n'))
  renameSync(`${path}.new`, path)
}

function looseNames(directory: string, below: string): string[] {
  const names: string[] = []
  const at = join(directory, below)
  if (!existsSync(at)) return names
  for (const entry of readdirSync(at, { withFileTypes: true })) {
    const name = `${below}/${entry.name}`
    if (entry.isDirectory()) names.push(...looseNames(directory, name))
    else if (isRefName(name)) names.push(name)
  }
  return names
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function writeSynced(path: string, text: string): void {
  const fd = openSync(path, 'w')
  try {
    writeSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
