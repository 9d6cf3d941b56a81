/**
 * What tools cost a model. A token is counted as four bytes of JSON, which is near what tokenizers
 * make of it, and the same on every machine.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { UserCaller } from '#core/caller.ts'
import { issueToken } from '#features/accounts/tokens/tokens.ts'
import { startServer } from '#http/server.ts'
import { onlyReads } from '#http/tools/tool-selection.ts'
import { silentLog } from '#lib/log.ts'
import { makeWorld } from '../../world.ts'
import { linesOf } from './questions.ts'

type Json = Record<string, unknown>

const REPO = 'acme/site'
const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
await world.workspace('acme', { owner: ada, members: [bob] })
await world.repo(REPO, { as: ada })
await world.commit(REPO, 'main', {
  'README.md': '# Site\n\nA small one.\n',
  'src/door.ts': 'export const door = "squeak"\n',
})
const secretOf = async ({ id }: UserCaller): Promise<string> => {
  const { secret } = await world.write((tx) =>
    issueToken(tx, {
      actor_id: id,
      kind: 'user',
      name: 'test',
      source: 'settings',
      scopes: null,
      repos: null,
      workspace_id: null,
      role: null,
      expires_at: null,
    }),
  )
  return secret
}
const secrets = { ada: await secretOf(ada), bob: await secretOf(bob) }
const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 1000 })
server.open(world.hearth)
afterAll(() => server.stop())

const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

const rpc = async (as: 'ada' | 'bob', method: string, params: Json, address = '/mcp') => {
  const response = await fetch(server.url + address, {
    method: 'POST',
    headers: { authorization: `Bearer ${secrets[as]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { result: Json }).result
}

/** Every call with its tokens: the arguments that a model writes and the text that it reads. */
const calls: { name: string; tokens: number }[] = []
const call = async (as: 'ada' | 'bob', name: string, args: Json): Promise<Json> => {
  const result = await rpc(as, 'tools/call', { name, arguments: args })
  expect([name, result.isError, result.structuredContent]).toEqual([
    name,
    undefined,
    result.structuredContent,
  ])
  const [{ text }] = result.content as [{ text: string }]
  calls.push({ name, tokens: tokensOf(text) + tokensOf(JSON.stringify(args)) })
  world.clock.advance(1000)
  return result.structuredContent as Json
}
const costOf = async (as: 'ada' | 'bob', name: string, args: Json): Promise<number> => {
  await call(as, name, args)
  return (calls.at(-1)?.tokens ?? 0) - tokensOf(JSON.stringify(args))
}

const listed = async (address: string): Promise<string[]> => {
  const { tools } = (await rpc('ada', 'tools/list', {}, address)) as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
}

describe('lists of tools', () => {
  test('the default list has the hundred tools of ordinary work, in 20,000 tokens', async () => {
    const { tools } = (await rpc('ada', 'tools/list', {})) as { tools: { name: string }[] }
    expect(tools.length).toBe(100)
    expect(tokensOf(JSON.stringify(tools))).toBeLessThanOrEqual(20_000)
    const names = new Set(tools.map(({ name }) => name))
    const tasks = linesOf('tasks.txt')
    expect(tasks.length).toBeGreaterThanOrEqual(30)
    for (const { text, tools: needed } of tasks)
      expect([text, needed.filter((tool) => !names.has(tool))]).toEqual([text, []])
  })

  test('core takes 5,000 tokens', async () => {
    const { tools } = await rpc('ada', 'tools/list', {}, '/mcp/x/core')
    expect(tokensOf(JSON.stringify(tools))).toBeLessThanOrEqual(5_000)
  })

  test('every set that has tools lists them, and every tool is in a set', async () => {
    expect(await listed('/mcp?toolsets=teams')).toContain('create_team')
    const sets = new Set(
      world.hearth.operations.filter(({ tool }) => tool).map((one) => one.toolset),
    )
    expect(sets.has('core')).toBe(false)
    const all = await listed('/mcp?toolsets=all')
    const inSets = await listed(`/mcp?toolsets=${[...sets].join(',')}`)
    expect(inSets).toEqual(all)
  })

  test('a preview says so', async () => {
    const { tools } = (await rpc('ada', 'tools/list', {}, '/mcp?tools=assign_issue')) as {
      tools: Json[]
    }
    expect(tools[0]?.description).toStartWith('Preview: ')
    expect(tools[0]?._meta).toEqual({ preview: true })
  })
})

