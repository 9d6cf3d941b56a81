/** `%(describe)` in archives, compared with `git archive` at many commits. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

const FORMATS = [
  '%(describe)',
  '%(describe:tags)',
  '%(describe:tags=true,abbrev=12)',
  '%(describe:tags=1,abbrev=0,match=v*)',
  '%(describe:exclude=v*,match=rel/*,match=*9,tags=yes)',
  '%(describe:exclude=*)',
  '%(describe:unknown)',
  '%(describe:abbrev=x)',
  '%(describe) %(describe) %ar',
]

let host: TestHost
let work: string
let source: string
const commits: string[] = []

beforeAll(async () => {
  work = scratch()
  source = join(work, 'source')
  host = await startHost({ workers: 0 })
  await host.create('one')
  await git(work, 'init', '-q', source)
  writeFileSync(join(source, '.gitattributes'), '*.txt export-subst\n')
  for (const [i, format] of FORMATS.entries())
    writeFileSync(join(source, `${i}.txt`), `$Format:${format}$\n`)
  await git(source, 'add', '.')
  const tree = await git(source, 'write-tree')
  // A history with merges: each commit has one or two of the last six as parents.
  let seed = 7
  const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below
  for (let i = 0; i < 60; i++) {
    const parents = new Set(
      i === 0
        ? []
        : [commits.at(-1 - random(Math.min(i, 6))), commits.at(-1 - random(Math.min(i, 3)))],
    )
    // Some clocks are wrong.
    const date = `${1_700_000_000 + i * 60 - random(3) * 100} +0000`
    const env = { GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date }
    const args = [...parents].flatMap((parent) => ['-p', parent ?? ''])
    const { out } = await tryGit(source, ['commit-tree', ...args, '-m', `c${i}`, tree], { env })
    commits.push(out.trim())
    const oid = out.trim()
    if (i % 7 === 3) await tryGit(source, ['tag', '-a', `v${i}`, '-m', 'x', oid], { env })
    if (i % 11 === 5) await tryGit(source, ['tag', '-a', `rel/${i}`, '-m', 'x', oid], { env })
    if (i % 5 === 2) await git(source, 'tag', `light${i}`, oid)
    if (i === 24) {
      await tryGit(source, ['tag', '-a', 'older', '-m', 'x', oid], { env })
      const later = { ...env, GIT_COMMITTER_DATE: '1800000000 +0000' }
      await tryGit(source, ['tag', '-a', 'newer', '-m', 'x', oid], { env: later })
    }
  }
  // The name of the ref is not the one in the tag.
  await git(source, 'update-ref', 'refs/tags/renamed', await git(source, 'rev-parse', 'v31'))
  await git(source, 'update-ref', '-d', 'refs/tags/v31')
  await git(source, 'update-ref', 'refs/heads/main', commits.at(-1) ?? '')
  for (const [i, oid] of commits.entries()) await git(source, 'update-ref', `refs/heads/b${i}`, oid)
  await git(source, 'push', '-q', '--mirror', host.remote('one'))
}, 120_000)

afterAll(async () => {
  await host.close()
  discard(work)
})

test('each archive has the descriptions of git', async () => {
  const { refs } = await host.snapshot('one')
  const tags = refs.filter(({ name }) => name.startsWith('refs/tags/'))
  const now = 1_750_000_000
  for (const oid of commits.filter((_, i) => i % 6 === 1 || i > 55))
    for (const i of FORMATS.keys()) {
      const file = `${i}.txt`
      const contentOf = (tar: Uint8Array): string =>
        spawnSync('tar', ['xO', file], { input: tar }).stdout.toString()
      const env = { ...process.env, GIT_TEST_DATE_NOW: String(now), GIT_CONFIG_GLOBAL: '/dev/null' }
      const theirs = spawnSync('git', ['-C', source, 'archive', '--format=tar', oid, file], { env })
      const options = { format: 'tar' as const, prefix: '', path: file, tags, nowMs: now * 1000 }
      const ours = await host.git.archive('one', oid, options)
      const bytes = await new Response(ours as BodyInit).bytes()
      expect([oid, contentOf(bytes)]).toEqual([oid, contentOf(theirs.stdout)])
    }
}, 120_000)
