/**
 * One side of `worktree.ts`: `bun one.ts <side> <action> <bare repository> <commit> <folder>`. Does
 * the action three times in this process, because a server does it all day, and prints the
 * milliseconds of processor time of the first and of the last.
 */
import fs, {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import isomorphic from 'isomorphic-git'
import { checkOutCommit } from '../../../src/features/checks/index.ts'
import { createGit } from '../../../src/git/index.ts'

const TIMES = 3
const MAX_BYTES = 16 * 1024 ** 3
const PERSON = { name: 'Ada', email: 'ada@example.com' }

const [, , side = '', action = '', gitdir = '', commit = '', folder = ''] = process.argv
const changes = (time: number): { path: string; data: Buffer }[] =>
  ['a.txt', 'src/a.txt', 'src/new/a.txt'].map((path) => ({
    path,
    data: Buffer.from(`${path} ${time}\n`),
  }))

/** What one side does: `prepare` is not measured. */
type Side = {
  prepare(into: string): Promise<void>
  checkOut(into: string): Promise<void>
  commit(into: string, time: number): Promise<void>
  close(): Promise<void>
}

function hearth(): Side {
  const root = mkdtempSync(join(tmpdir(), 'worktree-store-'))
  symlinkSync(gitdir, join(root, 'store'))
  const git = createGit({ root, tmp: join(root, 'tmp'), sharedRoot: true })
  return {
    prepare: async () => {},
    checkOut: async (into) => {
      await checkOutCommit({ git }, 'store', commit, into, MAX_BYTES)
    },
    commit: async (_, time) => {
      const by = { ...PERSON, time: 1_700_000_000, zone: '+0000' }
      await git.commitFiles('store', {
        parent: commit as never,
        changes: changes(time).map((one) => ({ action: 'put', ...one })),
        message: 'Change three files\n',
        author: by as never,
        committer: by as never,
      })
    },
    close: async () => {
      await git.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** Its commits have a working tree and an index, as a program with git has. */
function other(): Side {
  const own = (into: string): string => `${into}.git`
  const checkOut = async (into: string): Promise<void> => {
    mkdirSync(own(into), { recursive: true })
    symlinkSync(join(gitdir, 'objects'), join(own(into), 'objects'))
    writeFileSync(join(own(into), 'HEAD'), `${commit}\n`)
    writeFileSync(join(own(into), 'config'), '[core]\n\tbare = false\n')
    await isomorphic.checkout({ fs, dir: into, gitdir: own(into), ref: commit, force: true })
  }
  return {
    prepare: checkOut,
    checkOut,
    commit: async (into, time) => {
      const at = { fs, dir: into, gitdir: own(into) }
      for (const { path, data } of changes(time)) {
        mkdirSync(dirname(join(into, path)), { recursive: true })
        writeFileSync(join(into, path), data)
      }
      await isomorphic.add({ ...at, filepath: changes(time).map(({ path }) => path) })
      await isomorphic.commit({ ...at, message: 'Change three files\n', author: PERSON })
    },
    close: async () => {},
  }
}

const one = side === 'hearth' ? hearth() : other()
const times: number[] = []
for (let time = 1; time <= TIMES; time++) {
  const into = action === 'checkout' ? `${folder}-${time}` : folder
  mkdirSync(into, { recursive: true })
  if (action === 'commit' && time === 1) await one.prepare(into)
  const before = process.cpuUsage()
  await (action === 'checkout' ? one.checkOut(into) : one.commit(into, time))
  const { user, system } = process.cpuUsage(before)
  times.push((user + system) / 1000)
}
await one.close()
// What the kernel says of a child also counts its parent, from before its start.
const status = readFileSync('/proc/self/status', 'utf8')
const rss = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
process.stdout.write(JSON.stringify({ first: times[0], last: times.at(-1), rss }))
process.exit(0)