/** Tokens of the ten commonest calls below, before outputs left anything out. */
const BEFORE: Readonly<Record<string, number>> = {
  list_issues: 2253,
  get_issue: 471,
  create_pull: 388,
  get_session: 465,
  mark_pull_ready: 389,
  get_pull_changes: 247,
  add_comment: 186,
  get_pull: 1389,
  list_pulls: 398,
  list_events: 2842,
}

test('the ten commonest calls take half of what they took', async () => {
  const BODY = 'Steps to see it:\n1. Open the door.\n2. Listen.\n\nIt should be silent.'
  for (let index = 0; index < 12; index++)
    await call('bob', 'create_issue', {
      repo: REPO,
      title: `The door squeaks when it is opened (${index})`,
      body: BODY,
      labels: ['bug'],
    })
  await call('ada', 'add_comment', { repo: REPO, number: 1, body: 'I can hear it too.' })
  const on = { repo: REPO, number: 13 }
  const cost: Record<string, number> = {}
  cost.create_pull = await costOf('bob', 'create_pull', { repo: REPO, issue: 1 })
  await world.commit(
    `${REPO}/pull/13`,
    'main',
    { 'src/door.ts': 'export const door = "silence"\n' },
    { as: bob },
  )
  await call('bob', 'append_session', {
    ...on,
    entries: [
      { kind: 'message', text: 'The hinge is dry, so the door squeaks.' },
      { kind: 'tool', tool: 'bash', text: 'sed -i s/squeak/silence/ src/door.ts' },
      { kind: 'tool', tool: 'bash', text: 'bun test' },
      { kind: 'summary', text: 'Oiled the hinge.' },
    ],
  })
  const summary = 'Oil the hinge. It is quiet now.'
  cost.mark_pull_ready = await costOf('bob', 'mark_pull_ready', { ...on, summary })
  cost.get_pull_changes = await costOf('ada', 'get_pull_changes', on)
  await call('ada', 'review_pull', { ...on, verdict: 'approve', body: 'Good.' })
  const remark = { body: 'Is it quiet in winter?', path: 'src/door.ts', line: 1 }
  cost.add_comment = await costOf('ada', 'add_comment', { ...on, ...remark })
  cost.get_pull = await costOf('bob', 'get_pull', on)
  cost.get_issue = await costOf('bob', 'get_issue', { repo: REPO, number: 1 })
  cost.list_pulls = await costOf('bob', 'list_pulls', { repo: REPO })
  cost.get_session = await costOf('bob', 'get_session', on)
  cost.list_issues = await costOf('bob', 'list_issues', { repo: REPO })
  cost.list_events = await costOf('bob', 'list_events', { repo: REPO })
  const sum = (values: Readonly<Record<string, number>>): number =>
    Object.values(values).reduce((total, one) => total + one, 0)
  expect(Object.keys(cost).sort()).toEqual(Object.keys(BEFORE).sort())
  expect([cost, sum(cost) <= sum(BEFORE) / 2]).toEqual([cost, true])
  // The text of a change or an issue is as long as it is, so one alone may take a little more.
  for (const [name, tokens] of Object.entries(cost))
    expect([name, tokens, tokens <= 0.6 * (BEFORE[name] ?? 0)]).toEqual([name, tokens, true])
})

