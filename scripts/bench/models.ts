/**
 * Processor time and wall time of the model gateway: of a request with its bill, beside a proxy that
 * only hands it on, and of one more event of a stream; the time from assigning an issue to the first
 * token, and the memory of runs at once. Forge and proxy are processes of their own; the model is a
 * server in this one that answers at once. Prints medians of rounds.
 * `bun scripts/bench/models.ts [--rounds N] [--executable PATH]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../support/forge.ts'
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
  /** Whether the bare proxy is called, and not the gateway. */
  readonly isBare?: boolean
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
  {
    name: 'bare proxy, chat, stream',
    path: '/v1/chat/completions',
    body: { messages, stream: true },
    isBare: true,
  },
  {
    name: 'bare proxy, one after the other',
    path: '/v1/chat/completions',
    body: { messages, stream: true },
    isBare: true,
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

type Door = { readonly pid: number; readonly url: string }

/** What is called: the gateway with a token of its caller, or the bare proxy. */
type Doors = {
  readonly gateway: Door
  readonly bare: Door
  readonly tokens: { readonly person: string; readonly agent: string }
}

/** Starts the bare proxy. It ends with this process, or when it is killed. */
async function startBareProxy(): Promise<Door & { readonly kill: () => void }> {
  const program = join(import.meta.dir, 'models', 'bare-proxy.ts')
  const child = Bun.spawn([process.execPath, program, `http://127.0.0.1:${model.port}`], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  return {
    pid: child.pid,
    url: new TextDecoder().decode(value).trim(),
    kill: () => child.kill('SIGKILL'),
  }
}

async function send({ gateway, bare, tokens }: Doors, kind: Kind): Promise<void> {
  const url = kind.isBare ? bare.url : `${gateway.url}/model`
  const response = await fetch(`${url}${kind.path}`, {
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

/** Milliseconds of so many requests. */
type Taken = { readonly cpu: number; readonly wall: number }

async function measure(doors: Doors, kind: Kind, count: number): Promise<Taken> {
  const { pid } = kind.isBare ? doors.bare : doors.gateway
  const before = cpuOf(pid)
  const begun = performance.now()
  let left = count
  const one = async (): Promise<void> => {
    while (left-- > 0) await send(doors, kind)
  }
  await Promise.all(Array.from({ length: kind.atOnce ?? CONCURRENCY }, one))
  return { cpu: (cpuOf(pid) - before) * 1000, wall: performance.now() - begun }
}

/** The medians of rounds of each kind, in milliseconds; of one event in microseconds. */
async function run(doors: Doors, rounds: number): Promise<string[][]> {
  const samples = new Map<string, Taken[]>()
  const add = (name: string, { cpu, wall }: Taken, divisor: number): void =>
    void samples.set(name, [
      ...(samples.get(name) ?? []),
      { cpu: cpu / divisor, wall: wall / divisor },
    ])
  for (const kind of KINDS) await measure(doors, kind, REQUESTS)
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) add(kind.name, await measure(doors, kind, REQUESTS), REQUESTS)
    const streams = 2 * CONCURRENCY
    add(MANY.name, await measure(doors, MANY, streams), (streams * EVENTS) / 1000)
  }
  return [...samples].map(([name, values]) => [
    name,
    median(values.map(({ cpu }) => cpu)).toFixed(2),
    median(values.map(({ wall }) => wall)).toFixed(2),
  ])
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
  const bare = await startBareProxy()
  try {
    const { token } = await claim(forge)
    const call = callerOf(forge.url, token)
    const tokens = { person: token, agent: await setUp(call) }
    const rows = await run({ gateway: forge, bare, tokens }, Number(options.rounds))
    const agents = await measureAgents({ pid: forge.pid, repo: BENCH, call }, agentModel)
    process.stdout.write(
      `${table(['One request', 'Processor time (ms)', 'Wall time (ms)'], rows)}\n`,
    )
    process.stdout.write(`${table(['The built-in agent', ''], agents)}\n`)
  } finally {
    bare.kill()
    await forge.stop()
    void model.stop(true)
    rmSync(directory, { recursive: true, force: true })
  }
  return 0
})
