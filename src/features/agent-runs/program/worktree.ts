/**
 * The files of a program: a checkout of its fork, and what the program has changed in it. The
 * program may have put anything there. It has ended when its files are read, no link is followed,
 * and only regular files are taken.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, opendir, readlink, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Hearth } from '#core/hearth.ts'
import { checkOutCommit, limitsOf, runnerOf, type FileContents } from '#features/checks/index.ts'
import { PROGRAM_SETTINGS } from '#features/pulls/index.ts'
import type { TreeEntry } from '#git'
import { nextTurn } from '#lib/waiting.ts'
import type { Workplace } from '#runner'
import { MAX_CHANGED_FILES, MAX_FILE_BYTES } from '../files.ts'
import type { RunContext } from '../run-context.ts'
import { ToolError } from '../tool.ts'
import { IgnoreRules } from './ignore-rules.ts'

/** Entries beyond those of the commit, ignored ones included. */
const MAX_NEW_ENTRIES = 50_000
const MAX_PATH_BYTES = 1_000
const MAX_IGNORE_BYTES = 64 * 1024
const MAX_NOTES = 20

/**
 * Settings of agent programs. Those of a repository run commands and name servers, so a program does
 * not see them, and cannot change them.
 */
const HIDDEN_NAMES = new Set(['.git', '.hearth-agent', ...PROGRAM_SETTINGS])

const isHidden = (path: string): boolean =>
  path.split('/').some((part) => HIDDEN_NAMES.has(part.toLowerCase()))

export const programFolder = ({ settings }: Hearth): string =>
  join(resolve(settings.data), 'agents')

const exists = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => null)) !== null

/** The directory of a run. One that is kept has the files and the home that it had. */
export async function openWorktree(context: RunContext, isKept: boolean): Promise<Workplace> {
  const { hearth, run, fork, head } = context
  const runner = runnerOf(hearth)
  const parent = programFolder(hearth)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const hasHome = await exists(join(parent, run.agent_id, 'work', 'home'))
  const place = await runner.openProgramDirectory(parent, run.agent_id, { isKept: hasHome })
  if (isKept && hasHome) return place
  await runner.emptyFolder(place.build)
  const { diskBytes } = limitsOf(hearth, 0)
  const tree = (await hearth.git.listTree(fork.store, head, '', { recursive: true })) ?? []
  await checkOutCommit(hearth, fork.store, head, place.build, diskBytes)
  // Hidden afterwards: the names of a tree are few, and nothing runs yet.
  for (const path of hiddenRoots(tree)) await rm(join(place.build, path), { recursive: true })
  return place
}

/** The highest hidden folders and files of a tree. */
function hiddenRoots(tree: readonly TreeEntry[]): string[] {
  const roots = new Set<string>()
  for (const { path } of tree) {
    const parts = path.split('/')
    const at = parts.findIndex((part) => HIDDEN_NAMES.has(part.toLowerCase()))
    if (at >= 0) roots.add(parts.slice(0, at + 1).join('/'))
  }
  return [...roots]
}

export const removeWorktree = (hearth: Hearth, agent_id: string): Promise<boolean> =>
  runnerOf(hearth).removeDirectory({
    id: agent_id,
    folder: join(programFolder(hearth), agent_id),
    work: '',
    build: '',
  })

export type Changes = {
  readonly files: FileContents
  readonly executable: ReadonlySet<string>
  /** What is not taken over, for people. */
  readonly notes: readonly string[]
}

async function readIgnoreRules({ hearth, fork, head }: RunContext): Promise<IgnoreRules> {
  const entry = await hearth.git.findEntry(fork.store, head, '.gitignore')
  if (entry?.type !== 'file') return new IgnoreRules('')
  const blob = await hearth.git.readBlob(fork.store, entry.oid, MAX_IGNORE_BYTES)
  return new IgnoreRules(new TextDecoder().decode(blob?.data))
}

type Found = { readonly path: string; readonly size: number; readonly isExecutable: boolean }

class Harvest {
  readonly files = new Map<string, Uint8Array | null>()
  readonly executable = new Set<string>()
  readonly notes: string[] = []
  readonly #before: Map<string, TreeEntry>
  /** The folders of the commit, because a program may make very many that are ignored. */
  readonly #folders = new Set<string>()
  readonly #seen = new Set<string>()
  #newEntries = 0

