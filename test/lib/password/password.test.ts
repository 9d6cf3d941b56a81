import { expect, test } from 'bun:test'
import { pbkdf2Sync } from 'node:crypto'
import { PasswordHasher, ROUNDS } from '#lib/password/password.ts'

const hasher = new PasswordHasher()

test('a password verifies against its hash and no other does', async () => {
  const stored = await hasher.hash('correct horse battery')
  expect(await hasher.verify('correct horse battery', stored)).toEqual({
    matches: true,
    outdated: false,
  })
  for (const wrong of [
    '',
    'correct horse batter',
    'Correct horse battery',
    'correct horse battery ',
  ]) {
    expect((await hasher.verify(wrong, stored)).matches).toBe(false)
  }
})

test('a stored hash is salted PBKDF2-SHA256', async () => {
  const [one, two] = await Promise.all([
    hasher.hash('the same words'),
    hasher.hash('the same words'),
  ])
  expect(one).not.toBe(two)
  const [, , rounds, salt = '', hash] = one.split('$')
  expect(one).toMatch(/^pbkdf2\$sha256\$600000\$[\w-]{22}\$[\w-]{43}$/)
  expect(Number(rounds)).toBe(ROUNDS)
  expect(
    pbkdf2Sync('the same words', Buffer.from(salt, 'base64url'), ROUNDS, 32, 'sha256').toString(
      'base64url',
    ),
  ).toBe(hash ?? '')
})

test('a hash with fewer rounds verifies and is outdated', async () => {
  const old = await hasher.hash('an old password', 1000)
  expect(await hasher.verify('an old password', old)).toEqual({ matches: true, outdated: true })
  expect((await hasher.verify('another password', old)).matches).toBe(false)
})

test('equal letters with different Unicode forms are the same password', async () => {
  const stored = await hasher.hash('caf\u00e9 au lait', 1000)
  expect((await hasher.verify('cafe\u0301 au lait', stored)).matches).toBe(true)
})

test('without a stored hash nothing matches, and a damaged one is an error', async () => {
  expect((await hasher.verify('', null)).matches).toBe(false)
  await expect(hasher.verify('x', 'pbkdf2$sha1$1$a$b')).rejects.toThrow('unknown form')
  await expect(hasher.verify('x', '')).rejects.toThrow('unknown form')
})

test('passwords are queued, and hundreds more are refused with 503', async () => {
  const stored = await hasher.hash('crowd crowd crowd', 1)
  const crowd = await Promise.allSettled(
    Array.from({ length: 300 }, () => hasher.verify('crowd crowd crowd', stored)),
  )
  const refused = crowd.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  // 256 in line, and one at work.
  expect(crowd.length - refused.length).toBe(257)
  expect(refused[0]).toMatchObject({ code: 'unavailable', headers: { 'Retry-After': '10' } })
  expect((await hasher.verify('crowd crowd crowd', stored)).matches).toBe(true)
})

test('the event loop goes on while a password is hashed', async () => {
  let turns = 0
  const hashing = hasher.hash('a slow one indeed')
  let done = false
  hashing.then(() => (done = true))
  while (!done) {
    turns++
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(turns).toBeGreaterThan(10)
})

test('callers take turns: one with hundreds of passwords does not delay another', async () => {
  let caller = 'crowd'
  const shared = new PasswordHasher(() => caller)
  const stored = await shared.hash('crowd crowd crowd', 1)
  const order: string[] = []
  const verify = (name: string) =>
    shared.verify('crowd crowd crowd', stored).then(
      () => order.push(name),
      () => order.push(`${name} refused`),
    )
  const crowd = Array.from({ length: 300 }, () => verify('crowd'))
  caller = 'one'
  await verify('one')
  await Promise.all(crowd)
  await shared.close()
  const answered = order.filter((name) => !name.endsWith('refused'))
  expect(answered.indexOf('one')).toBeLessThanOrEqual(2)
  expect(order).not.toContain('one refused')
})
