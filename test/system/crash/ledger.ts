/**
 * What the forge has acknowledged: each client writes down every answer that promised something, in
 * memory and in a file.
 */
import { appendFileSync } from 'node:fs'

export type Acknowledged =
  | { readonly kind: 'repo'; readonly repo: string; readonly id: string }
  | {
      readonly kind: 'issue'
      readonly repo: string
      readonly number: number
      readonly id: string
      readonly title: string
    }
  | {
      readonly kind: 'pull'
      readonly repo: string
      readonly number: number
      readonly id: string
      readonly title: string
    }
  | { readonly kind: 'push'; readonly repo: string; readonly ref: string; readonly oid: string }
  | {
      readonly kind: 'session'
      readonly repo: string
      readonly number: number
      readonly last_seq: number
      readonly text: string
    }
  | { readonly kind: 'ready'; readonly repo: string; readonly number: number }
  | {
      readonly kind: 'merge'
      readonly repo: string
      readonly number: number
      readonly commit: string
    }
  | {
      readonly kind: 'comment'
      readonly repo: string
      readonly number: number
      readonly id: string
      readonly body: string
    }

export type Kind = Acknowledged['kind']

export class Ledger {
  readonly entries: Acknowledged[] = []
  /** When each of them was acknowledged. */
  readonly times: number[] = []
  /** Answers that no crash explains: a wrong status, a refused push. */
  readonly surprises: string[] = []
  /** For each ref, the commits that were sent to it, in order, acknowledged or not. */
  readonly sent = new Map<string, string[]>()

  constructor(private readonly file: string) {}

  note(entry: Acknowledged): void {
    this.entries.push(entry)
    this.times.push(Date.now())
    appendFileSync(this.file, `${JSON.stringify(entry)}\n`)
  }

  /** Before a push: from here on the ref may have moved, whatever becomes of the answer. */
  sending(repo: string, ref: string, oid: string): void {
    const name = `${repo} ${ref}`
    const oids = this.sent.get(name) ?? []
    if (oids.at(-1) !== oid) oids.push(oid)
    this.sent.set(name, oids)
  }
}

export const countKinds = (ledgers: readonly Ledger[]): Record<Kind, number> => {
  const counts: Record<Kind, number> = {
    repo: 0,
    issue: 0,
    pull: 0,
    push: 0,
    session: 0,
    ready: 0,
    merge: 0,
    comment: 0,
  }
  for (const { entries } of ledgers) for (const { kind } of entries) counts[kind]++
  return counts
}
