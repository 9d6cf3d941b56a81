/**
 * Pages and states beyond those of `pages.ts`: an agent that asks, a deployment that waits for approval, alerts,
 * deliveries, mirrors, forks, and packages of every type. For the scripts of `test/system`; the tests would take
 * too long with them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { madeUpToken } from '../features/security/secrets/fixture.ts'
import { startModelServer, type Asked, type Reply } from '../models/model-server.ts'
import { publishEveryPackage } from './every-package.ts'
import { pagesOf } from './pages.ts'
import { asker, tellStory } from './story.ts'

type Ask = ReturnType<typeof asker>

const SHIP = `name: Ship
on: push
jobs:
  ship:
    runs-on: ubuntu-latest
    environment: { name: production, url: https://mill.example }
    steps:
      - run: echo shipped
`

const LOCK_FILE = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { husk: '1.0.0' } },
    'node_modules/husk': { version: '1.0.0', license: 'MIT' },
  },
})

const ADVISORY = {
  id: 'GHSA-aaaa-bbbb-cccc',
  modified: '2026-01-01T00:00:00Z',
  published: '2026-01-01T00:00:00Z',
  aliases: ['CVE-2026-1000'],
  summary: 'husk reads files outside of its folder',
  details: 'Names with `..` lead out of the folder.\n\nUpdate to 1.0.1.',
  severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' }],
  affected: [
    {
      package: { ecosystem: 'npm', name: 'husk' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.0.1' }] }],
    },
  ],
}

const ISSUE_FORM = `name: Fault
description: Something grinds wrongly.
body:
  - type: input
    id: grain
    attributes: { label: Grain, placeholder: Rye }
    validations: { required: true }
  - type: textarea
    id: seen
    attributes: { label: What happened }
  - type: dropdown
    id: size
    attributes: { label: Size, options: [coarse, fine] }
`

/** Reads until something is there that a job makes. */
async function until<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 120_000; Date.now() < end; await Bun.sleep(100)) {
    const found = await read()
    if (found !== undefined) return found
  }
  throw new Error(`${what} is not there after two minutes`)
}

const first = async (ask: Ask, path: string, what: string): Promise<Record<string, unknown>> =>
  until(what, async () => ((await ask('GET', path)) as unknown as Record<string, unknown>[])[0])

/** The agent reads a file and asks its person; questions are answered with a source. */
const answerAs = ({ body }: Asked): Reply => {
  const tools = JSON.stringify(body.tools ?? [])
  if (!tools.includes('"ask"')) return { text: 'The stone turns in [[README.md:1]].' }
  const turns = (body.messages as { role: string }[]).filter(({ role }) => role === 'assistant')
  return turns.length === 0
    ? { calls: [{ name: 'read', input: { path: 'README.md' } }] }
    : {
        calls: [
          { name: 'ask', input: { question: 'Coarse or fine? Both would pass the checks.' } },
        ],
      }
}

