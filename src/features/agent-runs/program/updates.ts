/** What a program reports while it works, as entries of the session. */
import { arrayOf, isObject, objectOf, textOf } from '#lib/json-value.ts'
import { cut, inputForRecord, type SessionEntry } from '../session-entries.ts'
import type { Json } from './connection.ts'

const MAX_TEXT_CHARS = 16_000
/** Of one message of the program, which may be all that it says. What is longer is cut. */
const MAX_CHUNK_CHARS = 4 * MAX_TEXT_CHARS
const MAX_TITLE_CHARS = 200
const MAX_OUTPUT_CHARS = 8_000
const MAX_PLAN_STEPS = 50
const MAX_PATHS = 50
const MAX_PATH_CHARS = 500
/** Calls that are open at one time; a program that begins more loses the oldest. */
const MAX_OPEN_CALLS = 200
/** Of one turn. Programs that repeat one failing call for ever are ended by the second. */
const MAX_ENTRIES = 5_000
const MAX_CALLS = 500
/** Hosts of one turn that are named. */
const MAX_HOSTS = 100

const KINDS = new Set('read edit delete move search execute think fetch other'.split(' '))

type Call = { kind: string; title: string; input: Json; isWritten: boolean; paths: string[] }

type Texts = 'message' | 'thought'

/** The text of a content block; what a picture or a resource is, in brackets. */
function contentText(content: unknown): string {
  const { type, text } = objectOf(content)
  if (typeof text === 'string') return text
  return typeof type === 'string' ? `[${type.slice(0, 40)}]` : ''
}

/** Output of a tool: its contents, or what it returned raw. */
function outputOf({ content, rawOutput }: Json): string {
  const texts = arrayOf(content).flatMap((one) => {
    const { type, content: inner } = objectOf(one)
    return type === 'content' ? [contentText(inner)] : []
  })
  const text = texts.join('\n')
  if (text !== '') return text
  if (typeof rawOutput === 'string') return rawOutput
  const { output, formatted_output } = objectOf(rawOutput)
  return textOf(output) ?? textOf(formatted_output) ?? ''
}

/**
 * What is kept of a message while a call is open. A part of a text holds the whole text in memory,
 * and many calls whose inputs have megabytes can be open.
 */
const copied = <T extends string | Json>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** Paths that a tool reports to have changed, below the working directory. */
function changedPaths(content: unknown, cwd: string): string[] {
  return arrayOf(content).flatMap((one) => {
    const { type, path } = objectOf(one)
    if (type !== 'diff' || typeof path !== 'string') return []
    const below = path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path
    return [copied(below.slice(0, MAX_PATH_CHARS))]
  })
}

export class UpdateRecorder {
  #entries: SessionEntry[] = []
  #count = 0
  #callCount = 0
  #text = ''
  #textKind: Texts = 'message'
  #calls = new Map<string, Call>()
  readonly #hosts = new Set<string>()
  #last = ''

  constructor(private readonly cwd: string) {}

  /** What the program said after its last tool: its summary, or its question. */
  get lastMessage(): string {
    return (
      this.#textKind === 'message' && this.#text.trim() !== '' ? this.#text : this.#last
    ).trim()
  }

  get isFull(): boolean {
    return this.#count >= MAX_ENTRIES || this.#callCount > MAX_CALLS
  }

  /** Entries since the last call. Text that may go on is held back, unless `ends`. */
  take(ends = false): SessionEntry[] {
    if (ends) this.#endText()
    const taken = this.#entries
    this.#entries = []
    return taken
  }

  add(update: Json): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#addText('message', contentText(update.content))
      case 'agent_thought_chunk':
        return this.#addText('thought', contentText(update.content))
      case 'plan':
        return this.#addPlan(update)
      case 'tool_call':
      case 'tool_call_update':
        return this.#addCall(update)
    }
  }

  /** A host that it asked for. Each is named once, and once more where that ends otherwise. */
  addHost(host: string, refusal: string | null): void {
    const ok = refusal === null
    const key = `${ok} ${host}`
    if (this.#hosts.has(key) || this.#hosts.size >= MAX_HOSTS) return
    this.#hosts.add(key)
    const text = refusal === null ? host : `${host}: ${refusal}`
    this.#push({ kind: 'tool', tool: 'network', text: cut(text, MAX_PATH_CHARS), data: { ok } })
  }

  #push(entry: SessionEntry): void {
    if (this.#count >= MAX_ENTRIES) return
    this.#count++
    this.#entries.push(entry)
  }

  #addText(kind: Texts, text: string): void {
    if (kind !== this.#textKind) this.#endText()
    this.#textKind = kind
    this.#text += cut(text, MAX_CHUNK_CHARS)
    if (this.#text.length > MAX_TEXT_CHARS) this.#endText()
  }

  #endText(): void {
    const text = this.#text.trim()
    this.#text = ''
    if (text === '') return
    if (this.#textKind === 'message') this.#last = text
    this.#push({
      kind: this.#textKind,
      text,
      ...(this.#textKind === 'message' ? { data: { role: 'agent' } } : {}),
    })
  }

  #addPlan({ entries }: Json): void {
    this.#endText()
    const steps = arrayOf(entries)
      .slice(0, MAX_PLAN_STEPS)
      .filter(isObject)
      .map(({ content, status }) => ({
        text: cut(textOf(content) ?? '', MAX_TITLE_CHARS),
        done: status === 'completed',
      }))
    const text = steps.map((step) => `${step.done ? '[x]' : '[ ]'} ${step.text}`).join('\n')
    this.#push({ kind: 'plan', text, data: { steps } })
  }

  #addCall(update: Json): void {
    const id = textOf(update.toolCallId)
    if (id === null || id.length > MAX_PATH_CHARS) return
    this.#endText()
    const call = this.#callOf(id, update)
    const isEnded = update.status === 'completed' || update.status === 'failed'
    call.paths.push(
      ...changedPaths(update.content, this.cwd).slice(0, MAX_PATHS - call.paths.length),
    )
    // Programs first announce a call without its input.
    if (!call.isWritten && (Object.keys(call.input).length > 0 || isEnded)) this.#writeCall(call)
    if (!isEnded) return
    this.#calls.delete(id)
    const ok = update.status === 'completed'
    if (ok && call.paths.length > 0) {
      const paths = [...new Set(call.paths)]
      this.#push({ kind: 'edit', text: paths.join('\n'), data: { paths } })
    }
    const output = cut(outputOf(update), MAX_OUTPUT_CHARS)
    this.#push({ kind: 'result', text: output, data: { ok } })
  }

  #callOf(id: string, { kind, title, rawInput }: Json): Call {
    const call: Call = this.#calls.get(id) ?? {
      kind: 'other',
      title: '',
      input: {},
      isWritten: false,
      paths: [],
    }
    this.#calls.set(id, call)
    if (typeof kind === 'string' && KINDS.has(kind)) call.kind = kind
    if (typeof title === 'string' && title !== '')
      call.title = copied(title.slice(0, 2 * MAX_TITLE_CHARS))
    if (isObject(rawInput) && !call.isWritten) call.input = copied(inputForRecord({ ...rawInput }))
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > MAX_OPEN_CALLS && oldest !== undefined) this.#calls.delete(oldest)
    return call
  }

  #writeCall(call: Call): void {
    this.#callCount++
    call.isWritten = true
    this.#push({
      kind: 'tool',
      tool: call.kind,
      text: cut(call.title.split('\n')[0] ?? call.kind, MAX_TITLE_CHARS),
      data: { input: call.input },
    })
  }
}
