import { afterAll, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireOwnData } from '../../src/commands/own-data.ts'
import { PROGRAM } from './program.ts'

const ROOT = join(import.meta.dir, '..', '..')
const NOBODY = 65534
const folder = mkdtempSync(join(tmpdir(), 'hearth-own-'))
const mounted = join(folder, 'mounted')
afterAll(async () => {
  await Bun.spawn(['umount', mounted], { stderr: 'ignore' }).exited
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the program, as another account where this one may. */
async function run(args: string[], uid?: number) {
  const child = Bun.spawn([...PROGRAM, ...args], {
    cwd: ROOT,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: '/nonexistent', HOME: '/nonexistent' },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  const [error, status] = await Promise.all([new Response(child.stderr).text(), child.exited])
  return { error, status }
}

const COMMANDS = [['serve', '--listen', '127.0.0.1:0'], ['doctor'], ['backup', 'create']]

test('on a read-only file system each command reports path and remedy in one line', async () => {
  mkdirSync(mounted)
  // Only root may mount.
  if (
    (await Bun.spawn(['mount', '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mounted], {
      stdout: 'ignore',
      stderr: 'ignore',
    }).exited) !== 0
  )
    return
  const data = join(mounted, 'data')
  mkdirSync(data)
  await run(['setup', '--username', 'ada', '--email', 'ada@example.com', '--data', data])
  const before = readdirSync(data, { recursive: true }).map(String).sort()
  expect(before).toContain('hearth.db')
  await Bun.spawn(['mount', '-o', 'remount,ro', mounted]).exited
  for (const args of COMMANDS) {
    const { status, error } = await run([...args, '--data', data])
    expect([args[0], status, error.trim().split('\n').length]).toEqual([args[0], 1, 1])
    expect(error).toMatch(
      /^hearth: \/.*mounted\/data cannot be written, because its file system can only be read.*--data/,
    )
  }
  expect(readdirSync(data, { recursive: true }).map(String).sort()).toEqual(before)
}, 120_000)

test('a directory of another account is reported with both accounts, and is not changed', async () => {
  // As somebody who may become another account; a plain user is one already.
  if (process.getuid?.() !== 0) return
  const open = join(tmpdir(), `hearth-own-open-${process.pid}`)
  const program = join(open, 'try.ts')
  mkdirSync(open)
  try {
    chmodSync(open, 0o755)
    const data = join(open, 'data')
    mkdirSync(data, { mode: 0o755 })
    await Bun.write(
      program,
      `import { requireOwnData } from '${join(ROOT, 'src/commands/own-data.ts')}'\ntry { requireOwnData(process.argv[2] ?? '') } catch (error) { console.error((error as Error).message); process.exit(1) }\n`,
    )
    const as = async (where: string) => {
      const child = Bun.spawn([process.execPath, program, where], {
        cwd: ROOT,
        stderr: 'pipe',
        uid: NOBODY,
        gid: NOBODY,
        env: { PATH: '/nonexistent', HOME: open },
      })
      const [error, status] = await Promise.all([new Response(child.stderr).text(), child.exited])
      return { error, status }
    }
    const { error, status } = await as(data)
    // Where the tree itself is closed to others, nothing of it can be run as another.
    if (error.includes('Cannot find module') || error.includes('EACCES reading')) return
    expect([status, error]).toEqual([
      1,
      expect.stringContaining(
        `${data} cannot be written, because permission is denied; it belongs to user 0, and this is user ${NOBODY}`,
      ),
    ])
    expect((await as(join(data, 'deeper'))).error).toContain('permission is denied')
    expect([readdirSync(data), statSync(data).mode & 0o777]).toEqual([[], 0o755])
    chownSync(data, NOBODY, NOBODY)
    expect(await as(data)).toEqual({ error: '', status: 0 })
    expect(statSync(data).mode & 0o777).toBe(0o700)
  } finally {
    rmSync(open, { recursive: true, force: true })
  }
}, 120_000)

test('an existing directory, or one that can be created, is used', () => {
  const data = join(folder, 'new', 'data')
  requireOwnData(data)
  expect(statSync(data).mode & 0o777).toBe(0o700)
  requireOwnData(data)
})
