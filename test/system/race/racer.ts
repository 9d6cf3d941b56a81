/**
 * A client that moves the same few refs as others, as fast as it can: git's protocols by hand,
 * because a process of git for every push would leave hardly any at the same moment. Everything it
 * did and saw is written down.
 */
import { commitText, idOf, makePack } from '../../git/support/packs.ts'
import { bandOf, dataLines, ZERO } from '../../git/support/raw.ts'
import { FLUSH, pkt } from '../../../src/git/protocol/pkt-line.ts'
import type { Random } from '../crash/random.ts'
import type { Event, Move, Push, State } from './linear.ts'

export type Address = { readonly url: string; readonly token: string }

export const EMPTY_TREE = idOf('tree', '')

/** It was answered, and the answer is one that nothing explains. */
export class Strange extends Error {}

export class Racer {
  #serial = 0
  #last: State | null = null

  constructor(
    private readonly name: string,
    private readonly refs: readonly string[],
    private readonly random: Random,
    private readonly events: Event[],
    /** Told when a push is on its way. */
    private readonly sending: () => void,
  ) {}

  /**
   * Reads or pushes once. Throws what `fetch` throws when the server is gone; a push that was under
   * way is written down then too.
   */
  async step(address: Address): Promise<void> {
    if (this.#last === null || this.random.chance(0.3)) this.#last = await this.#read(address)
    else await this.#push(address, this.#last)
  }

  async #read(address: Address): Promise<State> {
    const began = performance.now()
    const lines = [
      pkt('command=ls-refs\n'),
      pkt('object-format=sha1\n'),
      Buffer.from('0001'),
      pkt('ref-prefix refs/heads/race-\n'),
      FLUSH,
    ]
    const body = await post(address, 'git-upload-pack', Buffer.concat(lines), {
      'git-protocol': 'version=2',
    })
    const found = new Map(dataLines(body).map((line) => [line.slice(41), line.slice(0, 40)]))
    const saw = this.refs.map((ref) => found.get(ref) ?? null)
    this.events.push({ kind: 'read', began, ended: performance.now(), saw })
    return saw
  }

  async #push(address: Address, known: State): Promise<void> {
    const first = Math.floor(this.random.between(0, this.refs.length))
    const chosen = this.random.chance(0.4) ? [first, (first + 1) % this.refs.length] : [first]
    const objects: { type: 'tree' | 'commit'; data: string }[] = [{ type: 'tree', data: '' }]
    const moves = chosen.map((ref): Move => {
      const old = known[ref] ?? null
      if (old !== null && this.random.chance(0.1)) return { ref, old, to: null }
      // Most go on from what is there, as people do; some have nothing to do with it.
      const data = commitText(
        EMPTY_TREE,
        old !== null && this.random.chance(0.7) ? [old] : [],
        `${this.name} ${this.#serial++}\n`,
      )
      objects.push({ type: 'commit', data })
      return { ref, old, to: idOf('commit', data) }
    })
    const atomic = this.random.chance(0.5)
    const commands = moves.map(({ ref, old, to }, at) =>
      pkt(
        `${old ?? ZERO} ${to ?? ZERO} ${this.refs[ref]}${at === 0 ? `\0report-status side-band-64k${atomic ? ' atomic' : ''}` : ''}`,
      ),
    )
    const pack = objects.length > 1 ? [makePack(objects)] : []
    const push: Omit<Push, 'ended' | 'moved'> = {
      kind: 'push',
      began: performance.now(),
      moves,
      atomic,
    }
    this.sending()
    try {
      const body = await post(
        address,
        'git-receive-pack',
        Buffer.concat([...commands, FLUSH, ...pack]),
      )
      const report = dataLines(bandOf(body, 1))
      // A commit on one that is gone meanwhile is refused with the whole pack.
      const lacks = /^unpack .*missing/.test(report[0] ?? '')
      const moved = lacks ? moves.map(() => false) : this.#verdicts(report, moves)
      this.events.push({ ...push, atomic: atomic || lacks, moved, ended: performance.now() })
      this.#last = known.map((value, ref) => {
        const at = moves.findIndex((move) => move.ref === ref)
        return at < 0 ? value : moved[at] ? (moves[at]?.to ?? null) : value
      })
      // Whoever was second looks at what is there now, mostly; sometimes it tries with what it
      // knew.
      if (moved.includes(false) && this.random.chance(0.8)) this.#last = null
    } catch (error) {
      if (error instanceof Strange) throw error
      // It may have come to pass, up to the moment in which the server ended, which is not known
      // here.
      this.events.push({ ...push, moved: null, ended: Infinity })
      this.#last = null
      throw error
    }
  }

  #verdicts(report: readonly string[], moves: readonly Move[]): boolean[] {
    const [unpack = ''] = report
    return moves.map(({ ref }) => {
      const line = report.find(
        (one) => one === `ok ${this.refs[ref]}` || one.startsWith(`ng ${this.refs[ref]} `),
      )
      if (unpack !== 'unpack ok' || line === undefined)
        throw new Strange(`a push was answered with “${report.join(' | ').slice(0, 500)}”`)
      if (
        line.startsWith('ng ') &&
        !/stale info|has moved since|atomic|fetch first|missing necessary|already exists/.test(line)
      )
        throw new Strange(`a push was refused with “${line}”`)
      return line.startsWith('ok ')
    })
  }
}

/** Throws `Strange` for a status that is no success, and what `fetch` throws. */
export async function post(
  address: Address,
  service: string,
  body: Buffer<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Buffer> {
  const response = await fetch(`${address.url}/${service}`, {
    method: 'POST',
    body,
    headers: {
      authorization: `Basic ${Buffer.from(`x:${address.token}`).toString('base64')}`,
      'content-type': `application/x-${service}-request`,
      ...headers,
    },
  })
  const bytes = Buffer.from(await response.bytes())
  if (!response.ok)
    throw new Strange(
      `${service} was answered with ${response.status}: ${bytes.toString().slice(0, 300)}`,
    )
  return bytes
}
