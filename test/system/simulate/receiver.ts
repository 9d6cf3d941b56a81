/**
 * A receiver of webhooks that is there all the time, mostly answers well, and remembers what came.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from '../crash/random.ts'

export class Receiver {
  /** For each webhook, by the last part of its address, the deliveries of each event. */
  readonly got = new Map<string, Map<string, Set<string>>>()
  readonly secrets = new Map<string, string>()
  readonly problems: string[] = []
  calls = 0
  refused = 0
  #server
  #seen = new Set<string>()

  constructor(random: Random, refusals: number) {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => {
        const hook = new URL(request.url).pathname.slice(1)
        const text = await request.text()
        const delivery = request.headers.get('x-svc-delivery') ?? ''
        this.#look(hook, text, request.headers.get('x-svc-signature-256') ?? '')
        this.calls++
        // Some fail the first time, and take the second.
        if (!this.#seen.has(delivery) && random.chance(refusals)) {
          this.#seen.add(delivery)
          this.refused++
          return new Response('not now', { status: 500 })
        }
        const { id, type } = JSON.parse(text) as { id: string; type: string }
        if (type === 'ping') return new Response('pong')
        const events = this.got.get(hook) ?? new Map<string, Set<string>>()
        this.got.set(hook, events.set(id, (events.get(id) ?? new Set()).add(delivery)))
        return new Response(null, { status: 204 })
      },
    })
  }

  #look(hook: string, text: string, signature: string): void {
    const secret = this.secrets.get(hook)
    if (secret === undefined) return
    const wanted = Buffer.from(`sha256=${createHmac('sha256', secret).update(text).digest('hex')}`)
    const given = Buffer.from(signature)
    if (wanted.length !== given.length || !timingSafeEqual(wanted, given))
      this.problems.push(`a delivery to ${hook} has a wrong signature`)
  }

  url = (hook: string): string => `http://127.0.0.1:${this.#server.port}/${hook}`
  stop = (): Promise<void> => this.#server.stop(true)
}
