/** Workflows of a repository whose remote leads: who runs them, when its checks fail, and which files. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createMirror } from '#features/mirrors/create-mirror.ts'
import type { MirrorSettings } from '#features/mirrors/schema.ts'
import { updateMirror } from '#features/mirrors/update-mirror.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { workflowRunners } from '#features/workflows/index.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { extend, ONE_JOB } from '../workflows/fixture.ts'
import { git } from '../../git/support/real-git.ts'
import { refusal } from '../../world.ts'
import { makeMirrorWorld } from './fixture.ts'

const it = await makeMirrorWorld()
const { world, ada } = it
extend(world.hearth, [workflowRunners.with({ name: 'local', accepts: () => true })])

/** Lets time pass, with so many sweeps in it. */
async function pass(milliseconds: number, sweeps = 1): Promise<void> {
  for (let done = 0; done < sweeps; done++) {
    world.clock.advance(milliseconds / sweeps)
    await it.watch()
  }
}

type Check = Record<string, unknown>

/** A forge with checks, that lets git pass to the door. */
function startForge(answerOf: (checks: readonly Check[], path: string) => unknown) {
  const checks = new Map<string, Check[]>()
  const state = { status: 200, asked: 0 }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url)
      if (!url.pathname.includes('/api/'))
        return await fetch(`${it.door.url}${url.pathname.replace('/acme', '')}${url.search}`, {
          method: request.method,
          headers: request.headers,
          body: request.method === 'POST' ? await request.bytes() : null,
        })
      state.asked++
      const sha = /[0-9a-f]{40}/.exec(url.pathname)?.[0] ?? ''
      return Response.json(answerOf(checks.get(sha) ?? [], url.pathname), { status: state.status })
    },
  })
  afterAll(() => server.stop(true))
  return { checks, state, url: `http://127.0.0.1:${server.port}` }
}

const list = (checks: readonly Check[]): unknown => checks
const FORGES = {
  gitea: {
    answer: list,
    began: { state: 'pending', description: 'Has started running' },
    waits: { state: 'pending', description: 'Waiting to run' },
  },
  github: {
    answer: (checks: readonly Check[], path: string) =>
      path.endsWith('/check-runs') ? { total_count: checks.length, check_runs: checks } : [],
    began: { status: 'in_progress' },
    waits: { status: 'queued' },
  },
  gitlab: { answer: list, began: { status: 'failed' }, waits: { status: 'created' } },
} as const

async function link(
  provider: keyof typeof FORGES | 'generic',
  settings: Partial<MirrorSettings> = {},
) {
  const kind = FORGES[provider === 'generic' ? 'gitea' : provider]
  const forge = startForge(kind.answer)
  const at = await it.pair()
  const name = at.repo.split('/')[1] ?? ''
  const file = `.${provider === 'generic' || provider === 'gitlab' ? 'hearth' : provider}/workflows`
  await git(at.clone, 'checkout', '-q', '-B', 'main')
  await Bun.write(`${at.clone}/${file}/test.yml`, ONE_JOB)
  await git(at.clone, 'add', '.')
  await at.push('main', 'First')
  await world.call(createMirror, ada, {
    repo: at.repo,
    url: `${forge.url}/acme/${name}.git`,
    role: 'leader',
    provider,
    settings,
  })
  await world.jobs()
  /** A push there, which is fetched. */
  const push = async (text: string): Promise<string> => {
    const sha = await at.push('main', text)
    await pass(6 * MINUTE)
    return sha
  }
  const runs = async () => {
    const { items } = await world.call(listRuns, ada, { repo: at.repo })
    return items.map((run) => run.sha).reverse()
  }
  return { ...forge, kind, at, push, runs }
}

describe.each(['gitea', 'github', 'gitlab'] as const)('checks of %s', (provider) => {
  test('that report nothing are run here until they report again', async () => {
    const one = await link(provider, { ext_workflows: provider !== 'gitlab' })
    const seen = await one.push('Checked there')
    one.checks.set(seen, [one.kind.began])
    for (let at = 1; at <= 5; at++) {
      const sha = await one.push(`Waits ${at}`)
      one.checks.set(sha, [one.kind.waits])
    }
    expect(await one.at.link()).toMatchObject({ state: 'standing_by', checks_silent: false })
    expect(await one.runs()).toEqual([])
    await pass(HOUR, 2)
    expect(await one.at.link()).toMatchObject({
      state: 'ci_failover',
      checks_silent: true,
      reachable: true,
    })
    const [last] = [...one.checks.keys()].slice(-1)
    expect(await one.runs()).toEqual([last ?? ''])
    // The remote still leads, so what it gets is fetched, and checked here.
    const next = await one.push('Comes meanwhile')
    expect(await one.runs()).toEqual([last ?? '', next])
    one.checks.set(next, [{ ...one.kind.began, target_url: `${world.hearth.settings.site_url}/x` }])
    await pass(10 * MINUTE, 5)
    // What this service reported itself tells nothing of the remote's checks.
    expect((await one.at.link()).state).toBe('ci_failover')
    one.checks.set(next, [one.kind.began])
    await pass(10 * MINUTE, 5)
    expect(await one.at.link()).toMatchObject({ state: 'standing_by', checks_silent: false })
    await one.push('Checked there again')
    expect(await one.runs()).toEqual([last ?? '', next])
  })
})

test('a remote that never reported a check may have none, and is asked only while pushes wait', async () => {
  const one = await link('gitea')
  for (let at = 1; at <= 4; at++) await one.push(`Push ${at}`)
  expect(one.state.asked).toBe(0)
  for (let at = 5; at <= 7; at++) await one.push(`Push ${at}`)
  await pass(2 * HOUR, 2)
  expect(one.state.asked).toBeGreaterThan(0)
  expect(await one.at.link()).toMatchObject({ state: 'standing_by', checks_silent: false })
})

test('a remote that does not tell of its checks is no outage', async () => {
  const one = await link('github')
  const seen = await one.push('Seen')
  one.checks.set(seen, [one.kind.began])
  for (let at = 1; at <= 6; at++) await one.push(`Push ${at}`)
  one.state.status = 403
  await pass(2 * HOUR, 2)
  expect((await one.at.link()).state).toBe('standing_by')
})

test('when the remote is away, what was fetched last is checked here', async () => {
  const one = await link('generic')
  const last = await one.push('Last')
  expect(await one.runs()).toEqual([])
  it.door.isDown = true
  await pass(10 * MINUTE, 5)
  it.door.isDown = false
  expect((await one.at.link()).state).toBe('ci_failover')
  expect(await one.runs()).toEqual([last])
})

test('files of the remote’s kind run here only with ext_workflows', async () => {
  const one = await link('gitea', { keep_ci_warm: true })
  await one.push('Without')
  expect(await one.runs()).toEqual([])
  const { id } = await one.at.link()
  await world.call(updateMirror, ada, {
    repo: one.at.repo,
    id,
    settings: { ext_workflows: true },
  })
  const sha = await one.push('With')
  expect(await one.runs()).toEqual([sha])
})

test('GitLab’s files have another form', async () => {
  const at = await it.pair()
  const refused = await refusal(
    world.call(createMirror, ada, {
      repo: at.repo,
      url: at.url,
      role: 'leader',
      provider: 'gitlab',
      settings: { ext_workflows: true },
    }),
  )
  expect([refused.code, refused.field]).toEqual(['not_available', 'settings.ext_workflows'])
})
