/** A forge behind a listener whose workspace lets programs outside call its scripted models. */
import { afterAll } from 'bun:test'
import { createAgent } from '#features/agents/create-agent.ts'
import { createSettingsToken } from '#features/accounts/index.ts'
import { setModelGateway } from '#features/models/set-model-gateway.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import type { Settings } from '#core/settings.ts'
import type { UserCaller } from '#core/caller.ts'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import type { Wire } from '#features/integrations/index.ts'
import type { Script } from '../../models/provider.ts'
import { makeModelWorld } from '../integrations/fixture.ts'

export const REPO = 'acme/site'

export type Call = {
  readonly model: string
  readonly task: string
  readonly cost: number
  readonly estimated: 0 | 1
  readonly input_tokens: number
  readonly cached_tokens: number
  readonly output_tokens: number
}

export async function makeGateway(
  script?: Script,
  { wire = 'chat_completions', settings }: { wire?: Wire; settings?: Partial<Settings> } = {},
) {
  const base = await makeModelWorld(script, settings)
  const { world, ada, connect, db } = base
  const integration = await connect({ provider: wire })
  const route = (more: object = {}, task = 'code') => ({
    task: task as 'code',
    integration: integration.id,
    model: 'small',
    ...more,
  })
  const setRoutes = (...routes: ReturnType<typeof route>[]) =>
    world.call(setModelRoutes, ada, { workspace: 'acme', routes })
  await setRoutes(route())
  const open = (max_usd_per_day?: number) =>
    world.call(setModelGateway, ada, { workspace: 'acme', enabled: true, max_usd_per_day })
  await open()
  await world.repo(REPO, { as: ada, private: true })
  const token = async (person: UserCaller = ada, scopes = ['models:use']): Promise<string> => {
    const made = await world.call(createSettingsToken, person, { name: 'program', scopes })
    return made.secret ?? ''
  }
  const agent = async (more: { max_usd?: number; pull?: number; scopes?: string[] } = {}) => {
    const made = await world.call(createAgent, ada, {
      repo: REPO,
      name: 'helper',
      scopes: ['models:use', 'repo:read'],
      ...more,
    })
    return { id: made.id, secret: made.token.secret ?? '' }
  }
  const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 2000 })
  server.open(world.hearth, {})
  afterAll(() => server.stop())
  const url = `${server.url}/model/v1`
  return {
    ...base,
    integration,
    route,
    setRoutes,
    open,
    token,
    agent,
    url,
    post: (path: string, secret: string, body: unknown, more: RequestInit = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...more,
      }),
    calls: () =>
      db.all<Call>(
        `SELECT model, task, cost, estimated, input_tokens, cached_tokens, output_tokens
         FROM model_calls ORDER BY id`,
      ),
  }
}

/** The data of server-sent events. */
export const dataIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))
