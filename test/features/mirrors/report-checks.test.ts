/** Results of commits become commit statuses at the remote's forge. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createMirror } from '#features/mirrors/create-mirror.ts'
import { getMirror } from '#features/mirrors/get-mirror.ts'
import { updateMirror } from '#features/mirrors/update-mirror.ts'
import { setCommitStatus } from '#features/statuses/index.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { makeMirrorWorld } from './fixture.ts'

const it = await makeMirrorWorld()
const { world, ada } = it

type Sent = { path: string; authorization: string | null; body: Record<string, unknown> }

/** A forge that takes statuses, and lets git pass to the door. */
function startForge() {
  const sent: Sent[] = []
  const state = { answer: 201, text: '{}' }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url)
      if (!url.pathname.includes('/api/')) {
        const headers = new Headers(request.headers)
        headers.delete('authorization')
        return await fetch(`${it.door.url}${url.pathname.replace('/acme', '')}${url.search}`, {
          method: request.method,
          headers,
          body: request.method === 'POST' ? await request.bytes() : null,
        })
      }
      sent.push({
        path: `${request.method} ${url.pathname}`,
        authorization: request.headers.get('authorization'),
        body: (await request.json()) as Record<string, unknown>,
      })
      return new Response(state.text, { status: state.answer })
    },
  })
  afterAll(() => server.stop(true))
  return { sent, state, url: `http://127.0.0.1:${server.port}` }
}

/** A link whose remote leads, at a forge of this kind. */
async function link(provider: 'gitea' | 'github' | 'gitlab' | 'generic', secret = 'good') {
  const forge = startForge()
  const at = await it.pair()
  const sha = await at.push('main', 'One')
  const name = at.repo.split('/')[1] ?? ''
  await world.call(createMirror, ada, {
    repo: at.repo,
    url: `${forge.url}/acme/${name}.git`,
    role: 'leader',
    provider,
    secret,
  })
  await world.jobs()
  const say = (state: 'success' | 'failure', context = 'ci/test') =>
    world.call(setCommitStatus, ada, { repo: at.repo, sha, state, context })
  const problem = async () =>
    (await world.call(getMirror, ada, { repo: at.repo })).remotes[0]?.checks_problem
  return { ...forge, at, name, sha, say, problem }
}

/** Reports wait a moment, so that results that come together are sent together. */
async function soon(milliseconds = 5000): Promise<void> {
  world.clock.advance(milliseconds)
  await world.jobs()
}

const PATHS = {
  gitea: (name: string, sha: string) => `POST /api/v1/repos/acme/${name}/statuses/${sha}`,
  github: (name: string, sha: string) => `POST /api/v3/repos/acme/${name}/statuses/${sha}`,
  gitlab: (name: string, sha: string) => `POST /api/v4/projects/acme%2F${name}/statuses/${sha}`,
}

describe.each(['gitea', 'github', 'gitlab'] as const)('%s', (provider) => {
  test('a result is reported once, with its state and where it is shown', async () => {
    const one = await link(provider)
    await one.say('failure')
    await one.say('success')
    await soon()
    expect(one.sent).toEqual([
      {
        path: PATHS[provider](one.name, one.sha),
        authorization: provider === 'gitea' ? 'token good' : 'Bearer good',
        body: {
          state: 'success',
          [provider === 'gitlab' ? 'name' : 'context']: 'ci/test',
          target_url: expect.stringContaining(`/${one.at.repo}/commit/${one.sha}`),
        },
      },
    ])
    expect(await one.problem()).toBeNull()
  })

  test('a refused token is the problem of the link until a report passes', async () => {
    const one = await link(provider)
    one.state.answer = 403
    await one.say('failure')
    await soon()
    expect(await one.problem()).toContain('does not let the token set commit statuses (403)')
    one.state.answer = 201
    await one.say('success')
    await soon()
    expect(await one.problem()).toBeNull()
  })
})

test('a commit that the remote does not have yet is reported again later', async () => {
  const one = await link('gitea')
  one.state.answer = 404
  await one.say('success')
  await soon()
  expect(one.sent.length).toBe(1)
  one.state.answer = 201
  await soon(MINUTE + 5000)
  expect([one.sent.length, await one.problem()]).toEqual([2, null])
  one.state.answer = 404
  await one.say('failure')
  await soon()
  for (let hours = 0; hours < 5; hours++) await soon(2 * HOUR)
  expect([one.sent.length, (await one.problem())?.includes('404')]).toEqual([6, true])
})

test('a forge that is away for a moment gets the result later', async () => {
  const one = await link('gitea')
  one.state.answer = 502
  await one.say('success')
  await soon()
  expect([one.sent.length, (await one.problem())?.includes('502')]).toEqual([1, true])
  one.state.answer = 201
  await soon(MINUTE + 5000)
  expect([one.sent.length, await one.problem()]).toEqual([2, null])
})

test('GitLab refuses a state that is there already, which is no problem', async () => {
  const one = await link('gitlab')
  one.state.answer = 400
  one.state.text = '{"message":"Cannot transition status via :enqueue from :pending"}'
  await one.say('success')
  await soon()
  expect([one.sent.length, await one.problem()]).toEqual([1, null])
})

test('nothing is sent without a known forge, or once it is turned off', async () => {
  const plain = await link('generic')
  await plain.say('success')
  await soon()
  expect(plain.sent).toEqual([])
  expect(await plain.problem()).toContain('without the kind of its forge')
  const off = await link('gitea')
  const [mirror] = (await world.call(getMirror, ada, { repo: off.at.repo })).remotes
  await world.call(updateMirror, ada, {
    repo: off.at.repo,
    id: mirror?.id ?? '',
    settings: { report_checks: false },
  })
  await off.say('success')
  await soon()
  expect([off.sent, await off.problem()]).toEqual([[], null])
})
