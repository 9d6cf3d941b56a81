/**
 * The built-in agent with a scripted model: from assigning an issue to the first token, and the
 * memory of many runs at once. Each run asks its model once and then a person.
 */
import { memoryOf } from '../forge/memory.ts'
import { median } from '../forge/wrk.ts'

/** What a real model takes to its first token. */
const ANSWER_MS = 1_000
const RUNS = 20
const FIRST_TOKENS = 5

const encoder = new TextEncoder()
const event = (data: object): Uint8Array => encoder.encode(`data: ${JSON.stringify(data)}\n\n`)
const ASK = { name: 'ask', arguments: '{"question": "What now?"}' }
const CALL = { index: 0, id: 'call_1', type: 'function', function: ASK }
const USAGE = { prompt_tokens: 1_100, completion_tokens: 20, total_tokens: 1_120 }

/** The model of the agent: answers after a second, or when it is released. */
export class AgentModel {
  /** When its first token was sent, by `performance.now()`. */
  readonly firstTokens: number[] = []
  #waiting: (() => void)[] = []
  #isHeld = false
  #onAsked: () => void = () => {}

  static isAsked(messages: readonly { readonly content: unknown }[]): boolean {
    return String(messages[0]?.content).startsWith('You are the agent of a git forge')
  }

  /** From now on calls wait for `release`. Resolves when so many wait. */
  hold(count: number): Promise<void> {
    this.#isHeld = true
    return new Promise((resolve) => {
      this.#onAsked = () => this.#waiting.length === count && resolve()
    })
  }

  release(): void {
    for (const go of this.#waiting.splice(0)) go()
    this.#isHeld = false
  }

  answer(): Response {
    const ready = this.#isHeld
      ? new Promise<void>((resolve) => this.#waiting.push(resolve))
      : Bun.sleep(ANSWER_MS)
    this.#onAsked()
    const body = new ReadableStream({
      start: async (controller) => {
        await ready
        this.firstTokens.push(performance.now())
        const choice = { index: 0, delta: { role: 'assistant', tool_calls: [CALL] } }
        controller.enqueue(event({ choices: [{ ...choice, finish_reason: null }] }))
        controller.enqueue(
          event({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage: USAGE }),
        )
        controller.enqueue(encoder.encode('data: [DONE]\n\n'))
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

export type AgentForge = {
  readonly pid: number
  readonly repo: string
  readonly call: <T>(method: string, path: string, body: unknown) => Promise<T>
}

async function assign({ call, repo }: AgentForge, title: string): Promise<void> {
  const path = `/v1/repos/${repo}/issues`
  const { number } = await call<{ number: number }>('POST', path, { title })
  await call('POST', `${path}/${number}/assign`, {})
}

/** Milliseconds from assigning to the first token of a model that takes a second for it. */
async function timeFirstTokens(forge: AgentForge, model: AgentModel): Promise<number> {
  const taken: number[] = []
  for (let at = 1; at <= FIRST_TOKENS; at++) {
    const begun = performance.now()
    await assign(forge, `first token ${at}`)
    while (model.firstTokens.length < at) await Bun.sleep(5)
    taken.push((model.firstTokens[at - 1] ?? 0) - begun)
    // The next one does not begin beside the end of this one.
    await Bun.sleep(ANSWER_MS)
  }
  return median(taken)
}

/** MiB that the process has before and while so many runs are at work. */
async function measureRuns(forge: AgentForge, model: AgentModel): Promise<[number, number]> {
  const before = memoryOf(forge.pid).resident
  const allAsked = model.hold(RUNS)
  for (let at = 1; at <= RUNS; at++) await assign(forge, `run ${at}`)
  await allAsked
  const during = memoryOf(forge.pid).resident
  model.release()
  return [before, during]
}

export async function measureAgents(forge: AgentForge, model: AgentModel): Promise<string[][]> {
  const firstToken = await timeFirstTokens(forge, model)
  const [before, during] = await measureRuns(forge, model)
  return [
    ['assigning to the first token of a model that takes 1,000 ms (ms)', firstToken.toFixed(0)],
    ['memory of the forge before them (MiB)', before.toFixed(0)],
    [`memory with ${RUNS} runs at once (MiB)`, during.toFixed(0)],
  ]
}
