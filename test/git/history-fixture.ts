/**
 * Repositories for comparing with real git: histories made from a seed, with merges, renames,
 * modes, links, submodules, binary files and every kind of line ending, and a database that reads
 * what git stored and writes what git can read.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { hashObject } from '../../src/git/object.ts'
import type { GitObject, ObjectDatabase, ObjectType, Oid } from '../../src/git/ports.ts'

/** A small generator of numbers that gives the same ones for the same seed (mulberry32). */
export class Random {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  /** From 0 up to, not including, `n`. */
  below(n: number): number {
    return Math.floor(this.next() * n)
  }

  chance(p: number): boolean {
    return this.next() < p
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)]
    if (found === undefined) throw new Error('nothing to pick from')
    return found
  }
}

const environment = {
  PATH: process.env.PATH ?? '',
  HOME: tmpdir(),
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.org',
  GIT_AUTHOR_DATE: '1700000000 +0000',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.org',
  GIT_COMMITTER_DATE: '1700000000 +0000',
}

/** A bare repository of real git in a temporary directory, and its objects as a database. */
export class Repo {
  readonly directory = mkdtempSync(join(tmpdir(), 'history-'))
  readonly db = new TestDatabase(this)

  constructor() {
    this.git(['init', '-q', '--bare', '.'])
  }

  run(
    args: readonly string[],
    input?: string | Uint8Array,
    cwd = this.directory,
  ): { status: number; stdout: Buffer; stderr: string } {
    const done = spawnSync('git', [...args], { cwd, input, env: environment, maxBuffer: 1 << 28 })
    return { status: done.status ?? -1, stdout: done.stdout, stderr: done.stderr.toString() }
  }

