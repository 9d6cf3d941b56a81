/** Files of a commit on disk, for commands that test it. */
import { expect, test } from 'bun:test'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { checkOut } from '#features/checks/tested-commit.ts'
import { startHost } from '../../git/support/host.ts'
import { discard, git, scratch } from '../../git/support/real-git.ts'

const MIB = 1024 ** 2
/** More than the engine of this test may hold at once. */
const LARGE_BYTES = 60 * MIB

test('a file larger than the memory of the engine is written as it is', async () => {
  const host = await startHost({ memoryBudget: 32 * MIB, workers: 2 })
  const work = scratch()
  const folder = scratch()
  try {
    await host.create('s')
    await git(work, 'init', '-q', '-b', 'main')
    const large = Buffer.alloc(LARGE_BYTES, 'large ')
    mkdirSync(join(work, 'bin'))
    writeFileSync(join(work, 'bin', 'large'), large)
    chmodSync(join(work, 'bin', 'large'), 0o755)
    writeFileSync(join(work, 'small.txt'), 'small\n')
    symlinkSync('bin/large', join(work, 'link'))
    await git(work, 'add', '.')
    await git(work, 'commit', '-q', '-m', 'Large')
    await git(work, 'push', '-q', host.remote('s'), 'main')
    const commit = (await git(work, 'rev-parse', 'HEAD')).trim()
    await checkOut(host, 's', commit, folder, 100 * MIB)
    expect(readFileSync(join(folder, 'small.txt'), 'utf8')).toBe('small\n')
    expect(Buffer.compare(readFileSync(join(folder, 'bin', 'large')), large)).toBe(0)
    expect(statSync(join(folder, 'bin', 'large')).mode & 0o777).toBe(0o755)
    expect(readlinkSync(join(folder, 'link'))).toBe('bin/large')
  } finally {
    discard(work)
    discard(folder)
    await host.close()
  }
}, 60_000)
