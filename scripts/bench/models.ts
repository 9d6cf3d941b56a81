/**
 * Processor time of the model gateway: of a request with its bill, and of one more event of a
 * stream; the time from assigning an issue to the first token, and the memory of runs at once. The
 * forge runs as a process of its own; the model is a server in this one that answers at once.
 * Prints medians of rounds. `bun scripts/bench/models.ts [--rounds N] [--executable PATH]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  claim,
  EXECUTABLE,
  OWNER,
  requireBuilt,
  startForge,
  type ForgeProcess,
} from '../support/forge.ts'
import { runScript, type Option } from '../support/options.ts'
import { cpuOf } from './forge/vitals.ts'
import { table } from './forge/table.ts'
import { median } from './forge/wrk.ts'
import { AgentModel, measureAgents } from './models/agents.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  rounds: { kind: 'count', default: '7', help: 'Rounds of each measurement.' },
} as const satisfies Record<string, Option>

const REQUESTS = 300
const CONCURRENCY = 8
const BODY_CHARS = 8_000
const EVENTS = 500

const encoder = new TextEncoder()
const chunk = (delta: object, more: object = {}): Uint8Array =>
  encoder.encode(
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`,
  )
const USAGE = { prompt_tokens: 2_000, completion_tokens: 20, total_tokens: 2_020 }
const LAST = [
  chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({}, { choices: [], usage: USAGE }),
  encoder.encode('data: [DONE]\n\n'),
]

/** Each event is sent alone: the next one comes in a turn of the event loop of its own. */
function streamOf(events: number): Response {
  let sent = 0
  return new Response(
    new ReadableStream({
      async pull(controller) {
        if (sent++ < events) {
          if (sent > 3) await new Promise((resolve) => setImmediate(resolve))
          return controller.enqueue(chunk({ content: 'word ' }))
        }
        for (const one of LAST) controller.enqueue(one)
        controller.close()
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  )
}

const agentModel = new AgentModel()
const model = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 120,
  fetch: async (request) => {
    if (request.method === 'GET') return Response.json({ data: [{ id: 'small' }] })
    const { stream, messages } = (await request.json()) as {
      stream?: boolean
      messages: { content: string }[]
    }
    if (AgentModel.isAsked(messages)) return agentModel.answer()
    if (stream !== true)
      return Response.json({
        id: 'c',
        object: 'chat.completion',
        choices: [
          { index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' },
        ],
        usage: USAGE,
      })
    return streamOf(messages.at(-1)?.content === 'many' ? EVENTS : 3)
  },
})

type Kind = {
  readonly name: string
  readonly path: string
  readonly body: object
  /** Whether an agent calls, whose usage is an entry in the session of its pull request. */
  readonly byAgent?: boolean
  /** Requests under way at once. */
  readonly atOnce?: number
}

const padding = 'x'.repeat(BODY_CHARS)
const messages = [
  { role: 'user', content: padding },
  { role: 'assistant', content: 'Yes.' },
  { role: 'user', content: 'Hello' },
]
const many = [{ role: 'user', content: 'many' }]
const KINDS: readonly Kind[] = [
  { name: 'chat, whole', path: '/v1/chat/completions', body: { messages } },
  { name: 'chat, stream', path: '/v1/chat/completions', body: { messages, stream: true } },
  {
    name: 'messages by a chat model, stream',
    path: '/v1/messages',
    body: { messages, max_tokens: 1_000, stream: true },
  },
  {
    name: 'chat, stream, of an agent',
    path: '/v1/chat/completions',
    body: { messages, stream: true },
    byAgent: true,
  },
  {
    name: 'the same, one after the other',
    path: '/v1/chat/completions',
    body: { messages, stream: true },
    byAgent: true,
    atOnce: 1,
  },
]
const MANY: Kind = {
  name: 'one event (µs)',
  path: '/v1/chat/completions',
  body: { messages: many, stream: true },
}

type Call = <T>(method: string, path: string, body: unknown) => Promise<T>

const callerOf =
  (url: string, token: string): Call =>
  async <T>(method: string, path: string, body: unknown): Promise<T> => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

const BENCH = `${OWNER.workspace}/bench`

/** Connects the model and opens the gateway; gives the token of an agent on a pull request. */
async function setUp(call: Call): Promise<string> {
  const workspace = `/v1/workspaces/${OWNER.workspace}`
  const { id } = await call<{ id: string }>('POST', `${workspace}/integrations`, {
    provider: 'chat_completions',
    config: {
      base_url: `http://127.0.0.1:${model.port}`,
      models: [{ id: 'small', usd_per_million_input: 1, usd_per_million_output: 4 }],
      concurrency: 100,
    },
    secret: 'sk-test',
  })
  const routes = [{ task: 'code', integration: id, model: 'small', max_usd: 1_000 }]
  await call('PUT', `${workspace}/model-routes`, { routes })
  await call('PUT', `${workspace}/model-gateway`, { enabled: true })
  const repo = BENCH
  await call('POST', '/v1/repos', { workspace: OWNER.workspace, name: 'bench' })
  await call('POST', `/repos/${repo}/commits`, {
    branch: 'main',
    message: 'Begin',
    files: [{ path: 'README.md', action: 'put', content: 'Bench\n', encoding: 'utf-8' }],
  })
  const issue = await call<{ number: number }>('POST', `/v1/repos/${repo}/issues`, { title: 'Do' })
  const { pull } = await call<{ pull: { number: number } }>('POST', `/v1/repos/${repo}/pulls`, {
    issue: issue.number,
  })
  const agent = await call<{ token: { secret: string } }>('POST', `/repos/${repo}/agents`, {
    name: 'helper',
    pull: pull.number,
    scopes: ['models:use', 'repo:read'],
    max_usd: 1_000,
  })
  return agent.token.secret
}

type Tokens = { readonly person: string; readonly agent: string }

async function send(forge: ForgeProcess, tokens: Tokens, kind: Kind): Promise<void> {
  const response = await fetch(`${forge.url}/model${kind.path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${kind.byAgent ? tokens.agent : tokens.person}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: 'code', ...kind.body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${kind.path}: ${response.status} ${text}`)
}

/** Milliseconds of processor time of so many requests. */
async function measure(
  forge: ForgeProcess,
  tokens: Tokens,
  kind: Kind,
  count: number,
): Promise<number> {
  const before = cpuOf(forge.pid)
  let left = count
  const one = async (): Promise<void> => {
    while (left-- > 0) await send(forge, tokens, kind)
  }
  await Promise.all(Array.from({ length: kind.atOnce ?? CONCURRENCY }, one))
  return (cpuOf(forge.pid) - before) * 1000
}

/** The median of rounds of each kind, in milliseconds; of one event in microseconds. */
async function run(forge: ForgeProcess, tokens: Tokens, rounds: number): Promise<string[][]> {
  const samples = new Map<string, number[]>()
  const add = (name: string, value: number): void =>
    void samples.set(name, [...(samples.get(name) ?? []), value])
  for (const kind of KINDS) await measure(forge, tokens, kind, REQUESTS)
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS)
      add(kind.name, (await measure(forge, tokens, kind, REQUESTS)) / REQUESTS)
    const streams = 2 * CONCURRENCY
    const ms = await measure(forge, tokens, MANY, streams)
    add(MANY.name, (ms / streams / EVENTS) * 1000)
  }
  return [...samples].map(([name, values]) => [name, median(values).toFixed(2)])
}

await runScript('bun scripts/bench/models.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'bench-models-'))
  const { BUN_OPTIONS } = process.env
  const forge = await startForge({
    executable: requireBuilt(options.executable),
    data: join(directory, 'data'),
    log: join(directory, 'log'),
    environment: {
      HEARTH_INTEGRATIONS_ALLOW: 'http://127.0.0.1',
      HEARTH_LIMITS_RATE: 'false',
      HEARTH_AGENTS_AT_ONCE: '20',
      ...(BUN_OPTIONS === undefined ? {} : { BUN_OPTIONS }),
    },
  })
  try {
    const { token } = await claim(forge)
    const call = callerOf(forge.url, token)
    const tokens = { person: token, agent: await setUp(call) }
    const rows = await run(forge, tokens, Number(options.rounds))
    const agents = await measureAgents({ pid: forge.pid, repo: BENCH, call }, agentModel)
    process.stdout.write(`${table(['Processor time', 'ms'], rows)}\n`)
    process.stdout.write(`${table(['The built-in agent', ''], agents)}\n`)
  } finally {
    await forge.stop()
    void model.stop(true)
    rmSync(directory, { recursive: true, force: true })
  }
  return 0
})
