import { expect, test } from 'bun:test'
import type { SignedIn } from '#core/caller.ts'
import { lookupTicket } from '#features/context/lookup-ticket.ts'
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld, refusal, withToken } from '../../world.ts'
import { trackerServer } from './tracker-server.ts'

const REPO = 'acme/site'

async function makeTicketWorld() {
  const server = trackerServer()
  const world = await makeWorld({ integrations_allow: ['http://127.0.0.1'] })
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo(REPO, { as: ada })
  const connect = async (provider: string, path = provider) => {
    await world.call(connectIntegration, ada, {
      workspace: 'acme',
      provider,
      name: path,
      config: { base_url: `${server.url}/${path}` },
      secret: 'sk-tracker',
    })
    server.asked.length = 0
  }
  const lookup = (reference: string, as: SignedIn = bob) =>
    world.call(lookupTicket, as, { repo: REPO, reference })
  return { ...server, world, ada, bob, connect, lookup }
}

test('reads tickets of each tracker by key, by name and by address', async () => {
  const { world, url, asked, connect, lookup } = await makeTicketWorld()
  for (const tracker of ['jira', 'linear', 'youtrack', 'github', 'gitea', 'gitlab'])
    await connect(tracker)
  expect(await lookup(' abc-12 ')).toEqual({
    provider: 'jira',
    key: 'ABC-12',
    title: 'The oven is cold',
    url: `${url}/jira/browse/ABC-12`,
    status: 'in progress',
    body: '',
    fetched_at: new Date(world.clock.now()).toISOString(),
  })
  expect(asked[0]?.headers.get('authorization')).toBe('Bearer sk-tracker')
  expect(await lookup('https://linear.app/acme/issue/ENG-7/seven')).toMatchObject({
    provider: 'linear',
    status: 'todo',
  })
  expect(await lookup('OVEN-3')).toMatchObject({ provider: 'youtrack', status: 'open' })
  const cut = await lookup('up/stream#4')
  expect([cut.provider, cut.body.length]).toEqual(['github', 20_000])
  // An address that runs a script is no address.
  expect(await lookup(`${url}/gitea/up/stream/issues/5`)).toMatchObject({
    provider: 'gitea',
    url: '',
  })
  expect(await lookup('group/sub/stream#6')).toMatchObject({ provider: 'gitlab', title: 'Six' })
})

test('asks a tracker once in five minutes, and marks what it says', async () => {
  const { world, bob, asked, connect, lookup } = await makeTicketWorld()
  await connect('jira')
  const marked: string[] = []
  await world.call(
    lookupTicket,
    bob,
    { repo: REPO, reference: 'ABC-12' },
    { untrusted: (pointers) => marked.push(...pointers) },
  )
  expect(marked).toEqual(['/title', '/body'])
  await lookup('ABC-12')
  expect(asked).toHaveLength(1)
  world.clock.advance(5 * MINUTE)
  await lookup('ABC-12')
  expect(asked).toHaveLength(2)
})

test('issues of this forge are tickets too, with the rights of the caller', async () => {
  const { world, ada, bob, lookup } = await makeTicketWorld()
  await world.repo('acme/hidden', { as: ada, private: true })
  const { number } = await world.call(createIssue, ada, { repo: REPO, title: 'Ours', body: 'Here' })
  const hidden = await world.call(createIssue, ada, { repo: 'acme/hidden', title: 'Hidden' })
  expect(await lookup(`#${number}`)).toMatchObject({
    provider: 'hearth',
    key: `${REPO}#${number}`,
    status: 'open',
    body: 'Here',
  })
  const eve = await world.user('eve')
  expect((await lookup(hidden.html_url, bob)).title).toBe('Hidden')
  expect((await refusal(lookup(hidden.html_url, eve))).code).toBe('not_found')
})

test('people whose role is that the repository is public get no ticket of a tracker', async () => {
  const { world, asked, connect, lookup } = await makeTicketWorld()
  await connect('jira')
  expect((await refusal(lookup('ABC-12', await world.user('eve')))).code).toBe('not_found')
  expect(asked).toEqual([])
})

test('a tracker that is down is an error only when no other one has the ticket', async () => {
  const { connect, lookup } = await makeTicketWorld()
  expect((await refusal(lookup('ABC-12'))).code).toBe('not_found')
  await connect('jira', 'down')
  const down = await refusal(lookup('ABC-12'))
  expect([down.reason, down.message]).toEqual([
    'remote_unreachable',
    'down answered with status 503',
  ])
  await connect('jira')
  expect((await lookup('ABC-12')).title).toBe('The oven is cold')
  await connect('jira', 'broken')
  expect((await refusal(lookup('BAD-1'))).reason).toBe('remote_unreachable')
})

test('refuses what is no reference, and asks no address that is not configured', async () => {
  const { url, asked, connect, lookup } = await makeTicketWorld()
  for (const tracker of ['jira', 'github']) await connect(tracker)
  for (const reference of ['ABC', '12', 'a b#1', 'file:///etc/passwd', '../x#1', 'a/../x#1'])
    expect([reference, (await refusal(lookup(reference))).code]).toEqual([reference, 'invalid'])
  for (const address of [
    'https://evil.example/browse/ABC-12',
    `${url}/jira2/browse/ABC-12`,
    `${url}/jira/browse/../../x`,
  ])
    expect((await refusal(lookup(address))).code).toBe('not_found')
  expect(asked).toEqual([])
})

test('an error is read by its address, with the files of the repository', async () => {
  const { world, url, asked, ada, bob, connect, lookup } = await makeTicketWorld()
  const commit = await world.commit(REPO, 'main', { 'src/shop/oven.py': 'x' })
  await world.call(connectIntegration, ada, {
    workspace: 'acme',
    provider: 'sentry',
    config: { base_url: `${url}/sentry`, organization: 'acme' },
    secret: 'sk-tracker',
  })
  await connect('glitchtip')
  const error = await lookup(`${url}/organizations/acme/issues/8/?project=1`)
  expect(error).toMatchObject({
    provider: 'sentry',
    key: 'SHOP-1',
    title: 'TypeError: no oven',
    status: 'unresolved',
    files: [
      {
        path: 'src/shop/oven.py',
        line: 9,
        url: `${world.hearth.settings.site_url}/${REPO}/blob/${commit}/src/shop/oven.py?from=9#L9`,
      },
    ],
  })
  expect(error.body).toContain('Culprit: oven.heat\nEvents: 3')
  expect(error.body).toContain(
    '  src/shop/oven.py:9 in heat\n  main.py:2 in run (not in this repository)',
  )
  expect(asked.map(({ headers }) => headers.get('authorization'))).toEqual(
    asked.map(() => 'Bearer sk-tracker'),
  )
  // Which files there are is for those who read code.
  const narrow = withToken(bob, { scopes: ['memory:read'] })
  expect((await lookup(`${url}/organizations/acme/issues/8/`, narrow)).files).toBeUndefined()
  // The organization of somebody else is not asked for with this token.
  const other = await refusal(lookup(`${url}/organizations/other/issues/8/`))
  expect(other.code).toBe('not_found')

  const second = await lookup(`${url}/glitchtip/acme/issues/8`)
  expect(second).toMatchObject({ provider: 'glitchtip', key: '8', url: '' })
  expect(second.files).toBeUndefined()
})