  /** Its output; throws when git fails. */
  git(args: readonly string[], input?: string | Uint8Array, cwd = this.directory): string {
    const done = this.run(args, input, cwd)
    if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`)
    return done.stdout.toString('latin1')
  }

  lines(args: readonly string[], input?: string): string[] {
    return this.git(args, input)
      .split('\n')
      .filter((line) => line !== '')
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/**
 * All objects that git has, in memory, read in one go; what is written also becomes a loose object
 * for git to see.
 */
export class TestDatabase implements ObjectDatabase {
  private readonly objects = new Map<Oid, GitObject>()
  /** Ids written through this database. */
  readonly written = new Set<Oid>()

  constructor(private readonly repo: Repo) {}

  load(): void {
    const { stdout } = this.repo.run(['cat-file', '--batch-all-objects', '--batch'])
    for (let at = 0; at < stdout.length; ) {
      const end = stdout.indexOf(10, at)
      const [oid = '', type = '', size = ''] = stdout.toString('latin1', at, end).split(' ')
      this.objects.set(oid, {
        type: type as ObjectType,
        data: new Uint8Array(stdout.subarray(end + 1, end + 1 + Number(size))),
      })
      at = end + 2 + Number(size)
    }
  }

  read(oid: Oid): GitObject | null {
    return this.objects.get(oid) ?? null
  }

  header(oid: Oid): { type: ObjectType; size: number } | null {
    const object = this.objects.get(oid)
    return object ? { type: object.type, size: object.data.length } : null
  }

  has(oid: Oid): boolean {
    return this.objects.has(oid)
  }

  write(type: ObjectType, data: Uint8Array): Oid {
    const oid = hashObject(type, data)
    this.written.add(oid)
    if (this.objects.has(oid)) return oid
    this.objects.set(oid, { type, data })
    const folder = join(this.repo.directory, 'objects', oid.slice(0, 2))
    const path = join(folder, oid.slice(2))
    if (existsSync(path)) return oid
    mkdirSync(folder, { recursive: true })
    writeFileSync(path, deflateSync(Buffer.concat([Buffer.from(`${type} ${data.length}\0`), data])))
    return oid
  }
}

export type File = {
  readonly mode: '100644' | '100755' | '120000' | '160000'
  readonly data: Buffer
}
export type Files = Map<string, File>

export type Commit = {
  readonly parents: readonly number[]
  readonly files: Files
  readonly time: number
  readonly author?: string
  readonly message?: string
}

const octal = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`
const quote = (path: string): string => `"${path.replace(/[\0-\x1f"\\\x7f-\xff]/g, octal)}"`

/** Makes the commits (paths have one character per byte) and gives their ids, in order. */
export function importCommits(repo: Repo, commits: readonly Commit[]): Oid[] {
  const parts: (string | Buffer)[] = []
  commits.forEach((commit, i) => {
    const author = commit.author ?? `Author ${i % 3} <a${i % 3}@example.org>`
    const message = Buffer.from(commit.message ?? `commit ${i}\n`)
    if (commit.parents.length === 0) parts.push('reset refs/heads/main\n\n')
    parts.push(`commit refs/heads/main\nmark :${i + 1}\nauthor ${author} ${commit.time} +0000\n`)
    parts.push(
      `committer C <c@example.org> ${commit.time} +0000\ndata ${message.length}\n`,
      message,
      '\n',
    )
    const [first, ...rest] = commit.parents
    if (first !== undefined) parts.push(`from :${first + 1}\n`)
    for (const parent of rest) parts.push(`merge :${parent + 1}\n`)
    parts.push('deleteall\n')
    for (const [path, file] of commit.files) {
      if (file.mode === '160000')
        parts.push(`M 160000 ${file.data.toString('latin1')} ${quote(path)}\n`)
      else
        parts.push(
          `M ${file.mode} inline ${quote(path)}\ndata ${file.data.length}\n`,
          file.data,
          '\n',
        )
    }
    parts.push('\n')
  })
  const marks = join(repo.directory, 'marks')
  const stream = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
  )
  repo.git(['fast-import', '--quiet', '--force', `--export-marks=${marks}`], stream)
  const oids: Oid[] = []
  for (const line of readFileSync(marks, 'latin1').trim().split('\n')) {
    const [mark = '', oid = ''] = line.split(' ')
    oids[Number(mark.slice(1)) - 1] = oid
  }
  repo.db.load()
  return oids
}

const WORDS = [
  'alpha',
  'beta',
  'gamma',
  'delta',
  '',
  '{',
  '}',
  '  return',
  '    x = 1',
  '\ty',
  'end',
  '',
  'if (a) {',
  '  }',
  'Größe',
  '// note',
]

function line(random: Random): string {
  const word = random.pick(WORDS)
  return random.chance(0.5) ? word : `${word} ${random.below(60)}`
}

export function randomText(random: Random, lines: number): Buffer {
  const ending = random.chance(0.15) ? '\r\n' : '\n'
  const text = Array.from({ length: lines }, () => line(random)).join(ending)
  return Buffer.from(random.chance(0.15) ? text : text + ending)
}

/** A few edits of single lines or blocks. */
export function editText(random: Random, data: Buffer): Buffer {
  const crlf = data.includes('\r\n')
  const lines = data.toString('latin1').split('\n')
  for (let edits = 1 + random.below(3); edits > 0; edits--) {
    const at = random.below(lines.length)
    const fresh = Array.from(
      { length: 1 + random.below(4) },
      () => Buffer.from(line(random)).toString('latin1') + (crlf ? '\r' : ''),
    )
    const kind = random.below(4)
    if (kind === 0) lines.splice(at, 0, ...fresh)
    else if (kind === 1) lines.splice(at, 1 + random.below(3))
    else if (kind === 2) lines.splice(at, 1 + random.below(2), ...fresh)
    else if (lines.length > 6)
      lines.splice(random.below(lines.length), 0, ...lines.splice(at, 1 + random.below(4)))
  }
  return Buffer.from(lines.join('\n'), 'latin1')
}

const DIRS = ['', 'src/', 'src/lib/', 'src/lib/deep/', 'doc/', 'other/']
const NAMES = [
  'a',
  'b.txt',
  'c.ts',
  'Makefile',
  'read me',
  'gr\xc3\xb6\xc3\x9fe',
  'x\tq"',
  'raw\xff\xfe',
]

function freshPath(random: Random, files: Files): string | null {
  for (let tries = 0; tries < 10; tries++) {
    const path =
      random.pick(DIRS) + random.pick(NAMES) + (random.chance(0.3) ? random.below(5) : '')
    if (!blocked(files, path)) return path
  }
  return null
}

/** Whether the path is taken, lies below a file, or is a directory. */
function blocked(files: Files, path: string): boolean {
  for (const other of files.keys()) {
    if (other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) return true
  }
  return false
}

export type Mix = {
  /** Renames, also of whole directories. */
  renames?: number
  /** Links, submodules, modes and binary files. */
  oddities?: number
  /** Files of a kind turned into directories and back. */
  collisions?: number
}

/** One commit's worth of changes. */
export function mutate(random: Random, before: Files, mix: Mix = {}): Files {
  const { renames = 0.25, oddities = 0.15, collisions = 0.05 } = mix
  const files = new Map(before)
  for (let steps = 1 + random.below(4); steps > 0; steps--) {
    const paths = [...files.keys()]
    const roll = random.next()
    if (paths.length === 0 || roll < 0.15) {
      const path = freshPath(random, files)
      if (path) files.set(path, { mode: '100644', data: randomText(random, 4 + random.below(30)) })
      continue
    }
    const path = random.pick(paths)
    const file = files.get(path)
    if (!file) continue
    if (roll < 0.15 + renames) {
      if (random.chance(0.3)) renameDirectory(random, files)
      else {
        const to = freshPath(random, files)
        if (!to) continue
        files.delete(path)
        files.set(
          to,
          random.chance(0.5) || file.mode !== '100644'
            ? file
            : { ...file, data: editText(random, file.data) },
        )
      }
    } else if (roll < 0.15 + renames + oddities) oddity(random, files, path, file)
    else if (roll < 0.15 + renames + oddities + collisions) collide(random, files, path, file)
    else if (roll > 0.94) files.delete(path)
    else if (file.mode !== '120000' && file.mode !== '160000')
      files.set(path, { ...file, data: editText(random, file.data) })
  }
  return files
}

function renameDirectory(random: Random, files: Files): void {
  const from = random.pick(DIRS.slice(1))
  const to = random.pick(['moved/', 'src/moved/', 'doc/', 'other/', 'src/lib/', 'kept/'])
  if (to.startsWith(from) || from.startsWith(to)) return
  for (const [path, file] of [...files]) {
    if (!path.startsWith(from)) continue
    const target = to + path.slice(from.length)
    files.delete(path)
    if (blocked(files, target)) files.set(path, file)
    else
      files.set(
        target,
        random.chance(0.8) || file.mode !== '100644'
          ? file
          : { ...file, data: editText(random, file.data) },
      )
  }
}

function oddity(random: Random, files: Files, path: string, file: File): void {
  const kind = random.below(5)
  if (kind === 0)
    files.set(path, {
      ...file,
      mode: file.mode === '100755' ? '100644' : file.mode === '100644' ? '100755' : file.mode,
    })
  else if (kind === 1)
    files.set(path, { mode: '120000', data: Buffer.from(`target${random.below(3)}`) })
  else if (kind === 2)
    files.set(path, { mode: '160000', data: Buffer.from(String(random.below(4) + 1).repeat(40)) })
  else if (kind === 3)
    files.set(path, {
      mode: '100644',
      data: Buffer.from([0, 1, 2, random.below(5), 10, random.below(5), 255]),
    })
  else files.set(path, { mode: '100644', data: randomText(random, random.below(20)) })
}

function collide(random: Random, files: Files, path: string, file: File): void {
  if (random.chance(0.6)) {
    files.delete(path)
    files.set(`${path}/inside`, file)
    return
  }
  const slash = path.lastIndexOf('/')
  if (slash < 0) return
  const dir = path.slice(0, slash)
  for (const other of [...files.keys()]) if (other.startsWith(`${dir}/`)) files.delete(other)
  files.set(dir, file)
}

export type HistoryOptions = Mix & {
  commits?: number
  merges?: number
  skew?: boolean
  files?: number
}

/**
 * A history of branches and merges; a merge's content is a mix of its parents', edited, so that no
 * two look alike.
 */
export function randomHistory(seed: number, options: HistoryOptions = {}): Commit[] {
  const random = new Random(seed)
  const { commits: total = 30, merges = 0.25, skew = false } = options
  const commits: Commit[] = []
  let time = 1_500_000_000
  for (let i = 0; i < total; i++) {
    time += random.chance(0.2) ? 0 : random.below(1000)
    const at = skew && random.chance(0.15) ? time - random.below(20_000) : time
    if (i === 0) {
      let files: Files = new Map()
      for (let n = 0; n < (options.files ?? 4); n++)
        files = mutate(random, files, { renames: 0, oddities: 0, collisions: 0 })
      commits.push({ parents: [], files, time: at })
      continue
    }
    const recent = (): number => Math.max(0, i - 1 - random.below(Math.min(i, 5)))
    const first = recent()
    const second = recent()
    const a = commits[first]
    const b = commits[second]
    if (!a || !b) continue
    if (first !== second && random.chance(merges)) {
      commits.push({
        parents: [first, second],
        files: random.chance(0.7) ? blend(random, a.files, b.files) : a.files,
        time: at,
      })
    } else
      commits.push({
        parents: [first],
        files: random.chance(0.04) ? a.files : mutate(random, a.files, options),
        time: at,
      })
  }
  return commits
}

function blend(random: Random, a: Files, b: Files): Files {
  const files: Files = new Map()
  for (const path of new Set([...a.keys(), ...b.keys()])) {
    const file = random.chance(0.5) ? (a.get(path) ?? b.get(path)) : (b.get(path) ?? a.get(path))
    if (file && !blocked(files, path)) files.set(path, file)
  }
  return files
}
