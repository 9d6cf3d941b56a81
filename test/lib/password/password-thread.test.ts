import { expect, test } from 'bun:test'
import { pbkdf2Sync } from 'node:crypto'
import { PasswordThread } from '#lib/password/password-thread.ts'
import { NICENESS } from '#lib/threads/thread.ts'

const derivation = {
  password: 'correct horse',
  salt: new Uint8Array([1, 2, 3]),
  rounds: 1000,
  bytes: 32,
}
const expected = pbkdf2Sync('correct horse', derivation.salt, 1000, 32, 'sha256').toString('hex')
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')

test('the thread derives the same keys as the runtime', async () => {
  const thread = new PasswordThread()
  expect(hex(await thread.derive(derivation))).toBe(expected)
  expect(hex(await thread.derive({ ...derivation, password: 'wrong horse' }))).not.toBe(expected)
  expect(hex(await thread.derive(derivation))).toBe(expected)
  expect(thread.isBroken).toBe(false)
})

/**
 * Derives a key and prints how nice threads are (proc_pid_stat(5), field 19; the name of a thread may
 * hold spaces): its own, the lowest, and those from before, because a thread that the runtime starts
 * for the new one is as nice as that.
 */
const LOOK = `
  import { readdirSync, readFileSync } from 'node:fs'
  import { PasswordThread } from '#lib/password/password-thread.ts'
  const nice = (id) => Number(readFileSync('/proc/' + id + '/stat', 'utf8').split(') ').at(-1).split(' ')[16])
  const threads = () => readdirSync('/proc/self/task')
  const before = new Set(threads())
  await new PasswordThread().derive({ password: 'x', salt: new Uint8Array([1]), rounds: 1000, bytes: 32 })
  const nices = (ids) => ids.map((id) => nice('self/task/' + id))
  const others = threads().filter((id) => before.has(id))
  console.log(JSON.stringify([nice('thread-self'), Math.max(...nices(threads())), ...nices(others)]))
  process.exit(0)
`

// In a process of its own: tests beside it have such threads too.
test.if(process.platform === 'linux')(
  'the thread has a low priority, and others keep theirs',
  async () => {
    const child = Bun.spawn([process.execPath, '-e', LOOK], {
      cwd: new URL('../../..', import.meta.url).pathname,
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const [own, lowest, ...others] = JSON.parse(await new Response(child.stdout).text()) as number[]
    const usual = own ?? 0
    expect(lowest).toBe(Math.min(19, usual + NICENESS.untrusted))
    expect(others.length).toBeGreaterThan(0)
    expect(others.filter((nice) => nice > usual)).toEqual([])
  },
)

test('without its thread the runtime derives the keys', async () => {
  const thread = new PasswordThread(() => new URL('../there-is-no-such.worker.ts', import.meta.url))
  expect(hex(await thread.derive(derivation))).toBe(expected)
  expect(thread.isBroken).toBe(true)
  expect(hex(await thread.derive(derivation))).toBe(expected)
})
