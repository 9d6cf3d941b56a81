/**
 * Processor time of the forge for one call of a tool, in both generations of the protocol, beside
 * what it may take. No two calls of a kind are alike, so no answer comes from memory, but for
 * `whoami` and `tools/list`. `bun scripts/bench/tools.ts [--executable FILE] [--rounds N]`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXECUTABLE, requireBuilt } from '../support/forge.ts'
import { runScript, type Option } from '../support/options.ts'
import { makeSetting, REPO, type Setting } from './forge/setting.ts'
import { table } from './forge/table.ts'
import { cpuOf } from './forge/vitals.ts'
import { median } from './forge/wrk.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  rounds: { kind: 'count', default: '5', help: 'How often everything is measured.' },
  only: { kind: 'text', default: '', help: 'Only rows whose name holds this.' },
} as const satisfies Record<string, Option>

const CONNECTIONS = 8

type Row = {
  readonly name: string
  /** Microseconds that a call may take. */
  readonly budget: number
  readonly count: number
  readonly method?: string
  readonly args?: (n: number) => Record<string, unknown>
}

const ROWS: readonly Row[] = [
  { name: 'whoami', budget: 60, count: 3000, args: () => ({}) },
  {
    name: 'get_issue',
    budget: 300,
    count: 1000,
    args: (n) => ({ repo: REPO, number: (n % 20) + 1, max_chars: 20_000 + n }),
  },
  {
    name: 'list_issues',
    budget: 800,
    count: 600,
    args: (n) => ({ repo: REPO, per_page: (n % 15) + 5, max_chars: 20_000 + n }),
  },
  {
    name: 'get_pull',
    budget: 800,
    count: 600,
    args: (n) => ({ repo: REPO, number: 21, max_chars: 20_000 + n }),
  },
  {
    name: 'add_comment',
    budget: 1500,
    count: 300,
    args: (n) => ({ repo: REPO, number: (n % 20) + 1, body: `Comment ${n}.` }),
  },
  { name: 'tools/list', budget: 200, count: 600, method: 'tools/list' },
]

const META = 'io.modelcontextprotocol/'
const MODERN = '2026-07-28'

function requestOf({ forge, token }: Setting, row: Row, n: number, isModern: boolean): Request {
  const method = row.method ?? 'tools/call'
  const params = {
    ...(row.args ? { name: row.name, arguments: row.args(n) } : {}),
    ...(isModern
      ? {
          _meta: {
            [`${META}protocolVersion`]: MODERN,
            [`${META}clientInfo`]: { name: 'bench', version: '1' },
            [`${META}clientCapabilities`]: {},
          },
        }
      : {}),
  }
  return new Request(`${forge.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': isModern ? MODERN : '2025-11-25',
      ...(isModern ? { 'mcp-method': method, ...(row.args ? { 'mcp-name': row.name } : {}) } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: row.args ? n : 1, method, params }),
  })
}

/** Microseconds of one call. Throws for a call that fails. */
async function measure(
  setting: Setting,
  row: Row,
  from: number,
  isModern: boolean,
): Promise<number> {
  const first = await (await fetch(requestOf(setting, row, from, isModern))).text()
  if (first.includes('"isError":true') || !first.includes('"result"'))
    throw new Error(`${row.name}: ${first.slice(0, 500)}`)
  let next = from + 1
  const end = next + row.count
  const client = async (): Promise<void> => {
    while (next < end) await (await fetch(requestOf(setting, row, next++, isModern))).arrayBuffer()
  }
  const began = cpuOf(setting.forge.pid)
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  return ((cpuOf(setting.forge.pid) - began) * 1e6) / row.count
}

/** A branch with a change and its pull request, number 21 after the issues. */
async function openPull({ forge, token }: Setting): Promise<void> {
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const response = await fetch(`${forge.url}/api/v1/repos/${REPO}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }
  await send('POST', '/commits', {
    branch: 'main',
    new_branch: 'change',
    message: 'Change a part',
    files: [{ action: 'put', path: 'src/part-1.ts', content: 'export const part1 = 2\n' }],
  })
  await send('POST', '/pulls', { title: 'Change a part', branch: 'change', base: 'main' })
}

await runScript('bun scripts/bench/tools.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-tools-'))
  const setting = await makeSetting(requireBuilt(options.executable), join(directory, 'forge'))
  try {
    await openPull(setting)
    const rows: string[][] = []
    for (const row of ROWS.filter(({ name }) => name.includes(options.only))) {
      const times: [number[], number[]] = [[], []]
      for (let round = 0; round <= Number(options.rounds); round++)
        for (const at of [0, 1] as const) {
          const from = (2 * round + at) * (row.count + 1)
          const time = await measure(setting, row, from, at === 1)
          // The first round warms up.
          if (round > 0) times[at].push(time)
        }
      rows.push([row.name, String(row.budget), ...times.map((list) => median(list).toFixed(0))])
    }
    console.log('Microseconds of processor time for one call')
    console.log(table(['tool', 'at most', 'until 2025-11-25', MODERN], rows))
    return 0
  } finally {
    await setting.forge.stop()
    rmSync(directory, { recursive: true })
  }
})
