import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { HOUR } from '#lib/time.ts'
import { checkSetup } from '#features/accounts/setup/check-setup.ts'
import { issueSetupLink } from '#features/accounts/index.ts'
import { makeWorld, refusal } from '../../../world.ts'

const codeOf = (link: string | null): string => new URL(link ?? '').searchParams.get('code') ?? ''

test('the link works for an hour while there is no account', async () => {
  const world = await makeWorld()
  const link = await issueSetupLink(world.hearth)
  expect(link).toMatch(/^https:\/\/hearth\.test\/setup\?code=[\w-]{43}$/)
  const code = codeOf(link)
  expect(await world.call(checkSetup, anonymous, { code })).toBeNull()
  expect(JSON.stringify(world.hearth.db.all('SELECT * FROM setup_links'))).not.toContain(code)
  world.clock.advance(HOUR)
  expect((await refusal(world.call(checkSetup, anonymous, { code }))).code).toBe('not_found')
})

test('without the secret the page is not found', async () => {
  const world = await makeWorld()
  await issueSetupLink(world.hearth)
  for (const input of [{}, { code: '' }, { code: 'x'.repeat(43) }, { code: 'x'.repeat(1_000) }]) {
    expect((await refusal(world.call(checkSetup, anonymous, input))).code).toBe('not_found')
  }
})

test('a restart creates a new link and invalidates the previous one', async () => {
  const world = await makeWorld()
  const before = codeOf(await issueSetupLink(world.hearth))
  const after = codeOf(await issueSetupLink(world.hearth))
  expect((await refusal(world.call(checkSetup, anonymous, { code: before }))).code).toBe(
    'not_found',
  )
  expect(await world.call(checkSetup, anonymous, { code: after })).toBeNull()
})

test('with an account there is no link, and an old one is dead', async () => {
  const world = await makeWorld()
  const code = codeOf(await issueSetupLink(world.hearth))
  await world.user('ada')
  expect(await issueSetupLink(world.hearth)).toBeNull()
  expect((await refusal(world.call(checkSetup, anonymous, { code }))).code).toBe('not_found')
})