async function tellAgents(ask: Ask, modelUrl: string): Promise<Record<string, string>> {
  const { id } = await ask('POST', '/workspaces/mill/integrations', {
    provider: 'chat_completions',
    config: { base_url: modelUrl },
    secret: 'sk-test',
  })
  await ask('PUT', '/workspaces/mill/model-routes', {
    routes: [{ task: 'default', integration: id, model: 'small', max_usd: 2 }],
  })
  const { number } = await ask('POST', '/repos/mill/wheel/issues', {
    title: 'Grind rye',
    body: 'It grinds wheat only.',
  })
  await ask('POST', `/repos/mill/wheel/issues/${String(number)}/assign`, {
    instructions: 'Keep it short.',
  })
  const question = await ask('POST', '/repos/mill/wheel/questions', {
    question: 'Where does the stone turn?',
  })
  const plan = await ask('POST', '/repos/mill/wheel/plans', {
    brief: 'A second stone.',
    issues: [{ title: 'Cut the stone' }, { title: 'Lay the stone', depends_on: [1] }],
  })
  const draft = await ask('POST', '/repos/mill/wheel/plans', {
    brief: 'A third stone.',
    issues: [{ title: 'Cut the third stone' }],
  })
  await ask('POST', `/repos/mill/wheel/plans/${String(plan.id)}/apply`, {})
  const pull = Number(number) + 1
  await until('the question of the agent', async () => {
    const session = JSON.stringify(await ask('GET', `/repos/mill/wheel/pulls/${pull}/session`))
    return session.includes('Coarse or fine') ? true : undefined
  })
  return {
    'agent-issue': `/mill/wheel/issues/${String(number)}`,
    'agent-question': `/mill/wheel/pull/${pull}/session`,
    'agent-pull': `/mill/wheel/pull/${pull}`,
    'agents-at-work': '/mill/wheel/agents',
    'all-agents': '/mill/-/agents',
    'integration-model': `/mill/-/integrations/${String(id)}`,
    'integrations-used': '/mill/-/integrations',
    'models-routed': '/mill/-/integrations/models',
    'models-used': '/mill/-/integrations/models/usage',
    questions: '/mill/wheel/ask',
    answer: `/mill/wheel/ask/${String(question.id)}`,
    'plan-rolled-out': `/mill/wheel/plans/${String(plan.id)}`,
    'plan-draft': `/mill/wheel/plans/${String(draft.id)}`,
    'plan-list': '/mill/wheel/plans',
  }
}

async function tellAlerts(ask: Ask, hearth: Hearth): Promise<Record<string, string>> {
  const at = '/repos/mill/wheel'
  const folder = join(hearth.work, 'osv')
  mkdirSync(folder)
  writeFileSync(join(folder, 'one.json'), JSON.stringify(ADVISORY))
  const command = ['advisories', 'import', folder, '--data', hearth.data]
  const imported = Bun.spawnSync([hearth.executable, ...command], { env: { TZ: 'UTC' } })
  if (!imported.success) throw new Error(String(imported.stderr))
  await ask('PATCH', `${at}/settings`, { push_protection: false })
  await ask('POST', `${at}/commits`, {
    branch: 'main',
    message: 'Sign in to the market',
    files: [{ path: 'market.env', action: 'put', content: `TOKEN=${madeUpToken()}\n` }],
  })
  const secret = await first(ask, `${at}/secret-scanning/alerts`, 'the alert of the secret')
  const dependency = await first(ask, `${at}/dependency-alerts`, 'the alert of the dependency')
  return {
    'secret-alert': `/mill/wheel/security/secrets/${String(secret.id)}`,
    'secret-alerts': '/mill/wheel/security/secrets',
    'dependency-alert': `/mill/wheel/security/dependency-alerts/${String(dependency.id)}`,
    'dependency-alerts-open': '/mill/wheel/security/dependency-alerts',
    'dependencies-listed': '/mill/wheel/security/dependencies',
    'security-overview': '/mill/wheel/security',
    'security-of-workspace': '/mill/-/security',
    'new-advisory': '/mill/wheel/security/advisories/new',
  }
}

async function tellMirrors(ask: Ask, url: string, token: string): Promise<Record<string, string>> {
  const account = { username: 'ada', secret: token }
  for (const [name, role, source] of [
    ['follower', 'follower', 'shadow'],
    ['led', 'leader', 'wheel'],
    ['lost', 'leader', 'nowhere'],
  ] as const) {
    await ask('POST', '/repos', { workspace: 'mill', name, private: true })
    await ask('POST', `/repos/mill/${name}/mirror`, {
      url: `${url}/mill/${source}.git`,
      role,
      ...account,
    })
  }
  await until('the first fetch of the mirror', async () => {
    const { remotes } = (await ask('GET', '/repos/mill/led/mirror')) as {
      remotes?: { state: string }[]
    }
    return remotes?.[0]?.state === 'standing_by' ? true : undefined
  })
  return {
    'mirror-led': '/mill/led/settings/mirror',
    'mirror-follower': '/mill/follower/settings/mirror',
    'mirror-lost': '/mill/lost/settings/mirror',
    'mirrored-repo': '/mill/led',
  }
}

