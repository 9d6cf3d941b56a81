/** The repositories that are served: given ones, or made here, the same on every machine. */
import { basename } from 'node:path'
import { git, runGit } from '../../support/git.ts'

export type Repository = {
  readonly name: string
  /** A bare repository with one pack, its bitmap and its commit-graph with changed paths. */
  readonly path: string
  readonly objects: number
  readonly bytes: number
  /** The branch of HEAD, and commits on its first-parent line with so many commits above them. */
  readonly branch: string
  readonly tip: string
  readonly behind: { readonly one: string; readonly hundred: string }
  /** Other commits of the branch, for refs that nobody has asked for yet. */
  readonly others: readonly string[]
}

/**
 * Whether a pack of so many bytes is taken in so quickly that a cold start would be most of what is
 * measured; anything larger says the same from the first time on.
 */
export const isSmall = (bytes: number): boolean => bytes < 50_000_000

/** Copies branches and tags of a repository, with one well-made pack. */
export async function copyOf(source: string, path: string): Promise<void> {
  // A linked work tree has a file in place of `.git`, and its history elsewhere.
  const from = (await git(source, 'rev-parse', '--path-format=absolute', '--git-common-dir')).trim()
  const head = (await git(source, 'symbolic-ref', 'HEAD')).trim()
  await git('/', 'init', '-q', '--bare', path)
  await git(path, 'symbolic-ref', 'HEAD', head)
  await git(path, 'fetch', '-q', from, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*')
  await polish(path)
}

/**
 * What git's own maintenance would leave: one pack with its bitmap, a commit-graph, packed refs.
 */
export async function polish(path: string): Promise<void> {
  await git(path, 'repack', '-adbq')
  await git(path, 'commit-graph', 'write', '--reachable', '--changed-paths')
  await git(path, 'pack-refs', '--all')
}

export async function describe(path: string): Promise<Repository> {
  const counts = await git(path, 'count-objects', '-v')
  const count = (name: string): number =>
    Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(counts)?.[1] ?? 0)
  const branch = (await git(path, 'symbolic-ref', '--short', 'HEAD')).trim()
  const line = (await git(path, 'rev-list', '--first-parent', '-400', 'HEAD')).trim().split('\n')
  const above = async (commit: string): Promise<number> =>
    Number(await git(path, 'rev-list', '--count', `${commit}..HEAD`))
  const nearest = async (wanted: number): Promise<string> => {
    // The count grows along the line: the first commit with enough above it.
    let low = 1
    let high = line.length - 1
    while (low < high) {
      const mid = (low + high) >>> 1
      if ((await above(line[mid] ?? '')) >= wanted) high = mid
      else low = mid + 1
    }
    return line[low] ?? ''
  }
  return {
    name: basename(path, '.git'),
    path,
    branch,
    tip: line[0] ?? '',
    objects: count('in-pack'),
    bytes: count('size-pack') * 1024,
    behind: { one: await nearest(1), hundred: await nearest(100) },
    others: line.slice(20),
  }
}

/** A small generator of numbers that are the same everywhere (xorshift). */
export function numbers(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4294967296
  }
}

const WORDS =
  'pack tree blob commit delta index hash base chain ring arena walk reach mark queue table line text word merge rebase branch fork refs'.split(
    ' ',
  )

/**
 * Writes a history of about so many MB when packed: files in directories that grow and change line
 * by line, merges now and then, and a tag for every hundredth commit.
 */
export async function generate(path: string, megabytes: number): Promise<void> {
  await git('/', 'init', '-q', '--bare', path)
  const random = numbers(megabytes * 7919)
  const pick = (count: number): number => Math.floor(random() * count)
  const line = (): string =>
    Array.from(
      { length: 6 + pick(8) },
      () => WORDS[pick(WORDS.length)] + (pick(4) === 0 ? pick(1e6).toString(36) : ''),
    ).join(' ')
  const files = new Map<string, string[]>()
  const child = Bun.spawn(['git', '-C', path, 'fast-import', '--quiet'], {
    stdin: 'pipe',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  const say = (text: string): void => void child.stdin.write(text)
  const commits = megabytes * 120
  for (let at = 1; at <= commits; at++) {
    const message = `change ${at}`
    say(
      `commit refs/heads/main\nmark :${at}\ncommitter Ada <ada@example.com> ${1_600_000_000 + at * 60} +0000\ndata ${message.length}\n${message}\n`,
    )
    if (at > 1) say(`from :${at - 1}\n`)
    if (at > 40 && at % 25 === 0) say(`merge :${at - 1 - pick(20)}\n`)
    for (let change = 1 + pick(4); change > 0; change--) {
      const name = `part${pick(30)}/room${pick(12)}/file${pick(8)}.txt`
      const lines = files.get(name) ?? Array.from({ length: 60 + pick(240) }, line)
      for (let edit = 1 + pick(12); edit > 0; edit--)
        lines.splice(pick(lines.length), pick(2), line())
      files.set(name, lines)
      const data = Buffer.from(`${lines.join('\n')}\n`)
      say(`M 100644 inline ${name}\ndata ${data.length}\n`)
      child.stdin.write(data)
      say('\n')
    }
    // What does not compress is most of a large repository.
    if (at % 6 === 0) {
      const data = Buffer.alloc(20_000 + pick(60_000))
      for (let i = 0; i + 4 <= data.length; i += 4)
        data.writeUInt32LE(Math.floor(random() * 4294967296), i)
      say(`M 100644 inline media/image${pick(2000)}.bin\ndata ${data.length}\n`)
      child.stdin.write(data)
      say('\n')
    }
    if (at % 100 === 0) {
      say(
        `tag v${at / 100}\nfrom :${at}\ntagger Ada <ada@example.com> ${1_600_000_000 + at * 60} +0000\ndata 4\nmade\n`,
      )
      await child.stdin.flush()
    }
  }
  say('done\n')
  await child.stdin.end()
  if ((await child.exited) !== 0) throw new Error('git fast-import failed')
  await git(path, 'symbolic-ref', 'HEAD', 'refs/heads/main')
  await polish(path)
}

/**
 * Makes bare clones that have everything up to a commit and nothing above it, tags with it, as
 * somebody's who fetched at those times; oldest first.
 */
export async function clientsAt(
  source: string,
  branch: string,
  clients: readonly { readonly path: string; readonly commit: string }[],
): Promise<void> {
  let before: string | null = null
  for (const { path, commit } of clients) {
    // What the one before has need not be fetched again; git changes no pack in place, so its files
    // are shared.
    if (before === null) await git('/', 'init', '-q', '--bare', path)
    else if ((await Bun.spawn(['cp', '-al', before, path]).exited) !== 0)
      throw new Error(`cannot copy ${before}`)
    const { status, error } = await runGit(path, [
      '-c',
      'fetch.fsckObjects=false',
      '-c',
      'fetch.unpackLimit=1',
      'fetch',
      '-q',
      source,
      `${commit}:refs/heads/${branch}`,
    ])
    if (status !== 0) throw new Error(error)
    await git(path, 'commit-graph', 'write', '--reachable')
    before = path
  }
}
