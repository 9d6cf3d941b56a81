/**
 * A small agent program that speaks the Agent Client Protocol. Its model answers with a JSON list of
 * actions, which it does one after the other, whatever they are.
 */
const { execSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const readline = require('node:readline')

const STATE = path.join(process.env.HOME, 'sessions.json')
const sessions = fs.existsSync(STATE) ? JSON.parse(fs.readFileSync(STATE, 'utf8')) : {}
const waiting = new Map()
let nextId = 1
let cwd = ''
let servers = []

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const ask = (method, params) => {
  const id = `agent-${nextId++}`
  send({ id, method, params })
  return new Promise((resolve) => waiting.set(id, resolve))
}
const report = (sessionId, update) =>
  send({ method: 'session/update', params: { sessionId, update } })
const say = (sessionId, text, sessionUpdate = 'agent_message_chunk') =>
  report(sessionId, { sessionUpdate, content: { type: 'text', text } })

const OPTIONS = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
]

async function askModel(sessionId) {
  const response = await fetch('http://127.0.0.1:9100/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer nothing', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-9', messages: sessions[sessionId] }),
  })
  const body = await response.json()
  if (!response.ok) throw new Error(body.error?.message ?? `status ${response.status}`)
  return body.choices[0].message.content
}

const ACTIONS = {
  say: (id, text) => say(id, text),
  think: (id, text) => say(id, text, 'agent_thought_chunk'),
  plan: (id, steps) =>
    report(id, {
      sessionUpdate: 'plan',
      entries: steps.map((content) => ({ content, status: 'pending' })),
    }),
  write: (id, [name, content]) => {
    const call = { toolCallId: `write-${nextId++}`, kind: 'edit', title: `Write ${name}` }
    const file = path.resolve(cwd, name)
    report(id, { sessionUpdate: 'tool_call', ...call, status: 'pending', rawInput: {} })
    report(id, { sessionUpdate: 'tool_call_update', ...call, rawInput: { path: name } })
    let status = 'completed'
    try {
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, content)
    } catch {
      status = 'failed'
    }
    const content_ = [{ type: 'diff', path: file, oldText: null, newText: content }]
    report(id, {
      sessionUpdate: 'tool_call_update',
      toolCallId: call.toolCallId,
      status,
      content: content_,
    })
  },
  run: (id, command) => {
    const call = { toolCallId: `run-${nextId++}`, kind: 'execute', title: command.slice(0, 60) }
    report(id, { sessionUpdate: 'tool_call', ...call, status: 'pending', rawInput: { command } })
    let [text, status] = ['', 'completed']
    try {
      text = execSync(command, {
        cwd,
        encoding: 'utf8',
        shell: '/bin/sh',
        stdio: 'pipe',
        maxBuffer: 1e8,
      })
    } catch (error) {
      text = `${error.stdout ?? ''}${error.stderr ?? ''}`
      status = 'failed'
    }
    const content = [{ type: 'content', content: { type: 'text', text } }]
    report(id, { sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status, content })
  },
  permission: async (id, [kind, title]) => {
    const { outcome } = await ask('session/request_permission', {
      sessionId: id,
      toolCall: { toolCallId: 'p', kind, title },
      options: OPTIONS,
    })
    say(id, `permission: ${outcome.optionId ?? outcome.outcome}`)
  },
  /** Asks for something that no client offers, and says what it got. */
  request: async (id, [method, params]) => {
    const { error } = await ask(method, { sessionId: id, ...params })
    say(id, `${method}: ${error ? error.code : 'answered'}`)
  },
  /** Calls a method of the tool server, and says what it got. */
  tool: async (id, [method, params, headers = {}]) => {
    const response = await fetch(servers[0].url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const text = await response.text()
    const call = { toolCallId: `tool-${nextId++}`, kind: 'other', title: params.name ?? method }
    report(id, { sessionUpdate: 'tool_call', ...call, status: 'pending', rawInput: params })
    report(id, {
      sessionUpdate: 'tool_call_update',
      toolCallId: call.toolCallId,
      status: 'completed',
      content: [{ type: 'content', content: { type: 'text', text } }],
    })
  },
  raw: (_, text) => void process.stdout.write(text),
  /** Writes for ever, as fast as it is read. */
  flood: async (_, text) => {
    const chunk = text.repeat(Math.ceil(65536 / text.length))
    for (;;)
      if (!process.stdout.write(chunk)) await new Promise((r) => process.stdout.once('drain', r))
  },
  terminals: async (id) => {
    for (;;) await ask('terminal/create', { sessionId: id, command: 'sh' })
  },
  repeat: async (id, command) => {
    for (;;) {
      ACTIONS.run(id, command)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  },
  die: (_, code) => process.exit(code),
  hang: () => new Promise(() => {}),
}

const HANDLERS = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'test-agent', version: '1.2.3' },
    agentCapabilities: { loadSession: true, mcpCapabilities: { http: true } },
    authMethods: [],
  }),
  'session/new': (params) => {
    cwd = params.cwd
    servers = params.mcpServers
    const sessionId = `s${Date.now()}`
    sessions[sessionId] = []
    return { sessionId }
  },
  'session/load': ({ sessionId, ...params }) => {
    cwd = params.cwd
    servers = params.mcpServers
    if (!sessions[sessionId]) throw new Error('no such session')
    for (const { role, content } of sessions[sessionId])
      say(
        sessionId,
        `replayed ${content}`,
        role === 'user' ? 'user_message_chunk' : 'agent_message_chunk',
      )
    return null
  },
  'session/prompt': async ({ sessionId, prompt }) => {
    const talk = sessions[sessionId]
    talk.push({ role: 'user', content: prompt.map(({ text }) => text).join('\n') })
    fs.writeFileSync(STATE, JSON.stringify(sessions))
    const answer = await askModel(sessionId)
    talk.push({ role: 'assistant', content: answer })
    fs.writeFileSync(STATE, JSON.stringify(sessions))
    let stopReason = 'end_turn'
    for (const action of JSON.parse(answer))
      for (const [name, value] of Object.entries(action))
        if (name === 'stop') stopReason = value
        else await ACTIONS[name](sessionId, value)
    return { stopReason }
  },
}

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, ...answer } = JSON.parse(line)
  if (method === undefined) {
    waiting.get(id)?.(answer.error ? answer : answer.result)
    return waiting.delete(id)
  }
  if (id === undefined) return
  try {
    send({ id, result: await HANDLERS[method](params) })
  } catch (error) {
    send({ id, error: { code: -32000, message: error.message } })
  }
})