  constructor(
    private readonly root: string,
    tree: readonly TreeEntry[],
    private readonly rules: IgnoreRules,
  ) {
    this.#before = new Map(
      tree.flatMap((entry) => (entry.type === 'dir' ? [] : [[entry.path, entry]])),
    )
    for (const path of this.#before.keys())
      for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
        const folder = path.slice(0, at)
        if (this.#folders.has(folder)) break
        this.#folders.add(folder)
      }
  }

  async run(): Promise<Changes> {
    await this.#walk('')
    for (const [path, { type }] of this.#before)
      if (!this.#seen.has(path) && type !== 'submodule' && !isHidden(path)) this.#set(path, null)
    return this
  }

  #note(text: string): void {
    if (this.notes.length < MAX_NOTES) this.notes.push(text)
  }

  #set(path: string, content: Uint8Array | null): void {
    this.files.set(path, content)
    if (this.files.size > MAX_CHANGED_FILES)
      throw new ToolError(`it changed more than ${MAX_CHANGED_FILES} files`)
  }

  async #walk(folder: string): Promise<void> {
    let count = 0
    for await (const entry of await opendir(join(this.root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (++count % 100 === 0) await nextTurn()
      // A name that is no text cannot be opened by it.
      if (isHidden(path) || path.includes('\uFFFD') || Buffer.byteLength(path) > MAX_PATH_BYTES)
        continue
      if (entry.isDirectory()) {
        this.#countNew(path)
        const isWanted = this.#folders.has(path) || !(await this.rules.ignores(`${path}/x`))
        if (isWanted) await this.#walk(path)
      } else await this.#takeEntry(path)
    }
  }

  #countNew(path: string): void {
    if (!this.#before.has(path) && ++this.#newEntries > MAX_NEW_ENTRIES + this.#before.size)
      throw new ToolError(`it left more than ${MAX_NEW_ENTRIES} new files`)
  }

  async #takeEntry(path: string): Promise<void> {
    const before = this.#before.get(path)
    if (!before) this.#countNew(path)
    const full = join(this.root, path)
    const entry = await lstat(full)
    if (before) this.#seen.add(path)
    if (!before && (await this.rules.ignores(path))) return
    if (entry.isFile())
      return await this.#takeFile(
        { path, size: entry.size, isExecutable: (entry.mode & 0o100) !== 0 },
        before,
      )
    if (entry.isSymbolicLink() && before?.type === 'symlink') {
      const target = await readlink(full, { encoding: 'buffer' })
      if (oidOf(target, before.oid) === before.oid) return
    }
    this.#note(`${path} is not a file`)
  }

  async #takeFile(
    { path, size, isExecutable }: Found,
    before: TreeEntry | undefined,
  ): Promise<void> {
    if (size > MAX_FILE_BYTES) {
      if (before?.size !== size || !(await this.#isSameLarge(path, before)))
        this.#note(`${path} is larger than 1 MiB`)
      return
    }
    const data = await readPlain(join(this.root, path), size)
    if (before && oidOf(data, before.oid) === before.oid) return
    if (before?.type === 'symlink') return this.#note(`${path} was a link`)
    this.#set(path, data)
    if (isExecutable) this.executable.add(path)
  }

  async #isSameLarge(path: string, { oid, size }: TreeEntry): Promise<boolean> {
    const hash = createHash(oid.length === 64 ? 'sha256' : 'sha1').update(`blob ${size}\0`)
    const file = await open(join(this.root, path), constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      for await (const part of file.readableWebStream()) hash.update(part as Uint8Array)
    } finally {
      await file.close().catch(() => {})
    }
    return hash.digest('hex') === oid
  }
}

const oidOf = (data: Uint8Array, like: string): string =>
  createHash(like.length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${data.length}\0`)
    .update(data)
    .digest('hex')

async function readPlain(path: string, size: number): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await file.read(buffer, 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** What differs from the head. Throws `ToolError` for more than an agent may change. */
export async function readChanges(context: RunContext): Promise<Changes> {
  const { hearth, run, fork, head } = context
  const root = join(programFolder(hearth), run.agent_id, 'work', 'build')
  if (!(await exists(root))) return { files: new Map(), executable: new Set(), notes: [] }
  const options = { recursive: true, sizes: true }
  const tree = (await hearth.git.listTree(fork.store, head, '', options)) ?? []
  return await new Harvest(root, tree, await readIgnoreRules(context)).run()
}
