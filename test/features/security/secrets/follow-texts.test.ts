import { expect, test } from 'bun:test'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { updateComment } from '#features/issues/comments/update-comment.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { listSecretLocations } from '#features/security/secrets/list-secret-locations.ts'
import { refusal } from '../../../world.ts'
import { looseSecret, madeUpToken, makeSecretsWorld } from './fixture.ts'

async function makeTextsWorld(settings: Record<string, boolean> = {}) {
  const forge = await makeSecretsWorld(settings)
  const { world, ada, repo } = forge
  const places = async () => {
    await world.jobs()
    const found = []
    for (const { id, type, validity } of await forge.alerts()) {
      const { items } = await world.call(listSecretLocations, ada, { repo, id })
      for (const { source, path, line, commit } of items)
        found.push({ type, validity, source, path, line, commit })
    }
    return found
  }
  return { ...forge, places }
}

test('a secret that is not refused opens an alert with the address of its text', async () => {
  const { world, ada, repo, places, alerts } = await makeTextsWorld()
  await world.call(createIssue, ada, { repo, title: 'Login fails', body: `See:\n${looseSecret()}` })
  expect(await places()).toEqual([
    {
      type: 'generic-api-key',
      validity: 'unknown',
      source: 'issue',
      path: '/acme/site/issues/1',
      line: 3,
      commit: null,
    },
  ])
  const { id } = await world.call(addComment, ada, { repo, number: 1, body: looseSecret() })
  expect((await places()).find(({ source }) => source === 'comment')?.path).toBe(
    `/acme/site/issues/1#${id}`,
  )
  await world.call(updateComment, ada, { repo, id, body: `now ${looseSecret()}` })
  await world.call(updateIssue, ada, { repo, number: 1, title: 'Login', body: looseSecret() })
  await world.jobs()
  expect(await alerts()).toHaveLength(4)
})

test('a text without a secret, and one of a repository that is not scanned, opens none', async () => {
  const { world, ada, repo, places, configure } = await makeTextsWorld()
  await world.call(createIssue, ada, { repo, title: 'The key of the API', body: 'secret token' })
  expect(await places()).toEqual([])
  await configure({ secret_scanning: false })
  await world.call(createIssue, ada, { repo, title: 'Login', body: looseSecret() })
  expect(await places()).toEqual([])
})

test('descriptions of issues are refused as comments are', async () => {
  const { world, ada, repo, places } = await makeTextsWorld()
  const secret = madeUpToken()
  for (const field of ['title', 'body', 'checks']) {
    const value = field === 'checks' ? [`curl ${secret}`] : `x ${secret}`
    const input = { repo, title: 'One', [field]: value }
    expect(await refusal(world.call(createIssue, ada, input))).toMatchObject({
      status: 403,
      reason: 'push_protection',
    })
  }
  await world.call(createIssue, ada, { repo, title: 'One' })
  const body = `x ${secret}`
  expect(await refusal(world.call(updateIssue, ada, { repo, number: 1, body }))).toMatchObject({
    reason: 'push_protection',
  })
  expect(await places()).toEqual([])
})

test('a secret in a session is taken out, and its alert leads to the entry', async () => {
  const { world, ada, repo, places } = await makeTextsWorld()
  await world.call(createPull, ada, { repo, title: 'Work' })
  const secret = madeUpToken()
  await world.call(appendSession, ada, {
    repo,
    number: 1,
    entries: [
      { kind: 'note', text: 'Start' },
      { kind: 'tool', tool: 'bash', text: `T=${secret}`, data: { out: [`again ${secret}`] } },
      { kind: 'note', text: looseSecret() },
    ],
  })
  const stored = await world.call(getSession, ada, { repo, number: 1 })
  expect(JSON.stringify(stored)).not.toContain(secret)
  const found = (await places()).toSorted((a, b) => a.type.localeCompare(b.type))
  expect(found.map(({ type, source, path }) => [type, source, path])).toEqual([
    ['generic-api-key', 'session', '/acme/site/pull/1/session#entry-3'],
    ['github-token', 'session', '/acme/site/pull/1/session#entry-2'],
  ])
})

test('a token of this forge in a text that was stored is revoked', async () => {
  const { world, ada, bob, repo, places } = await makeTextsWorld({ push_protection: false })
  const { secret } = await world.call(createToken, bob, { name: 'mine', scopes: ['repo:read'] })
  const works = () => world.hearth.callers.byToken(secret ?? '') !== null
  expect(works()).toBe(true)
  await world.call(createIssue, ada, { repo, title: 'Mine', body: `with ${secret}` })
  expect(await places()).toMatchObject([{ type: 'hearth-token', validity: 'inactive' }])
  expect(works()).toBe(false)
})
