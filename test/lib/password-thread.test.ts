import { expect, test } from 'bun:test'
import { pbkdf2Sync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { PasswordThread } from '#lib/password-thread.ts'

const derivation = { password: 'correct horse', salt: new Uint8Array([1, 2, 3]), rounds: 1000, bytes: 32 }
const expected = pbkdf2Sync('correct horse', derivation.salt, 1000, 32, 'sha256').toString('hex')
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')

/** How nice each thread of this process is (proc_pid_stat(5), field 19); the name of a thread may hold spaces. */
const niceness = () =>
  readdirSync('/proc/self/task').map((id) => Number(readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16]))

test('keys are derived on the thread as anywhere else, one after the other', async () => {
  const thread = new PasswordThread()
  expect(hex(await thread.derive(derivation))).toBe(expected)
  expect(hex(await thread.derive({ ...derivation, password: 'wrong horse' }))).not.toBe(expected)
  expect(hex(await thread.derive(derivation))).toBe(expected)
  expect(thread.isBroken).toBe(false)
})

test.if(process.platform === 'linux')('the thread gives way to all others, which keep their priority', async () => {
  const before = niceness().filter((nice) => nice === 19).length
  await new PasswordThread().derive(derivation)
  expect(niceness().filter((nice) => nice === 19)).toHaveLength(before + 1)
  expect(Number(readFileSync('/proc/thread-self/stat', 'utf8').split(') ').at(-1)?.split(' ')[16])).toBe(0)
})

test('without its code the work is done all the same', async () => {
  const thread = new PasswordThread(() => new URL('./there-is-no-such.worker.ts', import.meta.url))
  expect(hex(await thread.derive(derivation))).toBe(expected)
  expect(thread.isBroken).toBe(true)
  expect(hex(await thread.derive(derivation))).toBe(expected)
})
