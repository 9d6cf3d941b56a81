/**
 * The official clients of OpenAI, Anthropic and Google, for JavaScript and Python, against the model
 * gateway of the built executable: text, tools and streams on each interface, by models of each.
 * Prints a line for each step. Fetches the clients; npm and python3 must be installed.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { startModelServer, type Asked, type Reply } from '../models/model-server.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  tools: { kind: 'text', default: '', help: 'Where clients are fetched to, to be used again.' },
} as const satisfies Record<string, Option>

const PROGRAMS = join(import.meta.dir, 'model-clients')
const CLIENTS = {
  npm: ['openai@6.49.0', '@anthropic-ai/sdk@1.12.0', '@google/genai@2.32.0'],
  pip: ['openai==3.54.0', 'anthropic==2.12.0', 'google-genai==3.4.0'],
}

/** Calls a tool first, then says that it is done; a text of this kind is refused as too long. */
function script({ body }: Asked): Reply {
  const text = JSON.stringify(body.messages ?? body.contents ?? '')
  if (text.includes('too long')) return { status: 400, message: 'the prompt is too long' }
  if (/tool_call_id|tool_result|functionResponse/.test(text)) return { text: 'Done.' }
  return { text: 'Look here.', calls: [{ name: 'look', input: { path: 'a' } }] }
}

async function run(command: readonly string[], cwd: string): Promise<number> {
  const child = Bun.spawn([...command], {
    cwd,
    stdout: 'inherit',
    stderr: 'inherit',
    stdin: 'ignore',
  })
  return await child.exited
}

/** Fetches the clients unless they are there. Gives the commands that run them. */
async function fetchClients(tools: string): Promise<readonly (readonly string[])[]> {
  mkdirSync(tools, { recursive: true })
  writeFileSync(join(tools, 'package.json'), '{"private":true,"type":"module"}\n')
  cpSync(PROGRAMS, tools, { recursive: true })
  const python = join(tools, 'python', 'bin', 'python')
  const steps = [
    existsSync(join(tools, 'node_modules', 'openai'))
      ? []
      : [['npm', 'install', '--no-audit', '--no-fund', ...CLIENTS.npm]],
    existsSync(python)
      ? []
      : [
          ['python3', '-m', 'venv', 'python'],
          [python, '-m', 'pip', 'install', '--quiet', ...CLIENTS.pip],
        ],
  ].flat()
  for (const step of steps)
    if ((await run(step, tools)) !== 0) throw new Error(`${step.join(' ')} failed`)
  return [
    ['node', 'clients.mjs'],
    [python, 'clients.py'],
  ]
}

/** Connects a model that speaks an interface, for code and for embeddings. */
async function setUp(url: string, token: string, wires: Record<string, string>): Promise<void> {
  const call = async (method: string, path: string, body: unknown): Promise<{ id: string }> => {
    const response = await fetch(`${url}/api/v1/workspaces/${OWNER.workspace}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { id: string }
  }
  const routes = []
  for (const [task, provider] of Object.entries(wires)) {
    const { id } = await call('POST', 'integrations', {
      provider,
      config: { base_url: url.replace(/:\d+$/, `:${models.port}`), models: [{ id: 'small' }] },
      secret: 'sk-test',
    })
    routes.push({ task, integration: id, model: 'small' })
  }
  await call('PUT', 'model-routes', { routes })
  await call('PUT', 'model-gateway', { enabled: true })
}

const models = startModelServer(script)

await runScript('bun test/system/model-clients.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'model-clients-'))
  const clients = await fetchClients(
    options.tools === '' ? join(directory, 'tools') : options.tools,
  )
  const forge = await startForge({
    executable: requireBuilt(options.executable),
    data: join(directory, 'data'),
    log: join(directory, 'log'),
    environment: { HEARTH_INTEGRATIONS_ALLOW: 'http://127.0.0.1' },
  })
  let failures = 0
  try {
    const { token } = await claim(forge)
    for (const wire of ['chat_completions', 'messages', 'generate_content']) {
      await setUp(forge.url, token, { code: wire, embed: 'chat_completions' })
      for (const command of clients) {
        process.stdout.write(`${command.at(-1)}, by a model that speaks ${wire}\n`)
        const cwd = options.tools === '' ? join(directory, 'tools') : options.tools
        failures += await run([...command, `${forge.url}/model`, token], cwd)
      }
    }
  } finally {
    await forge.stop()
    models.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  return failures === 0 ? 0 : 1
})
