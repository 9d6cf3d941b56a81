/**
 * Finds programs that go round in a circle: the same calls of tools with the same results, again and
 * again. The conversation that a program sends shows it, so nothing has to be remembered.
 */
import { isObject, objectOf } from '#lib/json-value.ts'
import { listOf, textOf, type Json } from './wires/json.ts'

/** So many equal rounds are a loop. */
const MAX_EQUAL_ROUNDS = 4

/** The calls of one turn, and what the tools answered. Ids differ each time and do not count. */
type Round = { calls: string; results: string }

class Rounds {
  readonly #rounds: Round[] = []
  #isCalling = false

  call(name: unknown, input: unknown): void {
    if (!this.#isCalling) this.#rounds.push({ calls: '', results: '' })
    this.#isCalling = true
    const last = this.#rounds.at(-1)
    if (last) last.calls += `${textOf(name)} ${JSON.stringify(input) ?? ''}\n`
  }

  result(content: unknown): void {
    this.#isCalling = false
    const last = this.#rounds.at(-1)
    if (last) last.results += `${JSON.stringify(content) ?? ''}\n`
  }

  /** A person has said something, so what was before does not count. */
  reset(): void {
    this.#isCalling = false
    this.#rounds.length = 0
  }

  get isLoop(): boolean {
    const last = this.#rounds.slice(-MAX_EQUAL_ROUNDS)
    const [first] = last
    return (
      last.length === MAX_EQUAL_ROUNDS &&
      last.every(({ calls, results }) => calls === first?.calls && results === first.results)
    )
  }
}

function addChat(rounds: Rounds, { role, content, tool_calls }: Json): void {
  if (role === 'tool') return rounds.result(content)
  if (role === 'user') return rounds.reset()
  for (const call of listOf(tool_calls)) {
    const { name, arguments: input } = objectOf(call.function)
    rounds.call(name, input)
  }
}

function addMessages(rounds: Rounds, { role, content }: Json): void {
  const blocks = listOf(content)
  const results = blocks.filter(({ type }) => type === 'tool_result')
  if (role === 'user' && results.length === 0) return rounds.reset()
  for (const block of blocks) if (block.type === 'tool_use') rounds.call(block.name, block.input)
  for (const block of results) rounds.result(block.content)
}

function addResponses(rounds: Rounds, item: Json): void {
  if (item.role === 'user') return rounds.reset()
  const type = textOf(item.type)
  if (type === 'function_call') rounds.call(item.name, item.arguments)
  else if (type === 'custom_tool_call') rounds.call(item.name, item.input)
  else if (type === 'function_call_output' || type === 'custom_tool_call_output')
    rounds.result(item.output)
}

function addGenerate(rounds: Rounds, { role, parts }: Json): void {
  const all = listOf(parts)
  const results = all.flatMap(({ functionResponse }) =>
    isObject(functionResponse) ? [functionResponse] : [],
  )
  if (role !== 'model' && results.length === 0) return rounds.reset()
  for (const { functionCall } of all)
    if (isObject(functionCall)) rounds.call(functionCall.name, functionCall.args)
  for (const { response } of results) rounds.result(response)
}

/** Whether the last rounds of a conversation are all the same. */
export function isLoop(body: Json): boolean {
  const rounds = new Rounds()
  const isResponses = Array.isArray(body.input)
  for (const item of listOf(isResponses ? body.input : (body.messages ?? body.contents))) {
    if (isResponses) addResponses(rounds, item)
    else if (Array.isArray(item.parts)) addGenerate(rounds, item)
    else if (Array.isArray(item.content) && item.role !== 'tool' && item.tool_calls === undefined)
      addMessages(rounds, item)
    else addChat(rounds, item)
  }
  return rounds.isLoop
}
