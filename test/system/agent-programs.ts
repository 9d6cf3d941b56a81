/**
 * The story of an issue with agent programs of npm, offline: an issue becomes a pull request whose
 * checks pass, checks that the base got meanwhile send it back, it is
 * merged, and what it cost is counted. The model is scripted: it runs
 * one command by whatever tool the program has for that. Prints a line for each program. Fetches
 * the programs unless they are there.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { claim, EXECUTABLE, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { startModelServer, type Asked, type Reply } from '../models/model-server.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  tools: { kind: 'text', default: '', help: 'Where programs are fetched to, to be used again.' },
  hosts: { kind: 'text', default: '', help: 'Hosts that programs may reach, by agents.hosts.' },
  only: { kind: 'text', default: '', help: 'Programs whose name has this text.' },
  keep: { kind: 'flag', default: '', help: 'Keeps the data and the log of the forge.' },
} as const satisfies Record<string, Option>

type Program = { readonly kind: string; readonly packages: readonly string[]; readonly bin: string }

const PROGRAMS: readonly Program[] = [
  { kind: 'opencode', packages: ['opencode-ai@1.18.33'], bin: 'opencode acp' },
  { kind: 'codex', packages: ['@agentclientprotocol/codex-acp@2.6.0'], bin: 'codex-acp' },
  {
    kind: 'claude',
    packages: ['@agentclientprotocol/claude-agent-acp@0.49.0'],
    bin: 'claude-agent-acp',
  },
  { kind: 'gemini', packages: ['@google/gemini-cli@0.61.0'], bin: 'gemini --acp' },
  { kind: 'qwen', packages: ['@qwen-code/qwen-code@0.15.10'], bin: 'qwen --acp' },
]

const REPO = 'acme/site'
const MAX_STORY_MS = 180_000
const POLL_MS = 200

type Tool = {
  name?: string
  function?: { name: string }
  parameters?: { properties?: Record<string, { type?: string }> }
}

/** The tool of a program that runs a command, and its input. */
function commandTool(
  body: Asked['body'],
  command: string,
): { name: string; input: unknown } | null {
  const tools = (body.tools ?? []) as (Tool & { functionDeclarations?: Tool[] })[]
  // Google's interface has all of them in one.
  for (const tool of tools.flatMap((one) => one.functionDeclarations ?? [one])) {
    const name = tool.function?.name ?? tool.name ?? ''
    if (!/^(bash|shell|shell_command|exec_command|run_shell_command)$/i.test(name)) continue
    if (name === 'exec_command') return { name, input: { cmd: command } }
    const isList = tool.parameters?.properties?.command?.type === 'array'
    const line = isList ? ['sh', '-c', command] : command
    if (name === 'Bash') return { name, input: { command } }
    return { name, input: { command: line, description: 'Make it', is_background: false } }
  }
  return null
}

/** What a program is to do: one file for the issue, and one more once its checks have failed. */
const commandsFor = (kind: string): readonly [string, string] => [
  `echo ${kind} > made-${kind}.txt && sh test.sh && echo made it`,
  `echo yes > strict-${kind}.txt && sh test.sh && echo made it strict`,
]

/** Runs each command once, then says that it is done. `begun` is told when a story begins. */
const scriptWith =
  (begun: (kind: string) => Promise<unknown>) =>
  ({ body }: Asked): Reply => {
    const text = JSON.stringify(body.messages ?? body.input ?? body.contents)
    const kind = /made-(\w+)\.txt must exist/.exec(text)?.[1] ?? ''
    const isRevision = text.includes('The checks of the pull request failed')
    const [first, second] = commandsFor(kind)
    const call = commandTool(body, isRevision ? second : first)
    // Programs also ask for titles, without tools.
    if (call === null) return { text: 'A title' }
    // A result has the words without the command before them.
    const said = isRevision ? /(?<!echo )made it strict/ : /(?<!echo )made it(?! strict)/
    if (said.test(text)) return { text: isRevision ? 'It is strict now.' : 'It is made.' }
    return { calls: [call], ...(isRevision ? {} : { after: begun(kind) }) }
  }

