import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listEmails } from '#features/accounts/emails/list-emails.ts'
import { makeWorld, refusal, withToken, workspaceCaller } from '../../../world.ts'

const world = await makeWorld()

test("list_emails shows one's own addresses and nobody else's", async () => {
  const ada = await world.user('ada')
  await world.user('bob', { verified: false })
  expect((await world.call(listEmails, ada, {})).items).toEqual([
    {
      email: 'ada@example.com',
      primary: true,
      backup: false,
      verified: true,
      created_at: '2026-03-01T12:00:00.000Z',
      verified_at: '2026-03-01T12:00:00.000Z',
    },
  ])
  const [own] = (await world.call(listEmails, await world.user('bob'), {})).items
  expect(own).toMatchObject({ email: 'bob@example.com', verified: false, verified_at: null })
})

test('list_emails is for people with the scope', async () => {
  const ada = await world.user('ada')
  const acme = await world.workspace('acme', { owner: ada })
  expect((await refusal(world.call(listEmails, anonymous, {}))).code).toBe('unauthenticated')
  expect((await refusal(world.call(listEmails, workspaceCaller(acme), {}))).reason).toBe(
    'person_required',
  )
  expect(
    (await refusal(world.call(listEmails, withToken(ada, { scopes: ['code:write'] }), {}))).details,
  ).toEqual({ scope: 'user:read' })
  expect(
    (await world.call(listEmails, withToken(ada, { scopes: ['user:write'] }), {})).items,
  ).toHaveLength(1)
})
