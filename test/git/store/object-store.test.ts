import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EntryReader } from '../../../src/git/store/entry-reader.ts'
import { ObjectStore } from '../../../src/git/store/object-store.ts'
import { bitmapMarks } from '../../../src/git/walk/bitmap-reach.ts'

const git = (directory: string, args: string[], input = ''): string => {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
  }
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...args], {
    cwd: directory,
    env,
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  if (exitCode !== 0) throw new Error(stderr.toString())
  return stdout.toString().trim()
}

test('objects of packs that maintenance removed unopened are found in the other packs', () => {
  const work = mkdtempSync(join(tmpdir(), 'hearth-store-'))
  try {
    git(work, ['init', '-q', '--bare', '-b', 'main'])
    const commits: string[] = []
    for (const text of ['one', 'two', 'three']) {
      const blob = git(work, ['hash-object', '-w', '--stdin'], text)
      const tree = git(work, ['mktree'], `100644 blob ${blob}\tfile\n`)
      const parents = commits.slice(-1).flatMap((parent) => ['-p', parent])
      commits.push(git(work, ['commit-tree', tree, ...parents, '-m', text]))
      git(work, ['update-ref', 'refs/heads/main', commits.at(-1) ?? ''])
      git(work, ['repack', '-d'])
    }
    const packs = () =>
      readdirSync(join(work, 'objects', 'pack')).filter((name) => name.endsWith('.pack'))
    expect(packs()).toHaveLength(3)
    const [first = '', second = '', third = ''] = commits
    const stores = Array.from(
      { length: 4 },
      () => new ObjectStore(work, new EntryReader(4 << 20, 1 << 30)),
    )
    // All four have listed three packs and opened none.
    git(work, ['repack', '-a', '-d', '-b', '-q'])
    expect(packs()).toHaveLength(1)
    const [byBitmap, byPrefix, settled, reading] = stores as [
      ObjectStore,
      ObjectStore,
      ObjectStore,
      ObjectStore,
    ]
    expect(bitmapMarks(byBitmap)).toBeNull()
    expect(byBitmap.has(first)).toBe(true)
    expect(bitmapMarks(byBitmap)).not.toBeNull()
    expect(byPrefix.expand(second.slice(0, 12), 2)).toEqual([second])
    expect(settled.hasSettled(third)).toBe(true)
    for (const oid of commits) expect(reading.read(oid)?.type).toBe('commit')
    for (const store of stores) store.close()
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})