async function fetchPrograms(tools: string, programs: readonly Program[]): Promise<void> {
  mkdirSync(tools, { recursive: true })
  if (!existsSync(join(tools, 'package.json')))
    writeFileSync(join(tools, 'package.json'), '{"private":true}\n')
  const missing = programs.filter(
    ({ bin }) => !existsSync(join(tools, 'node_modules', '.bin', bin.split(' ')[0] ?? '')),
  )
  if (missing.length === 0) return
  const packages = missing.flatMap((program) => program.packages)
  const child = Bun.spawn(['npm', 'install', '--no-audit', '--no-fund', ...packages], {
    cwd: tools,
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error('npm install failed')
}

type Json = Record<string, unknown>

class Client {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  async call<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }

  /** Asks again until the answer is what is waited for. */
  async until<T>(path: string, isRight: (answer: T) => boolean): Promise<T> {
    const end = performance.now() + MAX_STORY_MS
    for (;;) {
      const answer = await this.call<T>('GET', path)
      if (isRight(answer)) return answer
      if (performance.now() > end)
        throw new Error(`${path} stays ${JSON.stringify(answer).slice(0, 500)}`)
      await Bun.sleep(POLL_MS)
    }
  }
}

async function prepare(client: Client, modelUrl: string): Promise<void> {
  await client.call('POST', '/v1/repos', { workspace: 'acme', name: 'site' })
  await client.call('POST', `/repos/${REPO}/commits`, {
    branch: 'main',
    message: 'Begin',
    files: [
      { path: 'add.js', action: 'put', content: 'const add = (a, b) => a + b\n' },
      { path: 'test.sh', action: 'put', content: 'true\n' },
    ].map((file) => ({ ...file, encoding: 'utf-8' })),
  })
  await client.call('PATCH', `/repos/${REPO}/settings`, { require_up_to_date: false })
  const { id } = await client.call('POST', '/workspaces/acme/integrations', {
    provider: 'chat_completions',
    name: 'model',
    config: {
      base_url: modelUrl,
      models: [
        {
          ...{ id: 'small', usd_per_million_input: 1, usd_per_million_output: 4 },
          context_tokens: 200_000,
        },
      ],
    },
    secret: 'sk-test',
  })
  await client.call('PUT', '/workspaces/acme/model-routes', {
    routes: [{ task: 'code', integration: id, model: 'small' }],
  })
}

type Agent = {
  id: string
  state: string
  pull: number
  waiting_for: string | null
  cost_usd: number
}

async function settled(client: Client, number: number): Promise<Agent> {
  const isSettled = ({ state }: Agent): boolean => state !== 'working'
  const list = await client.until<Agent[]>(`/repos/${REPO}/agents`, (agents) =>
    agents.some((agent) => agent.pull === number && isSettled(agent)),
  )
  const agent = list.find(({ pull }) => pull === number)
  if (agent?.state !== 'idle')
    throw new Error(`it is ${agent?.state}: ${agent?.waiting_for ?? 'no reason'}`)
  return agent
}

/** One issue from its opening to the merge. Returns a line that says what was seen. */
async function story(client: Client, { kind, bin }: Program, tools: string): Promise<string> {
  await client.call('PUT', `/admin/agent-programs/${kind}`, {
    kind,
    command: `${join(tools, 'node_modules', '.bin', bin)}`,
    folders: [tools],
  })
  const tested = await client.call('POST', `/admin/agent-programs/${kind}/test`, {})
  if (tested.fault !== null) throw new Error(`the test says: ${String(tested.fault)}`)
  const issue = await client.call<{ number: number }>('POST', `/v1/repos/${REPO}/issues`, {
    title: `made-${kind}.txt must exist`,
    checks: [`test -f made-${kind}.txt`, 'sh test.sh'],
  })
  const started = performance.now()
  const path = `/repos/${REPO}/issues/${issue.number}/assign`
  const { pull } = await client.call<{ pull: { number: number } }>('POST', path, { program: kind })
  await settled(client, pull.number)
  const ready = performance.now() - started
  const at = `/v1/repos/${REPO}/pulls/${pull.number}`
  type Detail = { status: string; checks_status: string; body: string }
  const detail = await client.until<{ pull?: Detail } & Detail>(
    at,
    (answer) => (answer.pull ?? answer).checks_status === 'passed',
  )
  const { status, checks_status } = detail.pull ?? detail
  if (status !== 'open' || checks_status !== 'passed')
    throw new Error(`the pull request is ${status}, its checks ${checks_status}`)
  const agent = await settled(client, pull.number)
  await client.call('POST', `${at}/merge`, { method: 'merge' })
  const entries = await client.call<{ kind: string }[]>(
    'GET',
    `/v1/repos/${REPO}/pulls/${pull.number}/session`,
  )
  const usage = entries.filter((entry) => entry.kind === 'usage').length
  if (usage === 0 || agent.cost_usd <= 0) throw new Error('no money was counted')
  return `${String(tested.version)}: ready after ${(ready / 1000).toFixed(1)} s, ${entries.length} entries, ${usage} of usage, $${agent.cost_usd.toFixed(4)}`
}

/** While the program works, the base gets a test that its change fails. */
const makeStrict = (client: Client, kind: string): Promise<unknown> =>
  client.call('POST', `/repos/${REPO}/commits`, {
    branch: 'main',
    message: 'Be strict',
    files: [
      {
        ...{ path: 'test.sh', action: 'put', encoding: 'utf-8' },
        content: `test -f strict-${kind}.txt\n`,
      },
    ],
  })

async function runAll(
  client: Client,
  modelUrl: string,
  programs: readonly Program[],
  tools: string,
): Promise<number> {
  await prepare(client, modelUrl)
  let failures = 0
  for (const program of programs)
    try {
      process.stdout.write(`${program.kind}: ${await story(client, program, tools)}\n`)
    } catch (error) {
      failures++
      process.stdout.write(
        `${program.kind}: FAILED: ${error instanceof Error ? error.message : String(error)}\n`,
      )
    }
  return failures
}

/** A folder that the box can show: of root it runs as another user, whom most homes keep out. */
const toolsHome = (): string =>
  process.getuid?.() === 0 && (statSync(homedir()).mode & 0o001) === 0 ? '/opt' : homedir()

await runScript('bun test/system/agent-programs.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'agent-programs-'))
  // Folders below /tmp are hidden in the box of a program.
  const ownTools = options.tools === '' ? mkdtempSync(join(toolsHome(), '.agent-programs-')) : null
  // mkdtemp makes folders that only their owner may enter.
  if (ownTools !== null) chmodSync(ownTools, 0o755)
  const tools = ownTools ?? resolve(options.tools)
  const programs = PROGRAMS.filter(({ kind }) => kind.includes(options.only))
  await fetchPrograms(tools, programs)
  const forge = await startForge({
    executable: requireBuilt(options.executable),
    data: join(directory, 'data'),
    log: join(directory, 'log'),
    environment: {
      PATH: process.env.PATH ?? '',
      HEARTH_INTEGRATIONS_ALLOW: 'http://127.0.0.1',
      HEARTH_AGENTS_HOSTS: options.hosts,
    },
  })
  const client = new Client(forge.url, (await claim(forge)).token)
  const strict = new Set<string>()
  const models = startModelServer(
    scriptWith(async (kind) => {
      if (kind !== '' && !strict.has(kind)) await makeStrict(client, (strict.add(kind), kind))
    }),
  )
  try {
    return (await runAll(client, models.url, programs, tools)) === 0 ? 0 : 1
  } finally {
    await forge.stop()
    models.stop()
    if (ownTools !== null) rmSync(ownTools, { recursive: true, force: true })
    if (options.keep) process.stdout.write(`kept in ${directory}\n`)
    else rmSync(directory, { recursive: true, force: true })
  }
})
