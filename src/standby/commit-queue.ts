/**
 * The commits that a standby has not confirmed, as frames of the log. They stay here while the
 * standby is away for a moment, so that it can go on where it was.
 */

export type QueuedCommit = {
  readonly number: number
  readonly frames: Uint8Array
  readonly at_ms: number
}

export class CommitQueue {
  readonly #commits: QueuedCommit[] = []
  bytes = 0
  /** The number of the last commit, and of the last one that the standby has on its disk. */
  last = 0
  confirmed = 0

  get length(): number {
    return this.#commits.length
  }

  /** When the oldest commit that is not confirmed was made; null when there is none. */
  get oldest_ms(): number | null {
    return this.#commits[0]?.at_ms ?? null
  }

  push(frames: Uint8Array, at_ms: number): void {
    this.#commits.push({ number: ++this.last, frames, at_ms })
    this.bytes += frames.length
  }

  /** The commits after `number` up to `until`, but no more than about `maxBytes` of them. */
  after(number: number, until: number, maxBytes: number): QueuedCommit[] {
    const first = this.#commits[0]?.number ?? this.last + 1
    const found: QueuedCommit[] = []
    let bytes = 0
    for (let at = Math.max(0, number + 1 - first); at < this.#commits.length; at++) {
      const commit = this.#commits[at] as QueuedCommit
      if (commit.number > until || (bytes > 0 && bytes + commit.frames.length > maxBytes)) break
      found.push(commit)
      bytes += commit.frames.length
    }
    return found
  }

  /** Whether a standby that has everything up to `number` can go on from there. */
  reaches(number: number): boolean {
    const first = this.#commits[0]?.number ?? this.last + 1
    return number + 1 >= first && number <= this.last
  }

  confirm(number: number): void {
    this.confirmed = Math.max(this.confirmed, Math.min(number, this.last))
    while ((this.#commits[0]?.number ?? Infinity) <= this.confirmed)
      this.bytes -= this.#commits.shift()?.frames.length ?? 0
  }

  /** Forgets all commits. The numbers go on. */
  clear(): void {
    this.#commits.length = 0
    this.bytes = 0
    this.last++
  }
}