async function tellHooks(ask: Ask): Promise<Record<string, string>> {
  const hook = await ask('POST', '/repos/mill/wheel/hooks', { url: 'http://127.0.0.1:9/wheel' })
  const ofWorkspace = await ask('POST', '/workspaces/mill/hooks', {
    url: 'http://127.0.0.1:9/mill',
  })
  const at = `/repos/mill/wheel/hooks/${String(hook.id)}`
  const delivery = await first(ask, `${at}/deliveries`, 'the first delivery')
  const page = `/mill/wheel/settings/hooks/${String(hook.id)}`
  return {
    'hook-failing': page,
    delivery: `${page}/deliveries/${String(delivery.id)}`,
    'hook-of-workspace': `/mill/-/hooks/${String(ofWorkspace.id)}`,
  }
}

/** A running forge. `work` is a folder for files. */
type Hearth = {
  readonly url: string
  readonly executable: string
  readonly data: string
  readonly work: string
}

/** The settings that the forge needs for these states. */
export const MORE_SETTINGS = {
  HEARTH_INTEGRATIONS_ALLOW: 'http://127.0.0.1',
  HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1',
} as const

/** Every page and state that needs no other forge. The model server runs until `stop`. */
export async function tellEverything(
  hearth: Hearth,
  token: string,
): Promise<{ readonly pages: Record<string, string>; stop(): void }> {
  const pages = pagesOf(await tellStory(hearth.url, token))
  const model = startModelServer(answerAs)
  const more = await tellMore(hearth, token, model.url).catch((error: unknown) => {
    model.stop()
    throw error
  })
  return { pages: { ...pages, ...more }, stop: () => model.stop() }
}

async function tellMore(
  hearth: Hearth,
  token: string,
  modelUrl: string,
): Promise<Record<string, string>> {
  const ask = asker(hearth.url, token)
  await ask('POST', '/workspaces', { slug: 'mill', name: 'The Mill' })
  await ask('POST', '/workspaces', { slug: 'field', name: 'The Field' })
  await ask('POST', '/repos', { workspace: 'mill', name: 'wheel', private: false })
  await ask('PUT', '/repos/mill/wheel/environments/production', {
    reviewers: ['ada'],
    prevent_self_review: false,
  })
  const put = (path: string, content: string) => ({ path, action: 'put', content })
  await ask('POST', '/repos/mill/wheel/commits', {
    branch: 'main',
    message: 'Begin',
    files: [
      put('README.md', '# Wheel\n\nTurns the stone.\n'),
      put('package-lock.json', LOCK_FILE),
      put('.hearth/ISSUE_TEMPLATE/fault.yml', ISSUE_FORM),
      put('.hearth/workflows/ship.yml', SHIP),
    ],
  })
  const pages = {
    ...(await tellAgents(ask, modelUrl)),
    ...(await tellAlerts(ask, hearth)),
    ...(await tellHooks(ask)),
    ...(await tellMirrors(ask, hearth.url, token)),
    ...(await publishEveryPackage(hearth.url, token, ask)),
  }
  await first(ask, '/repos/mill/wheel/deployments', 'the deployment that waits')
  const run = await first(ask, '/repos/mill/wheel/actions/runs', 'the run of the workflow')
  return {
    ...pages,
    'run-waiting': `/mill/wheel/runs/${String(run.id)}`,
    'deployments-waiting': '/mill/wheel/deployments',
    'issue-chooser': '/mill/wheel/issues/new/choose',
    'issue-form': '/mill/wheel/issues/new?template=fault.yml',
    'packages-empty': '/field/-/packages',
    'packages-empty-cargo': '/field/-/packages?type=cargo',
    'packages-empty-container': '/field/-/packages?type=container',
    'retention-empty': '/field/-/packages/retention',
    'workspace-empty': '/field',
    'two-factor': '/settings/security/two-factor',
    'fork-file': '/bakery/oven/pull/4/blob/main/src/oven.ts',
    'fork-blame': '/bakery/oven/pull/4/blame/main/src/oven.ts',
    'fork-commits': '/bakery/oven/pull/4/commits/main',
    'fork-refs': '/bakery/oven/pull/4/refs',
    'fork-edit': '/bakery/oven/pull/4/edit/main/README.md',
    'repo-import': '/bakery/recipes/import',
    'start-waiting': '/',
  }
}
