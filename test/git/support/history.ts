/**
 * Generated repositories: the same seed gives the same history, with branches, merges, renames,
 * deletions and tags.
 */
import { join } from 'node:path'
import { git, tryGit } from './real-git.ts'

export type HistoryOptions = {
  seed?: number
  commits?: number
  files?: number
  merges?: boolean
  tags?: boolean
  repack?: boolean
}

/** A small generator of numbers that look random (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Makes a bare repository `<directory>/<name>` with a generated history and gives its path. */
export async function makeHistory(
  directory: string,
  name: string,
  options: HistoryOptions = {},
): Promise<string> {
  const { seed = 1, commits = 60, files = 30, merges = true, tags = true, repack = true } = options
  const path = join(directory, name)
  await git(directory, 'init', '-q', '--bare', name)
  const next = random(seed)
  const pick = (n: number) => Math.floor(next() * n)
  const lines: string[] = []
  const data = (text: string) => lines.push(`data ${Buffer.byteLength(text)}`, text)
  const contents = new Map<string, string>()
  const pathOf = (i: number) =>
    `${['src', 'docs', 'src/deep/er', 'test', ''][i % 5]}/file ${i}.txt`.replace(/^\//, '')
  let mark = 0
  const heads: number[] = []
  for (let i = 0; i < commits; i++) {
    const side = merges && heads.length > 2 && next() < 0.2
    const branch = side ? 'refs/heads/side' : 'refs/heads/main'
    lines.push(
      `commit ${branch}`,
      `mark :${++mark}`,
      `committer Ada <ada@example.org> ${1_600_000_000 + i * 60 + pick(50)} +0200`,
    )
    data(`change ${i}\n\nwith a body of ${pick(1000)}\n`)
    if (side) lines.push(`from :${heads[pick(heads.length)]}`)
    else if (heads.length > 0) {
      lines.push(`from :${heads.at(-1)}`)
      if (merges && next() < 0.1 && heads.length > 3)
        lines.push(`merge :${heads[heads.length - 3]}`)
    }
    for (let k = 0; k <= pick(3); k++) {
      const file = pathOf(pick(files))
      const old = contents.get(file) ?? ''
      if (next() < 0.08) {
        lines.push(`D ${file}`)
        continue
      }
      const rows =
        old === ''
          ? Array.from({ length: 20 + pick(60) }, (_, n) => `${file} line ${n} ${pick(1e6)}`)
          : old.split('\n')
      rows.splice(pick(rows.length), pick(3), `changed ${i} ${pick(1e6)}`)
      contents.set(file, rows.join('\n'))
      lines.push(`M ${next() < 0.1 ? '100755' : '100644'} inline ${file}`)
      data(contents.get(file)!)
    }
    if (next() < 0.05) {
      lines.push('M 120000 inline link')
      data(pathOf(pick(files)))
    }
    if (!side) heads.push(mark)
    if (tags && i % 20 === 10) {
      lines.push(
        `tag v${i}`,
        `from :${mark}`,
        `tagger Ada <ada@example.org> ${1_600_000_000 + i * 60} +0000`,
      )
      data(`version ${i}\n`)
    }
  }
  lines.push('done')
  const made = await tryGit(path, ['fast-import', '--quiet', '--done'], {
    input: `${lines.join('\n')}\n`,
  })
  if (made.code !== 0) throw new Error(made.err)
  if (repack) await git(path, 'repack', '-adfq', '--depth=20', '--window=10')
  return path
}

/** The refs of a repository, by name. */
export async function refsOf(path: string): Promise<Map<string, string>> {
  const text = await git(path, 'for-each-ref', '--format=%(refname) %(objectname)')
  return new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ') as [string, string]),
  )
}

/** Every object that the refs reach, sorted. */
export async function objectsOf(path: string): Promise<string[]> {
  const text = await git(path, 'rev-list', '--objects', '--all', '--no-object-names')
  return [...new Set(text.split('\n').filter(Boolean))].sort()
}