test('an issue becomes a merged pull request in eleven calls and 6,000 tokens', async () => {
  calls.length = 0
  const { items } = (await call('bob', 'list_issues', { repo: REPO, per_page: 5 })) as {
    items: { number: number }[]
  }
  const issue = items[0]?.number ?? 0
  await call('bob', 'get_issue', { repo: REPO, number: issue })
  const { pull, git } = (await call('bob', 'create_pull', { repo: REPO, issue })) as {
    pull: { number: number; status: string }
    git: { remote: string; branch: string }
  }
  expect([pull.status, git.remote]).toEqual([
    'draft',
    `https://hearth.test/${REPO}/pull/${pull.number}.git`,
  ])
  const on = { repo: REPO, number: pull.number }
  await call('bob', 'get_file', { repo: REPO, path: 'src/door.ts' })
  await world.commit(
    `${REPO}/pull/${pull.number}`,
    git.branch,
    { 'src/handle.ts': 'export const handle = 1\n' },
    { as: bob },
  )
  await call('bob', 'append_session', { ...on, entries: [{ kind: 'message', text: 'A handle.' }] })
  await call('bob', 'mark_pull_ready', { ...on, summary: 'Add a handle.' })
  await call('ada', 'get_pull', on)
  await call('ada', 'get_pull_changes', on)
  await call('ada', 'review_pull', { ...on, verdict: 'approve', body: 'Good.' })
  const merged = await call('ada', 'merge_pull', on)
  expect(merged.status).toBe('merged')
  const tokens = calls.reduce((sum, one) => sum + one.tokens, 0)
  expect(calls.length).toBeLessThanOrEqual(11)
  expect([calls, tokens <= 6000]).toEqual([calls, true])
})

test('results hold no nulls, no pictures, and every account once', async () => {
  const { items, next } = await call('bob', 'list_issues', { repo: REPO })
  expect(next).toBeNull()
  const text = JSON.stringify(items)
  expect(text).not.toContain('null')
  expect(text).not.toContain('avatar_url')
  expect(text.split('"kind":"user"').length - 1).toBe(1)
  const named = await call('bob', 'list_issues', { repo: REPO, fields: ['number', 'closed_at'] })
  expect((named.items as Json[])[0]).toEqual({ number: expect.any(Number), closed_at: null })
})

test('a list of narrowed items goes on where it was cut', async () => {
  const args = { repo: REPO, fields: ['summary'], max_chars: 1000 }
  const seen: unknown[] = []
  let cursor: string | undefined
  do {
    const page = await call('bob', 'list_events', { ...args, ...(cursor ? { cursor } : {}) })
    seen.push(...(page.items as Json[]).map(({ summary }) => summary))
    cursor = (page.next as string | null) ?? undefined
  } while (cursor !== undefined)
  const whole = await call('bob', 'list_events', { repo: REPO, per_page: 100, max_chars: 100_000 })
  expect(whole.next).toBeNull()
  expect(seen).toEqual((whole.items as Json[]).map(({ summary }) => summary))
})

test('the official client takes every narrowed and cut output by its schema', async () => {
  const address = new URL(`${server.url}/mcp?toolsets=all&schemas=output`)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(address, {
      requestInit: { headers: { authorization: `Bearer ${secrets.ada}` } },
    }),
  )
  const { tools } = await client.listTools()
  const known: Json = {
    repo: REPO,
    workspace: 'acme',
    number: 13,
    username: 'ada',
    path: 'src/door.ts',
    ref: 'main',
    branch: 'main',
    basehead: 'main...main',
    query: 'door',
  }
  let answered = 0
  for (const operation of world.hearth.operations) {
    const tool = tools.find(({ name }) => name === operation.name)
    const { required = [] } = (tool?.inputSchema ?? {}) as { required?: string[] }
    const target = operation.access.target === 'either' ? ['repo'] : []
    const inputs = [...required, ...target]
    if (!tool || !onlyReads(operation) || !inputs.every((name) => name in known)) continue
    const args = Object.fromEntries(inputs.map((name) => [name, known[name]]))
    const items = (tool.outputSchema?.properties as Record<string, { items?: Json }> | undefined)
      ?.items?.items
    const fields = Object.keys((items?.properties ?? {}) as Json)
    const narrowings: Json[] = [{}]
    const own = Object.keys((tool.inputSchema.properties ?? {}) as Json)
    if (own.includes('max_chars')) narrowings.push({ max_chars: 1000 })
    if (own.includes('fields')) narrowings.push(...fields.map((field) => ({ fields: [field] })))
    for (const narrowing of narrowings) {
      // The client throws when the structured content is not as the schema says.
      const { isError } = await client.callTool({
        name: tool.name,
        arguments: { ...args, ...narrowing },
      })
      if (isError !== true) answered++
    }
  }
  expect(answered).toBeGreaterThan(100)
  await client.close()
})
